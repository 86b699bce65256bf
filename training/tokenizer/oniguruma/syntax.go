package oniguruma

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
)

// kind is the type of a node of an expression.
type kind uint8

const (
	one      kind = iota // a character of a set
	sequence             // all parts in order
	choice               // the first part that leads to a match
	repeat               // the only part, min to max times
	atomic               // the only part, which is not retried in another way
	look                 // the only part matches here, or with back up to here
	lineStart
	lineEnd
	textStart
	textEnd
	lastLineEnd // at the end, or before a line end there
	wordEdge
	notWordEdge
)

// unbounded is the max of a repeat without one.
const unbounded = -1

// node is a part of an expression.
type node struct {
	kind     kind
	set      set
	parts    []*node
	min, max int
	lazy     bool
	back     bool // look behind
	negative bool
	folded   rune   // the letter of a node that matches it in any case; 0: none
	refused  string // the reason why a class is only supported in an unbounded repetition
	closed   bool   // the class has all letters that its letters are in another case
}

// maxDepth limits the nesting of groups and classes.
const maxDepth = 200

// parser reads an expression. Its methods panic with a syntaxError.
type parser struct {
	rest  string
	depth int
	flags
}

// flags are the options of (?imx).
type flags struct{ anyCase, dotAll, extended bool }

type syntaxError struct{ error }

func fail(format string, args ...any) { panic(syntaxError{fmt.Errorf(format, args...)}) }

// parse reads an expression.
func parse(text string) (n *node, err error) {
	defer func() {
		if r := recover(); r != nil {
			s, ok := r.(syntaxError)
			if !ok {
				panic(r)
			}
			err = s.error
		}
	}()
	if !utf8.ValidString(text) {
		return nil, errors.New("text that is not UTF-8")
	}
	p := &parser{rest: text}
	n = p.alternatives()
	if p.rest != "" {
		fail("a ) that closes no group")
	}
	return n, nil
}

// take skips a prefix if the rest has it.
func (p *parser) take(prefix string) bool {
	rest, ok := strings.CutPrefix(p.rest, prefix)
	p.rest = rest
	return ok
}

// next takes a character.
func (p *parser) next(missing string) rune {
	r, n := utf8.DecodeRuneInString(p.rest)
	if n == 0 {
		fail("%s", missing)
	}
	p.rest = p.rest[n:]
	return r
}

// deeper counts the nesting.
func (p *parser) deeper() func() {
	if p.depth++; p.depth > maxDepth {
		fail("more than %d groups or classes within another", maxDepth)
	}
	return func() { p.depth-- }
}

// alternatives reads up to the end of a group, or of the expression. Options that are set within it
// apply up to its end.
func (p *parser) alternatives() *node {
	defer p.deeper()()
	outer := p.flags
	n := &node{kind: choice}
	for {
		n.parts = append(n.parts, p.branch())
		if !p.take("|") {
			break
		}
	}
	p.flags = outer
	if len(n.parts) == 1 {
		return n.parts[0]
	}
	return n
}

// branch reads one alternative.
func (p *parser) branch() *node {
	n := &node{kind: sequence}
	for p.skip(); p.rest != "" && p.rest[0] != '|' && p.rest[0] != ')'; p.skip() {
		n.parts = append(n.parts, p.repeated(p.atom()))
	}
	checkFolds(n)
	if len(n.parts) == 1 {
		return n.parts[0]
	}
	return n
}

// skip skips comments, and with (?x) white space.
func (p *parser) skip() {
	for p.rest != "" {
		switch {
		case p.take("(?#"):
			_, rest, ok := strings.Cut(p.rest, ")")
			if !ok {
				fail("a comment that is not closed")
			}
			p.rest = rest
		case p.extended && strings.IndexByte(" \t\n\r\f\v", p.rest[0]) >= 0:
			p.rest = p.rest[1:]
		case p.extended && p.rest[0] == '#':
			_, p.rest, _ = strings.Cut(p.rest, "\n")
		default:
			return
		}
	}
}

