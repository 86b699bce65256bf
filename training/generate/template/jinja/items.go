package jinja

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

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
