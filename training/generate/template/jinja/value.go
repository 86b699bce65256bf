package jinja

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Values of templates are nil (None), bool, int, float64, string, []any, *Dict,
// function, and undefined.

// Dict is a mapping that keeps the order of its keys.
type Dict struct {
	keys   []string
	values map[string]any
	space  bool // made by namespace(): templates may set its values
}

// NewDict is a mapping of pairs, keys and values in turn.
func NewDict(pairs ...any) *Dict {
	d := &Dict{values: map[string]any{}}
	for i := 0; i+1 < len(pairs); i += 2 {
		d.set(pairs[i].(string), pairs[i+1])
	}
	return d
}

func (d *Dict) set(key string, value any) {
	if _, ok := d.values[key]; !ok {
		d.keys = append(d.keys, key)
	}
	d.values[key] = value
}

// undefined is the value of what does not exist.
type undefined string // what it is called

func (u undefined) err() error { return fmt.Errorf("%s is undefined", string(u)) }

// function is what can be called.
type function func(r *run, args []any, named map[string]any) (any, error)

// truth is bool(v) of Python.
func truth(v any) bool {
	switch v := v.(type) {
	case nil, undefined:
		return false
	case bool:
		return v
	case int:
		return v != 0
	case float64:
		return v != 0
	case string:
		return v != ""
	case []any:
		return len(v) > 0
	case *Dict:
		return len(v.keys) > 0
	}
	return true
}

// typeName names the type of a value in errors.
func typeName(v any) string {
	switch v := v.(type) {
	case nil:
		return "none"
	case undefined:
		return string(v) + ", which is undefined,"
	case []any:
		return "a list"
	case *Dict:
		return "a mapping"
	case function:
		return "a function"
	case string:
		return "a string"
	}
	return "a " + reflect.TypeOf(v).String()
}

// write is str(v) of Python, of values that templates write.
func write(v any) (string, error) {
	switch v := v.(type) {
	case undefined:
		return "", nil
	case nil:
		return "None", nil
	case bool:
		if v {
			return "True", nil
		}
		return "False", nil
	case int:
		return strconv.Itoa(v), nil
	case float64:
		s := strconv.FormatFloat(v, 'g', -1, 64)
		if !strings.ContainsAny(s, ".eIN") {
			s += ".0"
		}
		return s, nil
	case string:
		return v, nil
	}
	return "", fmt.Errorf("%s cannot be written as a text", typeName(v))
}

// numeric is a value as a number.
func numeric(v any) (float64, bool) {
	switch v := v.(type) {
	case int:
		return float64(v), true
	case float64:
		return v, true
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	}
	return 0, false
}

// equal is a == b of Python.
func equal(a, b any) bool {
	x, xok := numeric(a)
	y, yok := numeric(b)
	if xok && yok {
		return x == y
	}
	switch a := a.(type) {
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, equal)
	case *Dict:
		b, ok := b.(*Dict)
		if !ok || len(a.keys) != len(b.keys) {
			return false
		}
		for key, value := range a.values {
			if other, ok := b.values[key]; !ok || !equal(value, other) {
				return false
			}
		}
		return true
	case undefined:
		_, ok := b.(undefined)
		return ok
	case function:
		return false
	}
	switch b.(type) {
	case []any, *Dict, function, undefined:
		return false
	}
	return a == b
}

// less orders numbers and strings.
func less(a, b any) (bool, error) {
	x, xok := numeric(a)
	y, yok := numeric(b)
	if xok && yok {
		return x < y, nil
	}
	s, sok := a.(string)
	t, tok := b.(string)
	if sok && tok {
		return s < t, nil
	}
	return false, fmt.Errorf("%s and %s have no order", typeName(a), typeName(b))
}
