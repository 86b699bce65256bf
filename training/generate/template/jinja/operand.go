package jinja

import (
	"fmt"
	"strconv"
	"strings"
)

func constant(v any) expr { return func(*run) (any, error) { return v, nil } }

// primary is a literal, a name or a bracket.
func (p *parser) primary() (expr, error) {
	t := p.peek()
	p.at++
	switch {
	case p.at > len(p.tokens):
	case t.kind == str:
		for p.at < len(p.tokens) && p.peek().kind == str { // side by side they are one
			t.text += p.peek().text
			p.at++
		}
		return constant(t.text), nil
	case t.kind == number:
		n, err := strconv.Atoi(strings.ReplaceAll(t.text, "_", ""))
		return constant(n), err
	case t.kind == fraction:
		f, err := strconv.ParseFloat(t.text, 64)
		return constant(f), err
	case t.kind == name:
		if v, ok := map[string]any{"true": true, "True": true, "false": false, "False": false, "none": nil, "None": nil}[t.text]; ok {
			return constant(v), nil
		}
		return func(r *run) (any, error) { return r.lookup(t.text), nil }, nil
	case t.text == "(" && t.kind == sign:
		return p.parenthesis()
	case t.text == "[" && t.kind == sign:
		list, err := p.list("]")
		return listOf(list), err
	case t.text == "{" && t.kind == sign:
		return p.mapping()
	}
	p.at--
	return nil, p.fault("want a value")
}

// parenthesis is an expression, or with commas a list.
func (p *parser) parenthesis() (expr, error) {
	from := p.at
	list, err := p.list(")")
	if err != nil {
		return nil, err
	}
	if len(list) == 1 && !(p.tokens[p.at-2].text == "," && p.at-2 > from) {
		return list[0], nil
	}
	return listOf(list), nil
}

// list reads values with commas between them, and the bracket after them.
func (p *parser) list(closing string) (list []expr, err error) {
	err = p.separated(closing, func() error {
		e, err := p.expression()
		list = append(list, e)
		return err
	})
	return list, err
}

func listOf(list []expr) expr {
	return func(r *run) (any, error) {
		values := make([]any, len(list))
		for i, e := range list {
			var err error
			if values[i], err = e(r); err != nil {
				return nil, err
			}
		}
		return values, nil
	}
}

// mapping reads "key: value" with commas between.
func (p *parser) mapping() (expr, error) {
	var keys, values []expr
	err := p.separated("}", func() error {
		key, err := p.expression()
		if err == nil {
			err = p.want(sign, ":")
		}
		if err != nil {
			return err
		}
		value, err := p.expression()
		keys, values = append(keys, key), append(values, value)
		return err
	})
	if err != nil {
		return nil, err
	}
	return func(r *run) (any, error) {
		d := NewDict()
		for i := range keys {
			key, err := keys[i](r)
			if err != nil {
				return nil, err
			}
			s, ok := key.(string)
			if !ok {
				return nil, fmt.Errorf("%s as a key", typeName(key))
			}
			value, err := values[i](r)
			if err != nil {
				return nil, err
			}
			d.set(s, value)
		}
		return d, nil
	}, nil
}
