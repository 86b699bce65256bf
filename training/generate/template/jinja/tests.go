package jinja

import "fmt"

func testOf(word string) (filter, error) { return known("test", word, tests()) }

// is makes a test of a function of a value.
func is(f func(v any) bool) filter {
	return func(_ *run, v any, _ []any, _ map[string]any) (any, error) { return f(v), nil }
}

// compared makes a test of an operator.
func compared(op string) filter {
	return func(_ *run, v any, args []any, _ map[string]any) (any, error) {
		if len(args) != 1 {
			return nil, fmt.Errorf("%d values to compare with, want 1", len(args))
		}
		return holds(op, v, args[0])
	}
}

func typed[T any](v any) bool { _, ok := v.(T); return ok }

func tests() map[string]filter {
	isList := func(v any) bool { return typed[[]any](v) || typed[string](v) || typed[*Dict](v) }
	odd := func(rest int) filter { return is(func(v any) bool { n, ok := v.(int); return ok && n&1 == rest }) }
	return map[string]filter{
		"==": compared("=="), "eq": compared("=="), "equalto": compared("=="), "sameas": compared("=="),
		"!=": compared("!="), "ne": compared("!="),
		"<": compared("<"), "lt": compared("<"), "lessthan": compared("<"), "le": compared("<="),
		">": compared(">"), "gt": compared(">"), "greaterthan": compared(">"), "ge": compared(">="),
		"in":        compared("in"),
		"boolean":   is(typed[bool]),
		"callable":  is(typed[function]),
		"defined":   is(func(v any) bool { return !typed[undefined](v) }),
		"even":      odd(0),
		"false":     is(func(v any) bool { b, ok := v.(bool); return ok && !b }),
		"float":     is(typed[float64]),
		"integer":   is(typed[int]),
		"iterable":  is(func(v any) bool { return isList(v) || typed[undefined](v) }),
		"mapping":   is(typed[*Dict]),
		"none":      is(func(v any) bool { return v == nil }),
		"number":    is(func(v any) bool { _, ok := numeric(v); return ok }),
		"odd":       odd(1),
		"sequence":  is(func(v any) bool { return isList(v) || typed[undefined](v) }),
		"string":    is(typed[string]),
		"true":      is(func(v any) bool { b, ok := v.(bool); return ok && b }),
		"undefined": is(typed[undefined]),
	}
}
