package encoder

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// modules are layers as PEFT names them: by the ends of their names, or by one expression for the
// full name. The zero value names no layer.
type modules struct {
	names   []string
	text    string // the expression
	pattern *regexp.Regexp
	all     bool // all linear layers
}

// UnmarshalJSON reads a list of names, an expression, "all-linear", or null.
func (m *modules) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, &m.names) == nil {
		return nil
	}
	err := json.Unmarshal(data, &m.text)
	m.all = strings.EqualFold(m.text, "all-linear")
	return err
}

// compile prepares the expression.
func (m *modules) compile() (err error) {
	if m.text != "" && !m.all {
		m.pattern, err = pythonExpression("^(?:%s)$", m.text)
	}
	return err
}

// none reports whether no layer is meant.
func (m *modules) none() bool { return len(m.names) == 0 && m.text == "" }

// has reports whether a layer of that full name is meant.
func (m *modules) has(module string) bool {
	return m.all || m.pattern != nil && m.pattern.MatchString(module) ||
		slices.ContainsFunc(m.names, func(name string) bool { return inModule(module, name) })
}

// oneOrMore is a list; a file may write a single element without the list.
type oneOrMore[V any] []V

// UnmarshalJSON reads a list, an element, or null.
func (l *oneOrMore[V]) UnmarshalJSON(data []byte) error {
	var list []V
	if json.Unmarshal(data, &list) == nil {
		*l = list
		return nil
	}
	var one V
	if err := json.Unmarshal(data, &one); err != nil {
		return err
	}
	*l = oneOrMore[V]{one}
	return nil
}

// patterns assign values to layers by expressions for the ends of their names, in the order of
// the file: the first match counts (PEFT's get_pattern_key).
type patterns[V any] []pattern[V]

type pattern[V any] struct {
	key        string
	expression *regexp.Regexp
	value      V
}

// UnmarshalJSON reads an object in its order, or null. A key that occurs twice has its first
// place and its last value, as in Python.
func (p *patterns[V]) UnmarshalJSON(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	switch start, err := d.Token(); {
	case err != nil || start == nil:
		return err
	case start != json.Delim('{'):
		return fmt.Errorf("want an object of names and values, found %s", data)
	}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return err
		}
		key, _ := token.(string) // keys of objects are strings
		var value V
		if err := d.Decode(&value); err != nil {
			return fmt.Errorf("key %q: %w", key, err)
		}
		if i := slices.IndexFunc(*p, func(known pattern[V]) bool { return known.key == key }); i >= 0 {
			(*p)[i].value = value
			continue
		}
		*p = append(*p, pattern[V]{key: key, value: value})
	}
	return nil
}

// compile prepares the expressions.
func (p patterns[V]) compile() error {
	for i, known := range p {
		var err error
		if p[i].expression, err = pythonExpression(`^(?:(?:.*\.)?(?:%s)$)`, known.key); err != nil {
			return fmt.Errorf("%q: %w", known.key, err)
		}
	}
	return nil
}

// of returns the value for a layer, or else fallback.
func (p patterns[V]) of(module string, fallback V) V {
	for _, known := range p {
		if known.expression.MatchString(module) {
			return known.value
		}
	}
	return fallback
}

// pythonExpression compiles an expression of Python's re, inserted at %s. It translates syntax
// that Go interprets differently, and returns an error for syntax that Go lacks.
func pythonExpression(format, text string) (*regexp.Regexp, error) {
	translated, err := fromPython(text, strings.HasPrefix(format, "^(?:%s"))
	if err != nil {
		return nil, err
	}
	expression, err := regexp.Compile(fmt.Sprintf(format, translated))
	if err != nil {
		return nil, fmt.Errorf("%w: write it without look-around, references and possessive repetition, or list the layers' names", err)
	}
	return expression, nil
}

// Syntax that Python's re interprets differently from Go's regexp.
var (
	// openRepetition is literal text in Go.
	openRepetition = regexp.MustCompile(`^\{,\d*\}`)
	// globalFlags are an error in Python except at the start.
	globalFlags = regexp.MustCompile(`^\(\?[aiLmsux]+\)`)
)

// fromPython translates syntax that the two languages interpret differently, and rejects
// expressions that Python rejects. Flags are only allowed at the start of an expression; text may
// be an inner part.
func fromPython(text string, isStart bool) (string, error) {
	var b strings.Builder
	class := 0 // bytes since a class was opened, 0 outside
	for i := 0; i < len(text); i++ {
		rest := text[i:]
		if class > 0 {
			class++
		}
		switch {
		case rest[0] == '\\' && len(rest) > 1:
			if strings.IndexByte("CEGHKLMPQXcghiklpqyz", rest[1]) >= 0 {
				return "", fmt.Errorf("bad escape %s", rest[:2])
			}
			i++
			b.WriteString(strings.Replace(rest[:2], "Z", "z", 1))
			continue
		case class > 0 && rest[0] == '[': // Python has no [:alpha:]
			b.WriteByte('\\')
		case class > 2 && rest[0] == ']':
			class = 0
		case class == 0 && rest[0] == '[':
			class = 1
			if strings.HasPrefix(rest, "[^") {
				i++
				b.WriteByte('[')
			}
		case class == 0 && openRepetition.MatchString(rest):
			i++
			b.WriteString("{0,")
			continue
		case class == 0 && (i > 0 || !isStart) && globalFlags.MatchString(rest):
			return "", errors.New("global flags are not at its start")
		}
		b.WriteByte(text[i])
	}
	return b.String(), nil
}
