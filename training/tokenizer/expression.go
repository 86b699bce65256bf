package tokenizer

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// expression finds the matches of a regular expression of a tokenizer.json, which
// is written for Oniguruma, with Go's regexp. What means something else to Go is
// spelled out (\s and \w are ASCII there), what Go has not is refused, but for the
// end of all byte-level expressions, \s+(?!\S)|\s+.
type expression struct {
	re     *regexp.Regexp
	blanks int // group of the white space before a word, whose last character is the word's; 0: none
}

// blanksBeforeWord matches white space up to, if anything follows, its last
// character but one; that one goes with the word, or alone.
const blanksBeforeWord = `\s+(?!\S)|\s+`

// The classes of Oniguruma's \s and \w, without brackets. Its \w is what is
// alphabetic, marks, decimal digits and connectors, and, but for within a class,
// Latin-1's superscripts and fractions.
const (
	spaceClass = `\t-\r\x{85}\p{Z}`
	wordClass  = `\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}\x{24b6}-\x{24e9}\x{1f130}-\x{1f149}\x{1f150}-\x{1f169}\x{1f170}-\x{1f189}`
	wordAlone  = wordClass + `\x{b2}\x{b3}\x{b9}\x{bc}-\x{be}`
)

// compile reads an expression; one that could match nothing is refused too, since
// libraries differ in where an empty match is.
func compile(text string) (expression, error) {
	body, idiom := strings.CutSuffix(text, blanksBeforeWord)
	if idiom && body != "" && !strings.HasSuffix(body, "|") {
		body, idiom = text, false
	}
	translated, err := translate(body, idiom)
	if err != nil {
		return expression{}, fmt.Errorf("pattern %q is not supported: %w", text, err)
	}
	if idiom {
		translated += "(?P<blanks>[" + spaceClass + "]+)"
	}
	re, err := regexp.Compile("(?m)" + translated) // Ruby's ^ and $ are those of lines
	if err != nil {
		return expression{}, fmt.Errorf("pattern %q is not supported: %w", text, err)
	}
	if re.MatchString("") {
		return expression{}, fmt.Errorf("pattern %q is not supported: it matches the empty text", text)
	}
	return expression{re, max(0, re.SubexpIndex("blanks"))}, nil
}

// matches returns the bounds of all matches, in order.
func (e expression) matches(text string) [][]int {
	if e.blanks == 0 {
		return e.re.FindAllStringIndex(text, -1)
	}
	var found [][]int
	for from := 0; from < len(text); {
		m := e.re.FindStringSubmatchIndex(text[from:])
		if m == nil {
			break
		}
		start, end := from+m[0], from+m[1]
		if m[2*e.blanks] >= 0 && end < len(text) {
			if _, last := utf8.DecodeLastRuneInString(text[start:end]); end-last > start {
				end -= last
			}
		}
		found = append(found, []int{start, end})
		from = end
	}
	return found
}

// replace puts content in the place of every match.
func (e expression) replace(text, content string) string {
	found := e.matches(text)
	if len(found) == 0 {
		return text
	}
	var b strings.Builder
	done := 0
	for _, m := range found {
		b.WriteString(text[done:m[0]])
		b.WriteString(content)
		done = m[1]
	}
	b.WriteString(text[done:])
	return b.String()
}

// translator copies an expression, spelling it as Go does.
type translator struct {
	out   strings.Builder
	rest  string
	class int  // depth of [ and ]
	alone bool // what stands around a match must not count
}

// translate spells an expression as Go does. alone says that matches are searched
// for in what is left of a text.
func translate(text string, alone bool) (string, error) {
	t := &translator{rest: text, alone: alone}
	for t.rest != "" {
		if err := t.step(); err != nil {
			return "", err
		}
	}
	return t.out.String(), nil
}

// take copies n bytes as they are.
func (t *translator) take(n int) {
	t.out.WriteString(t.rest[:n])
	t.rest = t.rest[n:]
}

