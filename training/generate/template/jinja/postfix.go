package jinja

import (
	"fmt"
	"slices"
	"strconv"
)

// postfix is .name, [key], [from:to] and calls after a value.
func (p *parser) postfix(e expr) (expr, error) {
	for {
		of := e
		switch {
		case p.accept(sign, "."):
			key, err := p.key()
			if err != nil {
				return nil, err
			}
			e = func(r *run) (any, error) {
				v, err := of(r)
				if err != nil {
					return nil, err
				}
				if word, ok := key.(string); ok {
					return attribute(v, word)
				}
				return item(v, key)
			}
		case p.accept(sign, "["):
			next, err := p.subscript(of)
			if err != nil {
				return nil, err
			}
			e = next
		case p.accept(sign, "("):
			args, err := p.arguments()
			if err != nil {
				return nil, err
			}
			e = func(r *run) (any, error) { return r.call(of, args) }
		default:
			return e, nil
		}
	}
}

// key is what follows a point: a name or a number.
func (p *parser) key() (any, error) {
	if t := p.peek(); p.at < len(p.tokens) && t.kind == number {
		p.at++
		return strconv.Atoi(t.text)
	}
	return p.wantName()
}

// subscript reads a key or a slice up to the bracket.
func (p *parser) subscript(of expr) (expr, error) {
	var bounds [3]expr
	count := 0
	for {
		if !p.is(sign, ":", "]") {
			e, err := p.expression()
			if err != nil {
				return nil, err
			}
			bounds[count] = e
		}
		if count < 2 && p.accept(sign, ":") {
			count++
			continue
		}
		break
	}
	if err := p.want(sign, "]"); err != nil {
		return nil, err
	}
	if count == 0 && bounds[0] == nil {
		return nil, p.fault("an empty []")
	}
	return func(r *run) (any, error) {
		v, err := of(r)
		if err != nil {
			return nil, err
		}
		var values [3]any
		for i, e := range bounds {
			if e == nil {
				continue
			}
			if values[i], err = e(r); err != nil {
				return nil, err
			}
		}
		if count > 0 {
			return slice(v, values)
		}
		return item(v, values[0])
	}, nil
}

// arguments are those of a call, those with names apart.
type arguments struct {
	list  []expr
	names []string
	named []expr
}

// arguments reads them after the opening bracket.
func (p *parser) arguments() (a arguments, err error) {
	err = p.separated(")", func() error {
		word := ""
		if p.peek().kind == name && p.at+1 < len(p.tokens) && p.tokens[p.at+1] == (token{sign, "=", p.tokens[p.at+1].line}) {
			word = p.peek().text
			p.at += 2
		}
		e, err := p.expression()
		if word == "" {
			a.list = append(a.list, e)
		} else {
			a.names, a.named = append(a.names, word), append(a.named, e)
		}
		return err
	})
	return a, err
}

// values computes arguments.
func (a arguments) values(r *run) ([]any, map[string]any, error) {
	list, named := make([]any, len(a.list)), map[string]any{}
	var err error
	for i, e := range a.list {
		if list[i], err = e(r); err != nil {
			return nil, nil, err
		}
	}
	for i, e := range a.named {
		if named[a.names[i]], err = e(r); err != nil {
			return nil, nil, err
		}
	}
	return list, named, nil
}

// filters reads "| filter" and "is test" after a value.
func (p *parser) filters(e expr) (expr, error) {
	for {
		var err error
		switch {
		case p.accept(sign, "|"):
			e, err = p.filter(e)
		case p.accept(name, "is"):
			e, err = p.test(e)
		default:
			return e, nil
		}
		if err == nil {
			e, err = p.postfix(e)
		}
		if err != nil {
			return nil, err
		}
	}
}

func (p *parser) filter(of expr) (expr, error) {
	word, err := p.wantName()
	if err != nil {
		return nil, err
	}
	f, err := filterOf(word)
	if err != nil {
		return nil, p.fault("%v", err)
	}
	var args arguments
	if p.accept(sign, "(") {
		if args, err = p.arguments(); err != nil {
			return nil, err
		}
	}
	return applied(word, f, of, args), nil
}

// applied is a filter or test on a value.
func applied(word string, f filter, of expr, args arguments) expr {
	return func(r *run) (any, error) {
		v, err := of(r)
		if err != nil {
			return nil, err
		}
		list, named, err := args.values(r)
		if err != nil {
			return nil, err
		}
		out, err := f(r, v, list, named)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", word, err)
		}
		return r.bounded(out, nil)
	}
}

// test reads a test, whose one argument needs no brackets.
func (p *parser) test(of expr) (expr, error) {
	negated := p.accept(name, "not")
	word, err := p.wantName()
	if err != nil {
		return nil, err
	}
	f, err := testOf(word)
	if err != nil {
		return nil, p.fault("%v", err)
	}
	var args arguments
	next := p.peek()
	switch {
	case p.accept(sign, "("):
		args, err = p.arguments()
	case p.at < len(p.tokens) && (slices.Contains([]kind{str, number, fraction}, next.kind) || p.is(sign, "[", "{") ||
		next.kind == name && !slices.Contains([]string{"else", "or", "and", "if", "is", "in", "not"}, next.text)):
		var e expr
		if e, err = p.primary(); err == nil {
			e, err = p.postfix(e)
		}
		args.list = []expr{e}
	}
	if err != nil {
		return nil, err
	}
	result := applied(word, f, of, args)
	return func(r *run) (any, error) {
		v, err := result(r)
		return truth(v) != negated, err
	}, nil
}
