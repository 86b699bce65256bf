package jinja

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind is what a token is.
type kind int

const (
	text     kind = iota // outside of tags
	name                 // of a variable, a filter, a keyword
	number               // whole
	fraction             // not whole
	str                  // a literal, its escapes read
	sign                 // an operator or bracket
	begin                // "{{" or "{%"
	end                  // "}}" or "%}"
)

// token is one word of a template.
type token struct {
	kind kind
	text string
	line int
}

// lexer cuts a template into tokens, with trim_blocks and lstrip_blocks set.
type lexer struct {
	source string
	at     int
	out    []token
	strip  bool // white space at the start of the text to come goes
	trim   bool // a line end there goes
	fresh  bool // that text begins a line

	counted, lines int // line ends before a place
}

func lex(source string) ([]token, error) {
	source = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(source)
	l := &lexer{source: strings.TrimSuffix(source, "\n"), fresh: true}
	for l.at < len(l.source) {
		open := l.nextTag()
		if open < 0 {
			l.addText(l.source[l.at:], "")
			break
		}
		l.addText(l.source[l.at:open], l.source[open:min(open+3, len(l.source))])
		l.at = open
		if err := l.tag(); err != nil {
			return nil, fmt.Errorf("line %d: %w", l.line(), err)
		}
	}
	return l.out, nil
}

// line is the number of the line where the lexer is; it only goes on.
func (l *lexer) line() int {
	l.lines += strings.Count(l.source[l.counted:l.at], "\n")
	l.counted = l.at
	return 1 + l.lines
}

func (l *lexer) add(k kind, text string) { l.out = append(l.out, token{k, text, l.line()}) }

// nextTag is where the next "{{", "{%" or "{#" is, -1: nowhere.
func (l *lexer) nextTag() int {
	for i := l.at; i+1 < len(l.source); i++ {
		if l.source[i] == '{' && strings.IndexByte("{%#", l.source[i+1]) >= 0 {
			return i
		}
	}
	return -1
}

// addText adds what stands before a tag, without the white space that this tag or the
// one before takes.
func (l *lexer) addText(s, tag string) {
	if l.trim {
		if rest, ok := strings.CutPrefix(s, "\n"); ok {
			s, l.fresh = rest, true
		}
	}
	if l.strip {
		s = strings.TrimLeftFunc(s, unicode.IsSpace)
	}
	switch {
	case len(tag) == 3 && tag[2] == '-':
		s = strings.TrimRightFunc(s, unicode.IsSpace)
	case len(tag) == 3 && tag[2] == '+', strings.HasPrefix(tag, "{{"), tag == "":
	default:
		start := strings.LastIndexByte(s, '\n') + 1
		if (start > 0 || l.fresh) && strings.TrimSpace(s[start:]) == "" {
			s = s[:start]
		}
	}
	l.strip, l.trim, l.fresh = false, false, false
	if s != "" {
		l.add(text, s)
	}
}

// tag reads a tag or a comment to its end.
func (l *lexer) tag() error {
	opener := l.source[l.at : l.at+2]
	l.at += 2
	if opener == "{#" {
		return l.comment()
	}
	closer := map[string]string{"{{": "}}", "{%": "%}"}[opener]
	if l.at < len(l.source) && strings.IndexByte("-+", l.source[l.at]) >= 0 {
		l.at++
	}
	l.add(begin, opener)
	from := len(l.out)
	for depth := 0; ; {
		l.at += len(l.source[l.at:]) - len(strings.TrimLeftFunc(l.source[l.at:], unicode.IsSpace))
		rest := l.source[l.at:]
		if rest == "" {
			return fmt.Errorf("no %s after %s", closer, opener)
		}
		if depth == 0 && l.closes(rest, closer) {
			break
		}
		if err := l.word(rest); err != nil {
			return err
		}
		if last := l.out[len(l.out)-1]; last.kind == sign && strings.Contains("([{", last.text) {
			depth++
		} else if last.kind == sign && strings.Contains(")]}", last.text) {
			depth--
		}
	}
	if words := l.out[from:]; len(words) == 2 && words[0].text == "raw" {
		return l.raw(from - 1)
	}
	return nil
}

// closes reads the end of a tag.
func (l *lexer) closes(rest, closer string) bool {
	plain := strings.TrimLeft(rest[:1], "-+") + rest[1:]
	if !strings.HasPrefix(plain, closer) {
		return false
	}
	l.ends(rest[0], closer == "%}")
	l.at += len(rest) - len(plain) + len(closer)
	l.add(end, closer)
	return true
}

