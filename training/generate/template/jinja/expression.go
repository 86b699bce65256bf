package jinja

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