// atom reads an element that a repetition may follow.
func (p *parser) atom() *node {
	switch c := p.rest[0]; {
	case c == '(':
		return p.group()
	case c == '[':
		p.rest = p.rest[1:]
		return p.class()
	case c == '\\':
		p.rest = p.rest[1:]
		return p.escape()
	case c == '*' || c == '+' || c == '?':
		fail("a %c that repeats nothing", c)
	}
	switch r := p.next(""); r {
	case '.':
		if p.dotAll {
			return &node{set: all}
		}
		return &node{set: of('\n').not()}
	case '^':
		return &node{kind: lineStart}
	case '$':
		return &node{kind: lineEnd}
	default:
		return p.letter(r)
	}
}

// letter is one literal character.
func (p *parser) letter(r rune) *node {
	if !p.anyCase {
		return &node{set: of(r)}
	}
	return &node{set: of(r).anyCase(), folded: r}
}

// longFolds maps the letters that become several without case, such as ß, to those.
var longFolds = sync.OnceValue(func() map[rune]string {
	folds, fold := map[rune]string{}, cases.Fold()
	for _, area := range []span{{0xdf, 0x587}, {0x1e96, 0x1ffc}, {0xfb00, 0xfb17}} {
		for r := area.lo; r <= area.hi; r++ {
			if to := fold.String(string(r)); utf8.RuneCountInString(to) > 1 {
				folds[r] = to
			}
		}
	}
	return folds
})

// checkFolds rejects letters in any case that are a single letter in another case: ss and ß.
func checkFolds(n *node) {
	letters := n.letters(nil)
	if !slices.ContainsFunc(letters, func(r rune) bool { return r != 0 }) {
		return
	}
	text := cases.Fold().String(string(letters))
	for letter, fold := range longFolds() {
		if strings.Contains(text, fold) {
			fail("%q in any case, which %q is, too", fold, letter)
		}
	}
}

// letters appends the letters that a part matches in any case, with 0 for anything else, and
// rejects classes that are supported only in a repetition.
func (n *node) letters(list []rune) []rune {
	if n.refused != "" {
		fail("%s", n.refused)
	}
	if n.kind != sequence {
		return append(list, n.folded)
	}
	for _, p := range n.parts {
		list = p.letters(list)
	}
	return list
}

// group reads the contents of parentheses. Whether it captures makes no difference here.
func (p *parser) group() *node {
	take := p.take
	closed := func(n *node) *node {
		if !take(")") {
			fail("a ( that is not closed")
		}
		return n
	}
	around := func(back, negative bool) *node {
		inner := p.alternatives()
		if back {
			checkBehind(inner)
		}
		return closed(&node{kind: look, parts: []*node{inner}, back: back, negative: negative})
	}
	switch {
	case take("(?:"):
		return closed(p.alternatives())
	case take("(?="):
		return around(false, false)
	case take("(?!"):
		return around(false, true)
	case take("(?<="):
		return around(true, false)
	case take("(?<!"):
		return around(true, true)
	case take("(?>"):
		return closed(&node{kind: atomic, parts: []*node{p.alternatives()}})
	case strings.HasPrefix(p.rest, "(?<"), strings.HasPrefix(p.rest, "(?'"):
		end := strings.IndexAny(p.rest[3:], ">'")
		if end < 1 || strings.ContainsAny(p.rest[3:3+end], "()\\[]") {
			fail("a group whose name is not closed")
		}
		p.rest = p.rest[3+end+1:]
		return closed(p.alternatives())
	case strings.HasPrefix(p.rest, "(?"):
		return p.options()
	case strings.HasPrefix(p.rest, "(*"):
		fail("callouts (*name)")
	}
	take("(")
	return closed(p.alternatives())
}

// checkBehind rejects a look behind unless each of its alternatives has one length: for others
// Oniguruma's releases differ.
func checkBehind(n *node) {
	alternatives := []*node{n}
	if n.kind == choice {
		alternatives = n.parts
	}
	for _, a := range alternatives {
		if _, fixed := a.length(); !fixed {
			fail("a look behind whose length varies")
		}
	}
}

