package jinja

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"infbench/metrics/nearest"
)

// filter makes a value of another; a test is a filter that gives a truth.
type filter func(r *run, v any, args []any, named map[string]any) (any, error)

func filterOf(word string) (filter, error) { return known("filter", word, filters()) }

// known is the function of a name.
func known[F any](kind, word string, all map[string]F) (F, error) {
	f, ok := all[word]
	if !ok {
		return f, nearest.Unknown(kind, word, slices.Sorted(maps.Keys(all)))
	}
	return f, nil
}

// argument is the i-th argument or the one of a name, or else the usual value.
func argument(args []any, named map[string]any, i int, word string, usual any) any {
	if i < len(args) {
		return args[i]
	}
	if v, ok := named[word]; ok {
		return v
	}
	return usual
}

// onText is a filter that is a function of a text.
func onText(f func(string) string) filter {
	return func(_ *run, v any, _ []any, _ map[string]any) (any, error) {
		s, err := write(v)
		return f(s), err
	}
}

// onList is a filter that is a function of items.
func onList(f func([]any) any) filter {
	return func(_ *run, v any, _ []any, _ map[string]any) (any, error) {
		list, err := items(v)
		return f(list), err
	}
}

// onMethod is a filter that is a method of texts.
func onMethod(word string) filter {
	return func(_ *run, v any, args []any, _ map[string]any) (any, error) {
		s, err := write(v)
		if err != nil {
			return nil, err
		}
		return textMethods[word](s, args)
	}
}

func filters() map[string]filter {
	return map[string]filter{
		"abs":        absolute,
		"capitalize": onText(capitalize),
		"count":      length,
		"d":          defaulted,
		"default":    defaulted,
		"first":      onList(func(l []any) any { return end0(l, 0) }),
		"float":      toFloat,
		"indent":     indent,
		"int":        toInt,
		"items":      toItems,
		"join":       join,
		"last":       onList(func(l []any) any { return end0(l, len(l)-1) }),
		"length":     length,
		"list":       onList(func(l []any) any { return append([]any{}, l...) }),
		"lower":      onText(strings.ToLower),
		"map":        mapped,
		"reject":     selected(false, false),
		"rejectattr": selected(true, false),
		"replace":    onMethod("replace"),
		"reverse":    reverse,
		"safe":       onText(func(s string) string { return s }),
		"select":     selected(false, true),
		"selectattr": selected(true, true),
		"string":     onText(func(s string) string { return s }),
		"title":      onText(titleWords),
		"tojson":     tojson,
		"trim":       onMethod("strip"),
		"unique":     onList(unique),
		"upper":      onText(strings.ToUpper),
	}
}

// end0 is an item; undefined where there is none.
func end0(list []any, i int) any {
	if i < 0 || i >= len(list) {
		return undefined("an item of an empty list")
	}
	return list[i]
}

func capitalize(s string) string {
	_, n := utf8.DecodeRuneInString(s)
	return strings.ToUpper(s[:n]) + strings.ToLower(s[n:])
}

// titleWords begins every word with a capital; words end at white space, "-" and opening
// brackets.
func titleWords(s string) string {
	inside := false
	return strings.Map(func(r rune) rune {
		first := !inside
		inside = !isSpace(r) && !strings.ContainsRune("-({[<", r)
		if first {
			return unicode.ToUpper(r)
		}
		return unicode.ToLower(r)
	}, s)
}

// title is Python's str.title: every letter after none is a capital.
func title(s string) string {
	before := ' '
	return strings.Map(func(r rune) rune {
		inside := unicode.IsLetter(before)
		before = r
		if inside {
			return unicode.ToLower(r)
		}
		return unicode.ToTitle(r)
	}, s)
}

func unique(list []any) any {
	out := []any{}
	for _, x := range list {
		if !slices.ContainsFunc(out, func(y any) bool { return equal(x, y) }) {
			out = append(out, x)
		}
	}
	return out
}

func reverse(_ *run, v any, _ []any, _ map[string]any) (any, error) {
	return slice(v, [3]any{2: -1})
}

func length(_ *run, v any, _ []any, _ map[string]any) (any, error) {
	if s, ok := v.(string); ok {
		return utf8.RuneCountInString(s), nil
	}
	list, err := items(v)
	return len(list), err
}

func absolute(_ *run, v any, _ []any, _ map[string]any) (any, error) {
	switch v := v.(type) {
	case int:
		return max(v, -v), nil
	case float64:
		return max(v, -v), nil
	}
	return nil, fmt.Errorf("of %s", typeName(v))
}

// defaulted is a value, or another where it is undefined (with true: where it is false).
func defaulted(_ *run, v any, args []any, named map[string]any) (any, error) {
	_, missing := v.(undefined)
	if missing || truth(argument(args, named, 1, "boolean", false)) && !truth(v) {
		return argument(args, named, 0, "default_value", ""), nil
	}
	return v, nil
}

