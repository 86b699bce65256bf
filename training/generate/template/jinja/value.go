package jinja

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
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

// contains is a in b of Python.
func contains(b, a any) (bool, error) {
	switch b := b.(type) {
	case string:
		if s, ok := a.(string); ok {
			return strings.Contains(b, s), nil
		}
	case []any:
		return slices.ContainsFunc(b, func(x any) bool { return equal(x, a) }), nil
	case *Dict:
		if s, ok := a.(string); ok {
			_, ok := b.values[s]
			return ok, nil
		}
		return false, nil
	case undefined:
		return false, nil
	}
	return false, fmt.Errorf("%s in %s", typeName(a), typeName(b))
}

// items are what a loop runs over.
func items(v any) ([]any, error) {
	switch v := v.(type) {
	case undefined:
		return nil, nil
	case []any:
		return v, nil
	case string:
		var list []any
		for _, r := range v {
			list = append(list, string(r))
		}
		return list, nil
	case *Dict:
		list := make([]any, len(v.keys))
		for i, key := range v.keys {
			list[i] = key
		}
		return list, nil
	}
	return nil, fmt.Errorf("%s has no items", typeName(v))
}

// pairs are the keys and values of a mapping.
func (d *Dict) pairs() []any {
	list := make([]any, len(d.keys))
	for i, key := range d.keys {
		list[i] = []any{key, d.values[key]}
	}
	return list
}

// item is v[key] of Python; undefined where there is none.
func item(v, key any) (any, error) {
	switch v := v.(type) {
	case undefined:
		return nil, v.err()
	case *Dict:
		if s, ok := key.(string); ok {
			if value, ok := v.values[s]; ok {
				return value, nil
			}
		}
	case []any, string:
		list, _ := items(v)
		if i, ok := key.(int); ok {
			if i < 0 {
				i += len(list)
			}
			if i >= 0 && i < len(list) {
				return list[i], nil
			}
		}
	}
	return undefined(fmt.Sprintf("%v of %s", key, typeName(v))), nil
}

// slice is v[from:to:step] of Python; nil bounds are left out.
func slice(v any, bounds [3]any) (any, error) {
	list, err := items(v)
	_, isMap := v.(*Dict)
	if err != nil || isMap {
		return nil, fmt.Errorf("%s cannot be sliced", typeName(v))
	}
	step := 1
	if n, ok := bounds[2].(int); ok {
		step = n
	}
	if step == 0 {
		return nil, errors.New("a slice of step 0")
	}
	low, high := 0, len(list)
	if step < 0 {
		low, high = -1, len(list)-1
	}
	at := func(bound any, usual int) int {
		n, ok := bound.(int)
		if !ok {
			return usual
		}
		if n < 0 {
			n += len(list)
		}
		return max(low, min(n, high))
	}
	first, last := at(bounds[0], low), at(bounds[1], high)
	if step < 0 {
		first, last = at(bounds[0], high), at(bounds[1], low)
	}
	out := []any{}
	for i := first; step > 0 && i < last || step < 0 && i > last; i += step {
		out = append(out, list[i])
	}
	if _, ok := v.(string); ok {
		var b strings.Builder
		for _, c := range out {
			b.WriteString(c.(string))
		}
		return b.String(), nil
	}
	return out, nil
}

// arithmetic is a op b of Python.
func arithmetic(op string, a, b any) (any, error) {
	if op == "~" {
		s, err := write(a)
		t, err2 := write(b)
		return s + t, errors.Join(err, err2)
	}
	x, xok := a.(int)
	y, yok := b.(int)
	if xok && yok {
		return whole(op, x, y)
	}
	f, fok := numeric(a)
	g, gok := numeric(b)
	if fok && gok {
		return fractional(op, f, g)
	}
	if op == "+" {
		switch a := a.(type) {
		case string:
			if b, ok := b.(string); ok {
				return a + b, nil
			}
		case []any:
			if b, ok := b.([]any); ok {
				return slices.Concat(a, b), nil
			}
		}
	}
	if s, ok := a.(string); op == "*" && ok && yok {
		if y > 0 && len(s) > MaxText/y {
			return nil, errTooLong
		}
		return strings.Repeat(s, max(0, y)), nil
	}
	return nil, fmt.Errorf("%s %s %s", typeName(a), op, typeName(b))
}

// whole computes with integers, rounding down as Python.
func whole(op string, x, y int) (any, error) {
	switch op {
	case "+":
		return x + y, nil
	case "-":
		return x - y, nil
	case "*":
		return x * y, nil
	case "**":
		return int(math.Pow(float64(x), float64(y))), nil
	}
	if y == 0 {
		return nil, errors.New("division by zero")
	}
	down := int(math.Floor(float64(x) / float64(y)))
	switch op {
	case "//":
		return down, nil
	case "%":
		return x - down*y, nil
	}
	return float64(x) / float64(y), nil
}

func fractional(op string, x, y float64) (any, error) {
	switch op {
	case "+":
		return x + y, nil
	case "-":
		return x - y, nil
	case "*":
		return x * y, nil
	case "**":
		return math.Pow(x, y), nil
	}
	if y == 0 {
		return nil, errors.New("division by zero")
	}
	switch op {
	case "//":
		return math.Floor(x / y), nil
	case "%":
		return x - math.Floor(x/y)*y, nil
	}
	return x / y, nil
}

// dumps is json.dumps(v, ensure_ascii=False) of Python; indent < 0 is one line.
func dumps(v any, indent, depth int) (string, error) {
	open, between, closing := "", ", ", ""
	if indent >= 0 {
		open = "\n" + strings.Repeat(" ", indent*(depth+1))
		between, closing = ","+open, "\n"+strings.Repeat(" ", indent*depth)
	}
	var parts []string
	add := func(prefix string, v any) error {
		s, err := dumps(v, indent, depth+1)
		parts = append(parts, prefix+s)
		return err
	}
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			if err := add("", x); err != nil {
				return "", err
			}
		}
		if len(v) == 0 {
			return "[]", nil
		}
		return "[" + open + strings.Join(parts, between) + closing + "]", nil
	case *Dict:
		for _, key := range v.keys {
			k, _ := dumps(key, -1, 0)
			if err := add(k+": ", v.values[key]); err != nil {
				return "", err
			}
		}
		if len(v.keys) == 0 {
			return "{}", nil
		}
		return "{" + open + strings.Join(parts, between) + closing + "}", nil
	case float64:
		return write(v)
	case nil, bool, int, string:
		var b strings.Builder
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		err := e.Encode(v)
		s := strings.TrimSuffix(b.String(), "\n")
		return strings.NewReplacer(`\u2028`, "\u2028", `\u2029`, "\u2029").Replace(s), err
	}
	return "", fmt.Errorf("%s is no JSON", typeName(v))
}
