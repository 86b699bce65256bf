package jinja

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

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