// length returns the number of characters that a part takes; fixed is false if it varies.
func (n *node) length() (count int, fixed bool) {
	switch n.kind {
	case one:
		return 1, true
	case sequence:
		for _, p := range n.parts {
			length, fixed := p.length()
			if !fixed {
				return 0, false
			}
			count += length
		}
		return count, true
	case choice:
		for i, p := range n.parts {
			length, fixed := p.length()
			if !fixed || i > 0 && length != count {
				return 0, false
			}
			count = length
		}
		return count, true
	case repeat:
		length, fixed := n.parts[0].length()
		return length * n.min, fixed && n.min == n.max
	case atomic, look:
		return 0, false
	}
	return 0, true
}

// options reads (?imx-imx:...), or (?imx-imx), which applies up to the end of the surrounding
// group, including its alternatives.
func (p *parser) options() *node {
	p.take("(?")
	set, on := p.flags, true
	for {
		switch r := p.next("a ( that is not closed"); r {
		case '-':
			on = false
		case 'i':
			set.anyCase = on
		case 'm':
			set.dotAll = on
		case 'x':
			set.extended = on
		case ':', ')':
			outer := p.flags
			p.flags = set
			n := p.alternatives()
			p.flags = outer
			if r == ':' && !p.take(")") {
				fail("a ( that is not closed")
			}
			return n
		default:
			fail("groups of the kind (?%c", r)
		}
	}
}

// repeated reads the repetitions after a part.
func (p *parser) repeated(n *node) *node {
	p.skip()
	low, high, sign := p.bounds()
	if sign == "" {
		return n
	}
	if n.kind >= look {
		fail("repetition of a part that takes no character")
	}
	if high == unbounded && n.mayBeEmpty() {
		fail("unbounded repetition of a part that may be empty")
	}
	r := &node{kind: repeat, parts: []*node{n}, min: low, max: high}
	if n.closed && high == unbounded && !strings.HasPrefix(p.rest, "?") {
		n.refused = "" // a letter more or less makes no difference
	}
	braces := strings.HasPrefix(sign, "{")
	switch {
	case p.take("?"):
		if braces && low == high {
			fail("%s?, which has another meaning in other libraries", sign)
		}
		r.lazy = true
	case !braces && p.take("+"):
		r = possessive(r)
	case strings.HasPrefix(p.rest, "+"): // after braces it is another repetition
		p.rest = p.rest[1:]
		if r.mayBeEmpty() {
			fail("unbounded repetition of a part that may be empty")
		}
		r = &node{kind: repeat, parts: []*node{r}, min: 1, max: unbounded}
	}
	p.skip()
	if _, _, more := p.bounds(); more != "" {
		fail("repetition of a repetition, %s and %s", sign, more)
	}
	return r
}

// bounds reads *, +, ? or {n,m}; sign is "" if none follows.
func (p *parser) bounds() (low, high int, sign string) {
	switch {
	case p.take("*"):
		return 0, unbounded, "*"
	case p.take("+"):
		return 1, unbounded, "+"
	case p.take("?"):
		return 0, 1, "?"
	case !strings.HasPrefix(p.rest, "{"):
		return 0, 0, ""
	}
	inner, rest, closed := strings.Cut(p.rest[1:], "}")
	from, to, two := strings.Cut(inner, ",")
	digits := func(s string) bool { return strings.Trim(s, "0123456789") == "" }
	if !closed || from+to == "" || !digits(from) || !digits(to) {
		return 0, 0, "" // plain characters
	}
	number := func(s string, empty int) int {
		if s == "" {
			return empty
		}
		n, err := strconv.Atoi(s)
		if err != nil || n > maxInstructions {
			fail("more than %d repetitions", maxInstructions)
		}
		return n
	}
	p.rest = rest
	low = number(from, 0)
	high = low
	if two {
		high = number(to, unbounded)
	}
	if high != unbounded && high < low {
		fail("{%s}, whose bounds are in the wrong order", inner)
	}
	return low, high, "{" + inner + "}"
}

// possessive returns a repetition that gives back nothing. For single characters it is a repetition
// that no further character of the kind follows.
func possessive(r *node) *node {
	n := r.parts[0]
	if n.kind != one {
		return &node{kind: atomic, parts: []*node{r}}
	}
	end := &node{kind: look, parts: []*node{n}, negative: true}
	if r.max == unbounded {
		return &node{kind: sequence, parts: []*node{r, end}}
	}
	return &node{kind: choice, parts: []*node{n, end}} // ?+
}