func toInt(_ *run, v any, args []any, named map[string]any) (any, error) {
	if f, ok := parsed(v); ok {
		return int(f), nil
	}
	return argument(args, named, 0, "default", 0), nil
}

func toFloat(_ *run, v any, args []any, named map[string]any) (any, error) {
	if f, ok := parsed(v); ok {
		return f, nil
	}
	return argument(args, named, 0, "default", 0.0), nil
}

// parsed is a value as a number, that of a text what it says.
func parsed(v any) (float64, bool) {
	if s, ok := v.(string); ok {
		f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
		return f, err == nil
	}
	return numeric(v)
}

func toItems(_ *run, v any, _ []any, _ map[string]any) (any, error) {
	switch v := v.(type) {
	case undefined:
		return []any{}, nil
	case *Dict:
		return v.pairs(), nil
	}
	return nil, fmt.Errorf("of %s", typeName(v))
}

func join(_ *run, v any, args []any, named map[string]any) (any, error) {
	list, err := items(v)
	if err != nil {
		return nil, err
	}
	between, err := write(argument(args, named, 0, "d", ""))
	if err != nil {
		return nil, err
	}
	key := argument(args, named, 1, "attribute", nil)
	parts, size := make([]string, len(list)), 0
	for i, x := range list {
		if key != nil {
			if x, err = item(x, key); err != nil {
				return nil, err
			}
		}
		if parts[i], err = write(x); err != nil {
			return nil, err
		}
		if size += len(parts[i]) + len(between); size > MaxText {
			return nil, errTooLong
		}
	}
	return strings.Join(parts, between), nil
}

// indent puts blanks before the lines but the first.
func indent(_ *run, v any, args []any, named map[string]any) (any, error) {
	s, err := write(v)
	if err != nil {
		return nil, err
	}
	blank, ok := argument(args, named, 0, "width", 4).(string)
	if n, isInt := argument(args, named, 0, "width", 4).(int); isInt && n >= 0 && n <= 100 {
		blank, ok = strings.Repeat(" ", n), true
	}
	if !ok {
		return nil, errors.New("a width that is neither a text nor a number up to 100")
	}
	lines := strings.Split(s, "\n")
	for i := range lines {
		first := i == 0 && !truth(argument(args, named, 1, "first", false))
		empty := lines[i] == "" && !truth(argument(args, named, 2, "blank", false)) && i > 0
		if !first && !empty {
			lines[i] = blank + lines[i]
		}
	}
	return strings.Join(lines, "\n"), nil
}

// tojson is transformers' tojson: Python's json.dumps without escapes of its own.
func tojson(_ *run, v any, args []any, named map[string]any) (any, error) {
	width := -1
	switch n := argument(args, named, 1, "indent", nil).(type) {
	case nil:
	case int:
		width = max(0, min(n, 100))
	default:
		return nil, fmt.Errorf("an indent of %s", typeName(n))
	}
	return dumps(v, width, 0)
}

// mapped is an attribute of each item, or a filter of each.
func mapped(r *run, v any, args []any, named map[string]any) (any, error) {
	list, err := items(v)
	if err != nil {
		return nil, err
	}
	each := func(x any) (any, error) {
		y, err := item(x, named["attribute"])
		if _, missing := y.(undefined); missing {
			if usual, ok := named["default"]; ok {
				return usual, err
			}
		}
		return y, err
	}
	if named["attribute"] == nil {
		word, ok := argument(args, named, 0, "", "").(string)
		f, err := filterOf(word)
		if !ok || err != nil {
			return nil, errors.Join(errors.New("neither an attribute nor a filter"), err)
		}
		each = func(x any) (any, error) { return f(r, x, args[1:], nil) }
	}
	out := make([]any, len(list))
	for i, x := range list {
		if out[i], err = each(x); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// selected keeps the items that pass a test, or fail it; of each item, or of an
// attribute. Without a test it is that of truth.
func selected(byAttribute, passing bool) filter {
	return func(r *run, v any, args []any, _ map[string]any) (any, error) {
		list, err := items(v)
		if err != nil {
			return nil, err
		}
		var key any
		if byAttribute {
			if len(args) == 0 {
				return nil, errors.New("no attribute")
			}
			key, args = args[0], args[1:]
		}
		test := filter(func(_ *run, v any, _ []any, _ map[string]any) (any, error) { return truth(v), nil })
		if len(args) > 0 {
			word, _ := args[0].(string)
			if test, err = testOf(word); err != nil {
				return nil, err
			}
			args = args[1:]
		}
		out := []any{}
		for _, x := range list {
			y := x
			if byAttribute {
				if y, err = item(x, key); err != nil {
					return nil, err
				}
			}
			ok, err := test(r, y, args, nil)
			if err != nil {
				return nil, err
			}
			if truth(ok) == passing {
				out = append(out, x)
			}
		}
		return out, nil
	}
}
