package jinja

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// attribute is v.word: a method, or a value of a mapping.
func attribute(v any, word string) (any, error) {
	switch v := v.(type) {
	case undefined:
		return nil, v.err()
	case string:
		f, err := known("method of a text", word, textMethods)
		if err != nil {
			return nil, err
		}
		return function(func(_ *run, args []any, _ map[string]any) (any, error) {
			out, err := f(v, args)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", word, err)
			}
			return out, nil
		}), nil
	case *Dict:
		if f := v.method(word); f != nil && !v.space {
			return f, nil
		}
	}
	return item(v, word)
}

// method is a method of a mapping; nil where there is none.
func (d *Dict) method(word string) any {
	list := func(items func() []any) any {
		return function(func(*run, []any, map[string]any) (any, error) { return items(), nil })
	}
	switch word {
	case "items":
		return list(d.pairs)
	case "keys":
		return list(func() []any { keys, _ := items(d); return keys })
	case "values":
		return list(func() []any {
			out := []any{}
			for _, key := range d.keys {
				out = append(out, d.values[key])
			}
			return out
		})
	case "get":
		return function(func(_ *run, args []any, _ map[string]any) (any, error) {
			if len(args) < 1 || len(args) > 2 {
				return nil, errors.New("get takes a key and a default")
			}
			v, err := item(d, args[0])
			if typed[undefined](v) {
				return argument(args, nil, 1, "", nil), err
			}
			return v, err
		})
	}
	return nil
}

// textMethod is a method of Python's str.
type textMethod func(s string, args []any) (any, error)

// textMethods are looked up whenever a template runs: they are built once.
var textMethods = buildTextMethods()

func buildTextMethods() map[string]textMethod {
	plain := func(f func(string) string) textMethod {
		return func(s string, args []any) (any, error) {
			if len(args) > 0 {
				return nil, errors.New("takes no arguments")
			}
			return f(s), nil
		}
	}
	ends := func(f func(s, end string) bool) textMethod {
		return func(s string, args []any) (any, error) {
			list := args
			if len(args) == 1 && typed[[]any](args[0]) {
				list = args[0].([]any)
			}
			words, err := texts(list, len(list))
			return slices.ContainsFunc(words, func(w string) bool { return f(s, w) }), err
		}
	}
	return map[string]textMethod{
		"capitalize": plain(capitalize),
		"count":      func(s string, args []any) (any, error) { w, err := texts(args, 1); return count(s, w), err },
		"endswith":   ends(strings.HasSuffix),
		"find":       func(s string, args []any) (any, error) { w, err := texts(args, 1); return find(s, w), err },
		"lower":      plain(strings.ToLower),
		"lstrip":     stripped(true, false),
		"replace":    replace,
		"rstrip":     stripped(false, true),
		"split":      split,
		"splitlines": plainLines,
		"startswith": ends(strings.HasPrefix),
		"strip":      stripped(true, true),
		"title":      plain(title),
		"upper":      plain(strings.ToUpper),
	}
}

// texts are arguments that are all texts, as many as are wanted.
func texts(args []any, want int) ([]string, error) {
	if len(args) != want {
		return make([]string, want), fmt.Errorf("takes %d arguments, not %d", want, len(args))
	}
	out := make([]string, len(args))
	for i, a := range args {
		s, ok := a.(string)
		if !ok {
			return out, fmt.Errorf("%s where a text is wanted", typeName(a))
		}
		out[i] = s
	}
	return out, nil
}

func count(s string, words []string) int {
	return strings.Count(s, words[0])
}

// find is where a text is first, in characters; -1: nowhere.
func find(s string, words []string) int {
	at := strings.Index(s, words[0])
	if at < 0 {
		return at
	}
	return utf8.RuneCountInString(s[:at])
}

// stripped takes white space, or the characters of an argument, from the ends.
func stripped(left, right bool) textMethod {
	return func(s string, args []any) (any, error) {
		goes := isSpace
		if len(args) > 0 && args[0] != nil {
			chars, err := texts(args, 1)
			if err != nil {
				return nil, err
			}
			goes = func(r rune) bool { return strings.ContainsRune(chars[0], r) }
		}
		if left {
			s = strings.TrimLeftFunc(s, goes)
		}
		if right {
			s = strings.TrimRightFunc(s, goes)
		}
		return s, nil
	}
}

// isSpace is Python's str.isspace, which has four separators of files more than Unicode.
func isSpace(r rune) bool { return unicode.IsSpace(r) || 0x1c <= r && r <= 0x1f }

func replace(s string, args []any) (any, error) {
	most := -1
	if len(args) == 3 {
		n, ok := args[2].(int)
		if !ok {
			return nil, fmt.Errorf("%s where a number is wanted", typeName(args[2]))
		}
		most, args = n, args[:2]
	}
	words, err := texts(args, 2)
	if err != nil {
		return nil, err
	}
	if n := strings.Count(s, words[0]); len(words[1]) > 0 && n > MaxText/len(words[1]) {
		return nil, errTooLong
	}
	return strings.Replace(s, words[0], words[1], most), nil
}

// split cuts at a text, or at white space without one, at most so often.
func split(s string, args []any) (any, error) {
	most := -1
	if len(args) == 2 {
		n, ok := args[1].(int)
		if !ok {
			return nil, fmt.Errorf("%s where a number is wanted", typeName(args[1]))
		}
		most, args = n, args[:1]
	}
	if len(args) == 0 || args[0] == nil {
		if most >= 0 {
			return nil, errors.New("at white space, so often, is not known")
		}
		return listOfTexts(strings.FieldsFunc(s, isSpace)), nil
	}
	words, err := texts(args, 1)
	if err == nil && words[0] == "" {
		err = errors.New("an empty separator")
	}
	if err != nil {
		return nil, err
	}
	if most >= 0 {
		most++
	}
	return listOfTexts(strings.SplitN(s, words[0], most)), nil
}

func plainLines(s string, _ []any) (any, error) {
	s = strings.TrimSuffix(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
	if s == "" {
		return []any{}, nil
	}
	return listOfTexts(strings.Split(s, "\n")), nil
}

func listOfTexts(texts []string) []any {
	out := make([]any, len(texts))
	for i, s := range texts {
		out[i] = s
	}
	return out
}