// ends notes what the end of a tag, with a sign before it, does to the text after it.
func (l *lexer) ends(before byte, block bool) {
	l.strip, l.trim = before == '-', block && before != '+'
}

// comment skips "{# ... #}".
func (l *lexer) comment() error {
	length := strings.Index(l.source[l.at:], "#}")
	if length < 0 {
		return fmt.Errorf("no #} after {#")
	}
	before := byte(' ')
	if length > 0 {
		before = l.source[l.at+length-1]
	}
	l.ends(before, true)
	l.at += length + 2
	return nil
}

// endRaw ends what is text whatever it looks like.
var endRaw = []string{"{% endraw %}", "{%- endraw %}", "{% endraw -%}", "{%- endraw -%}"}

// raw adds the text up to the end of a raw section, whose tag goes.
func (l *lexer) raw(from int) error {
	l.out = l.out[:from]
	for _, tag := range endRaw {
		if body, _, ok := strings.Cut(l.source[l.at:], tag); ok {
			l.addText(body, tag[:3])
			l.at += len(body) + len(tag)
			l.ends(tag[len(tag)-3], true)
			return nil
		}
	}
	return fmt.Errorf("no {%% endraw %%}")
}

// word reads one token of a tag.
func (l *lexer) word(rest string) error {
	first, _ := utf8.DecodeRuneInString(rest)
	switch {
	case first == '\'' || first == '"':
		return l.literal(rest)
	case unicode.IsLetter(first) || first == '_':
		l.take(name, rest, func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) })
		return nil
	case first >= '0' && first <= '9':
		return l.number(rest)
	}
	for _, op := range []string{"**", "//", "==", "!=", "<=", ">="} {
		if strings.HasPrefix(rest, op) {
			l.add(sign, op)
			l.at += len(op)
			return nil
		}
	}
	if !strings.ContainsRune("+-*/%~<>=|.,:()[]{}", first) {
		return fmt.Errorf("unexpected %q", first)
	}
	l.add(sign, rest[:1])
	l.at++
	return nil
}

// take adds the characters at the start of rest that belong.
func (l *lexer) take(k kind, rest string, belongs func(rune) bool) string {
	word := rest[:len(rest)-len(strings.TrimLeftFunc(rest, belongs))]
	l.add(k, word)
	l.at += len(word)
	return word
}

// number reads digits, with a point and more digits where a fraction follows.
func (l *lexer) number(rest string) error {
	digits := func(r rune) bool { return r >= '0' && r <= '9' || r == '_' }
	whole := rest[:len(rest)-len(strings.TrimLeftFunc(rest, digits))]
	after := rest[len(whole):]
	if len(after) > 1 && after[0] == '.' && after[1] >= '0' && after[1] <= '9' {
		whole += "." + after[1:len(after)-len(strings.TrimLeftFunc(after[1:], digits))]
		l.add(fraction, whole)
	} else {
		l.add(number, whole)
	}
	l.at += len(whole)
	return nil
}

// literal reads a string with Python's escapes.
func (l *lexer) literal(rest string) error {
	var b strings.Builder
	quote := rest[0]
	for i := 1; i < len(rest); i++ {
		switch c := rest[i]; {
		case c == quote:
			l.add(str, b.String())
			l.at += i + 1
			return nil
		case c == '\\' && i+1 < len(rest):
			n, err := unescape(&b, rest[i:])
			if err != nil {
				return err
			}
			i += n - 1
		default:
			b.WriteByte(c)
		}
	}
	return fmt.Errorf("a string without end: %.20q", rest)
}

// unescape writes what the escape at the start of s stands for and returns its length.
func unescape(b *strings.Builder, s string) (int, error) {
	switch c := s[1]; c {
	case '\n': // the line goes on
		return 2, nil
	case 'n', 't', 'r', 'a', 'b', 'f', 'v', '0':
		b.WriteByte(map[byte]byte{'n': '\n', 't': '\t', 'r': '\r', 'a': 7, 'b': 8, 'f': 12, 'v': 11, '0': 0}[c])
		return 2, nil
	case '\\', '\'', '"':
		b.WriteByte(c)
		return 2, nil
	case 'x', 'u', 'U':
		n := 2 + map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
		if len(s) >= n {
			if r, err := strconv.ParseUint(s[2:n], 16, 32); err == nil {
				b.WriteRune(rune(r))
				return n, nil
			}
		}
		return 0, fmt.Errorf("a broken escape: %.10q", s)
	}
	b.WriteByte('\\') // as Python keeps unknown ones
	b.WriteByte(s[1])
	return 2, nil
}