// put writes a spelling in place of n bytes.
func (t *translator) put(n int, spelling string) {
	t.out.WriteString(spelling)
	t.rest = t.rest[n:]
}

// step translates what comes next.
func (t *translator) step() error {
	c := t.rest[0]
	switch {
	case c == '\\':
		return t.escape()
	case t.class > 0:
		return t.member()
	case c == '[':
		return t.open()
	case c == '(' && strings.HasPrefix(t.rest, "(?") && !strings.HasPrefix(t.rest, "(?:") && !strings.HasPrefix(t.rest, "(?i:"):
		return errors.New("groups that look around, have names or set flags")
	case strings.ContainsRune("*+?}", rune(c)) && len(t.rest) > 1 && (t.rest[1] == '+' || c == '}' && t.rest[1] == '?'):
		return errors.New("possessive repetition")
	case strings.HasPrefix(t.rest, "{,"):
		return errors.New("repetition without a lower bound")
	case (c == '^' || c == '$') && t.alone:
		return errors.New("anchors beside a look ahead")
	}
	t.take(1)
	return nil
}

// open begins a class.
func (t *translator) open() error {
	t.class = 1
	t.take(1)
	if strings.HasPrefix(t.rest, "^") {
		t.take(1)
	}
	if strings.HasPrefix(t.rest, "]") {
		return errors.New("a class that begins with ]")
	}
	return nil
}

// member copies a character of a class.
func (t *translator) member() error {
	switch {
	case strings.HasPrefix(t.rest, "[:"), strings.HasPrefix(t.rest, "[^"), strings.HasPrefix(t.rest, "[]"):
		return errors.New("a class within a class that is not a plain one")
	case strings.HasPrefix(t.rest, "&&"):
		return errors.New("intersection of classes")
	case t.rest[0] == '[': // a union: Go knows no brackets there
		t.class++
		t.put(1, "")
		return nil
	case t.rest[0] == ']':
		if t.class--; t.class > 0 {
			t.put(1, "")
			return nil
		}
	}
	t.take(1)
	return nil
}

// escape translates a backslash and what follows.
func (t *translator) escape() error {
	if len(t.rest) < 2 {
		return errors.New("a backslash at the end")
	}
	within := t.class > 0
	switch c := t.rest[1]; c {
	case 's', 'w':
		t.put(2, classOf(c, within))
	case 'd':
		t.put(2, `\p{Nd}`)
	case 'D':
		t.put(2, `\P{Nd}`)
	case 'S', 'W':
		if within {
			return fmt.Errorf(`\%c within a class`, c)
		}
		t.put(2, "[^"+classOf(c|0x20, false)[1:])
	case 'u':
		if len(t.rest) < 6 {
			return errors.New(`\u without four digits`)
		}
		t.put(6, `\x{`+t.rest[2:6]+"}")
	case 'x':
		if !strings.HasPrefix(t.rest, `\x{`) {
			return errors.New(`\x without braces`)
		}
		t.take(3)
	case 'p', 'P':
		end := strings.IndexByte(t.rest, '}')
		if !strings.HasPrefix(t.rest[2:], "{") || end < 0 {
			return errors.New(`\p without braces`)
		}
		t.take(end + 1)
	case 'n', 'r', 't', 'f', 'v':
		t.take(2)
	default:
		if c >= utf8.RuneSelf || isASCIILetterOrDigit(c) {
			r, _ := utf8.DecodeRuneInString(t.rest[1:])
			return fmt.Errorf(`\%c`, r)
		}
		t.take(2)
	}
	return nil
}

// classOf spells \s or \w, within a class or as one.
func classOf(c byte, within bool) string {
	switch {
	case c == 's' && within:
		return spaceClass
	case c == 's':
		return "[" + spaceClass + "]"
	case within:
		return wordClass
	}
	return "[" + wordAlone + "]"
}

func isASCIILetterOrDigit(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}