// escape reads the text after a backslash outside of brackets.
func (p *parser) escape() *node {
	r, _ := utf8.DecodeRuneInString(p.rest)
	if kind, ok := map[rune]kind{'A': textStart, 'z': textEnd, 'Z': lastLineEnd, 'b': wordEdge, 'B': notWordEdge}[r]; ok {
		p.rest = p.rest[1:]
		return &node{kind: kind}
	}
	switch r {
	case 'N':
		p.rest = p.rest[1:]
		return &node{set: of('\n').not()}
	case 'O':
		p.rest = p.rest[1:]
		return &node{set: all}
	case 'R':
		p.rest = p.rest[1:]
		line := &node{set: setOf(span{'\n', '\r'}, span{0x85, 0x85}, span{0x2028, 0x2029})}
		pair := func() *node { return &node{kind: sequence, parts: []*node{{set: of('\r')}, {set: of('\n')}}} }
		single := &node{kind: sequence, parts: []*node{{kind: look, parts: []*node{pair()}, negative: true}, line}}
		return &node{kind: choice, parts: []*node{pair(), single}}
	}
	s, single := p.escaped(false)
	if single {
		return p.letter(s[0].lo)
	}
	return &node{set: s} // in any case, too: \p{Lu} by itself does not change
}

// escaped reads an escape that is a set of characters; single reports whether it is one character.
func (p *parser) escaped(within bool) (s set, single bool) {
	r := p.next("a backslash at the end")
	switch r {
	case 's':
		return space(), false
	case 'S':
		return space().not(), false
	case 'd':
		return digit(), false
	case 'D':
		return digit().not(), false
	case 'h':
		return hexDigits, false
	case 'H':
		return hexDigits.not(), false
	case 'w', 'W':
		s := word()
		if within {
			s = wordInner()
		}
		if r == 'W' {
			s = s.not()
		}
		return s, false
	case 'p', 'P':
		return p.property(r == 'P'), false
	case 'x':
		if p.take("{") {
			inner, rest, ok := strings.Cut(p.rest, "}")
			if !ok {
				fail(`\x{ that is not closed`)
			}
			p.rest = rest
			return of(code(`\x`, inner)), true
		}
		n := 0
		for n < 2 && n < len(p.rest) && isHex(p.rest[n]) {
			n++
		}
		return of(p.ascii(p.digits(`\x`, n))), true
	case 'u':
		return of(p.digits(`\u`, 4)), true
	case '0':
		n := 0
		for n < 2 && n < len(p.rest) && '0' <= p.rest[n] && p.rest[n] <= '7' {
			n++
		}
		value, _ := strconv.ParseInt("0"+p.rest[:n], 8, 32)
		p.rest = p.rest[n:]
		return of(rune(value)), true
	case 'b':
		if within {
			return of('\b'), true
		}
	case 'R', 'N', 'O', 'X', 'A', 'z', 'Z', 'B', 'G', 'K', 'y', 'Y':
		if within {
			fail(`\%c within brackets`, r)
		}
	}
	if at := strings.IndexRune("tnrfvae", r); at >= 0 {
		return of(rune("\t\n\r\f\v\a\x1b"[at])), true
	}
	if r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
		fail(`\%c`, r)
	}
	return of(r), true
}

// ascii rejects \x80 to \xff, which are bytes.
func (p *parser) ascii(r rune) rune {
	if r >= utf8.RuneSelf {
		fail(`\x%x, a byte that is not a character (write \x{%x})`, r, r)
	}
	return r
}

func isHex(c byte) bool { return hexDigits.has(rune(c)) }

// digits reads a character's number of n digits.
func (p *parser) digits(sign string, n int) rune {
	if n == 0 || len(p.rest) < n {
		fail("%s without its digits", sign)
	}
	r := code(sign, p.rest[:n])
	p.rest = p.rest[n:]
	return r
}

