package jinja

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// expr computes a value.
type expr func(r *run) (any, error)

// parser makes a template of tokens.
type parser struct {
	tokens []token
	at     int
	depth  int // of what stands in what
}

func (p *parser) peek() token {
	if p.at < len(p.tokens) {
		return p.tokens[p.at]
	}
	return token{kind: end, text: "the end of the template"}
}

// is says whether the next token is a sign or name; accept also passes over it.
func (p *parser) is(k kind, texts ...string) bool {
	t := p.peek()
	return p.at < len(p.tokens) && t.kind == k && slices.Contains(texts, t.text)
}

func (p *parser) accept(k kind, text string) bool {
	if !p.is(k, text) {
		return false
	}
	p.at++
	return true
}

func (p *parser) want(k kind, text string) error {
	if p.accept(k, text) {
		return nil
	}
	return p.fault("want %q", text)
}

func (p *parser) wantName() (string, error) {
	if t := p.peek(); p.at < len(p.tokens) && t.kind == name {
		p.at++
		return t.text, nil
	}
	return "", p.fault("want a name")
}

func (p *parser) fault(format string, args ...any) error {
	t := p.peek()
	line := t.line
	if p.at >= len(p.tokens) && p.at > 0 {
		line = p.tokens[len(p.tokens)-1].line
	}
	return fmt.Errorf("line %d: %s at %q", line, fmt.Sprintf(format, args...), t.text)
}

// maxDepth bounds what stands in what, in sources and when they run.
const maxDepth = 100

// deeper guards against sources of brackets alone.
func (p *parser) deeper() error {
	if p.depth++; p.depth > maxDepth {
		return p.fault("more than %d brackets in each other", maxDepth)
	}
	return nil
}

// expression is [a if b else c], a or b, ...
func (p *parser) expression() (expr, error) {
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	a, err := p.or()
	for err == nil && p.accept(name, "if") {
		var test, other expr
		if test, err = p.or(); err != nil {
			break
		}
		other = func(*run) (any, error) { return undefined("an if without else"), nil }
		if p.accept(name, "else") {
			if other, err = p.expression(); err != nil {
				break
			}
		}
		yes := a
		a = func(r *run) (any, error) {
			v, err := test(r)
			if err != nil {
				return nil, err
			}
			if truth(v) {
				return yes(r)
			}
			return other(r)
		}
	}
	return a, err
}

func (p *parser) or() (expr, error)  { return p.either("or", true, p.and) }
func (p *parser) and() (expr, error) { return p.either("and", false, p.not) }

// either is a chain of operands, of which the first with a truth is the value.
func (p *parser) either(word string, ends bool, operand func() (expr, error)) (expr, error) {
	a, err := operand()
	for err == nil && p.accept(name, word) {
		left := a
		var right expr
		if right, err = operand(); err != nil {
			break
		}
		a = func(r *run) (any, error) {
			v, err := left(r)
			if err != nil || truth(v) == ends {
				return v, err
			}
			return right(r)
		}
	}
	return a, err
}

func (p *parser) not() (expr, error) {
	if !p.accept(name, "not") {
		return p.compare()
	}
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	a, err := p.not()
	return func(r *run) (any, error) {
		v, err := a(r)
		return !truth(v), err
	}, err
}

// compare is a chain a < b <= c: true where all are.
func (p *parser) compare() (expr, error) {
	first, err := p.binary(0)
	var ops []string
	operands := []expr{first}
	for err == nil {
		op := p.comparison()
		if op == "" {
			break
		}
		var next expr
		next, err = p.binary(0)
		ops, operands = append(ops, op), append(operands, next)
	}
	if err != nil || len(ops) == 0 {
		return first, err
	}
	return func(r *run) (any, error) {
		a, err := operands[0](r)
		for i, op := range ops {
			if err != nil {
				return nil, err
			}
			var b any
			if b, err = operands[i+1](r); err != nil {
				return nil, err
			}
			ok, err := holds(op, a, b)
			if err != nil || !ok {
				return false, err
			}
			a = b
		}
		return true, err
	}, nil
}

// comparison takes an operator, "": there is none.
func (p *parser) comparison() string {
	for _, op := range []string{"==", "!=", "<=", ">=", "<", ">"} {
		if p.accept(sign, op) {
			return op
		}
	}
	if p.accept(name, "in") {
		return "in"
	}
	if p.is(name, "not") && p.at+1 < len(p.tokens) && p.tokens[p.at+1].text == "in" {
		p.at += 2
		return "not in"
	}
	return ""
}

func holds(op string, a, b any) (bool, error) {
	switch op {
	case "==":
		return equal(a, b), nil
	case "!=":
		return !equal(a, b), nil
	case "in":
		return contains(b, a)
	case "not in":
		ok, err := contains(b, a)
		return !ok, err
	case "<":
		return less(a, b)
	case ">":
		return less(b, a)
	case "<=":
		more, err := less(b, a)
		return !more, err
	}
	more, err := less(a, b)
	return !more, err
}

// levels are the operators of arithmetic, the weakest first.
var levels = [][]string{{"+", "-"}, {"~"}, {"*", "/", "//", "%"}, {"**"}}

func (p *parser) binary(level int) (expr, error) {
	if level == len(levels) {
		return p.unary(true)
	}
	a, err := p.binary(level + 1)
	for err == nil && p.is(sign, levels[level]...) {
		op, left := p.peek().text, a
		p.at++
		var right expr
		if right, err = p.binary(level + 1); err != nil {
			break
		}
		a = func(r *run) (any, error) {
			x, err := left(r)
			if err != nil {
				return nil, err
			}
			y, err := right(r)
			if err != nil {
				return nil, err
			}
			return r.bounded(arithmetic(op, x, y))
		}
	}
	return a, err
}

// unary is a value with its sign, and what follows it.
func (p *parser) unary(filters bool) (e expr, err error) {
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	switch {
	case p.accept(sign, "-"):
		a, err := p.unary(false)
		if err != nil {
			return nil, err
		}
		e = func(r *run) (any, error) {
			v, err := a(r)
			if err != nil {
				return nil, err
			}
			return arithmetic("-", 0, v)
		}
	case p.accept(sign, "+"):
		e, err = p.unary(false)
	default:
		e, err = p.primary()
	}
	if err == nil {
		e, err = p.postfix(e)
	}
	if err == nil && filters {
		e, err = p.filters(e)
	}
	return e, err
}

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

// separated reads what stands between commas, the last of which may have one after it, and
// the bracket after all.
func (p *parser) separated(closing string, one func() error) error {
	for n := 0; !p.accept(sign, closing); n++ {
		if n > 0 {
			if err := p.want(sign, ","); err != nil {
				return err
			}
			if p.accept(sign, closing) {
				break
			}
		}
		if err := one(); err != nil {
			return err
		}
	}
	return nil
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