// code parses a character's number.
func code(sign, text string) rune {
	value, err := strconv.ParseUint(text, 16, 32)
	if err != nil || !utf8.ValidRune(rune(value)) || value > unicode.MaxRune {
		fail("%s%s, which is not a character", sign, text)
	}
	return rune(value)
}

// property reads the {name} of a \p.
func (p *parser) property(not bool) set {
	inner, rest, ok := strings.Cut(p.rest, "}")
	if !ok || !strings.HasPrefix(inner, "{") {
		fail(`\p without braces`)
	}
	p.rest = rest
	name, negative := strings.CutPrefix(inner[1:], "^")
	s, err := named(name)
	if err != nil {
		fail("%w", err)
	}
	if negative != not {
		s = s.not()
	}
	return s
}

// class reads a bracketed class, after its first bracket.
func (p *parser) class() *node {
	s, negative := p.members()
	if !p.anyCase {
		if negative {
			s = s.not()
		}
		return &node{set: s}
	}
	s = s.anyCase()
	if negative {
		return &node{set: s.not()}
	}
	n := &node{set: s, closed: true}
	for letter, fold := range longFolds() {
		if s.has(letter) {
			n.refused = fmt.Sprintf("a class with %q in any case, which %q is, too", letter, fold)
			n.closed = n.closed && !strings.ContainsFunc(fold, func(r rune) bool { return !s.has(r) })
		}
	}
	return n
}

// members reads a class up to its closing bracket.
func (p *parser) members() (s set, negative bool) {
	defer p.deeper()()
	negative = p.take("^")
	var both []set // sets to the left of an &&
	first := true
	for ; ; first = false {
		switch {
		case p.rest == "":
			fail("a [ that is not closed")
		case p.rest[0] == ']' && !first:
			p.rest = p.rest[1:]
			for _, other := range both {
				s = s.and(other)
			}
			return s, negative
		case p.rest[0] == ']':
			if !strings.Contains(p.rest[1:], "]") {
				fail("an empty class")
			}
		case p.take("&&"):
			both, s = append(both, s), nil
			continue
		}
		s = s.or(p.member())
	}
}

// member reads a character, a range or a set within brackets.
func (p *parser) member() set {
	s, single := p.one()
	if !strings.HasPrefix(p.rest, "-") || strings.HasPrefix(p.rest, "-]") {
		return s
	}
	if !single {
		fail("a range that begins with a set")
	}
	if strings.HasPrefix(p.rest, "-&&") {
		return s // the - is a member
	}
	p.rest = p.rest[1:]
	end, ok := p.one()
	if !ok {
		fail("a range that ends with a set")
	}
	low, high := s[0].lo, end[0].lo
	if high < low {
		fail("the range %c-%c, which is empty", low, high)
	}
	if strings.HasPrefix(p.rest, "-") && !strings.HasPrefix(p.rest, "-]") {
		p.rest = p.rest[1:]
		return set{{low, high}}.or(of('-'))
	}
	return set{{low, high}}
}

// one reads a character or a set within brackets.
func (p *parser) one() (s set, single bool) {
	switch {
	case p.take("[:"):
		name, rest, ok := strings.Cut(p.rest, ":]")
		name, negative := strings.CutPrefix(name, "^")
		s, known := posix(name)
		if !ok || !known {
			fail("[:%s:], which is not a class of POSIX", name)
		}
		p.rest = rest
		if negative {
			s = s.not()
		}
		return s, false
	case p.take("["):
		s, negative := p.members()
		if negative {
			s = s.not()
		}
		return s, false
	case p.take(`\`):
		return p.escaped(true)
	}
	return of(p.next("a [ that is not closed")), true
}

// mayBeEmpty reports whether a part can match without taking a character.
func (n *node) mayBeEmpty() bool {
	switch n.kind {
	case one:
		return false
	case sequence:
		return !slices.ContainsFunc(n.parts, func(p *node) bool { return !p.mayBeEmpty() })
	case choice:
		return slices.ContainsFunc(n.parts, (*node).mayBeEmpty)
	case repeat:
		return n.min == 0 || n.parts[0].mayBeEmpty()
	case atomic:
		return n.parts[0].mayBeEmpty()
	}
	return true
}
