package jinja

import (
	"errors"
	"fmt"
	"slices"

	"infbench/metrics/nearest"
)

// stmt writes, sets or repeats.
type stmt func(r *run) error

// Statements end a loop, or its turn, by these errors.
var (
	errBreak    = errors.New("break outside of a loop")
	errContinue = errors.New("continue outside of a loop")
)

// body reads statements up to a tag with one of the names, which is passed over.
func (p *parser) body(until ...string) (list []stmt, ended string, err error) {
	if err := p.deeper(); err != nil {
		return nil, "", err
	}
	defer func() { p.depth-- }()
	for p.at < len(p.tokens) {
		t := p.peek()
		p.at++
		var s stmt
		switch {
		case t.kind == text:
			s = func(r *run) error { return r.write(t.text) }
		case t.text == "{{":
			s, err = p.output(t.line)
		default:
			word, wordErr := p.wantName()
			if wordErr != nil {
				return nil, "", wordErr
			}
			if slices.Contains(until, word) {
				return list, word, nil
			}
			s, err = p.statement(word, t.line)
		}
		if err != nil {
			return nil, "", err
		}
		list = append(list, s)
	}
	if len(until) > 0 {
		return nil, "", p.fault("want {%% %s %%}", until[len(until)-1])
	}
	return list, "", nil
}

// inner reads statements up to a tag with that name alone, and that tag.
func (p *parser) inner(until string) ([]stmt, error) {
	list, _, err := p.body(until)
	if err != nil {
		return nil, err
	}
	return list, p.want(end, "%}")
}

// statement reads what follows the name of a tag.
func (p *parser) statement(word string, line int) (s stmt, err error) {
	readers := map[string]func() (stmt, error){
		"if": p.ifs, "for": p.loop, "set": p.set, "macro": p.macro, "do": p.do,
		"break":      func() (stmt, error) { return func(*run) error { return errBreak }, p.want(end, "%}") },
		"continue":   func() (stmt, error) { return func(*run) error { return errContinue }, p.want(end, "%}") },
		"generation": p.generation,
	}
	read, ok := readers[word]
	if !ok {
		known := []string{"raw"}
		for name := range readers {
			known = append(known, name)
		}
		slices.Sort(known)
		return nil, fmt.Errorf("line %d: %w", line, nearest.Unknown("tag", word, known))
	}
	s, err = read()
	return at(line, s), err
}

// at names the line in errors.
func at(line int, s stmt) stmt {
	return func(r *run) error {
		if err := r.step(); err != nil {
			return err
		}
		err := s(r)
		var placed *Error
		if err == nil || err == errBreak || err == errContinue || errors.As(err, &placed) {
			return err
		}
		return &Error{line, err}
	}
}

// output is {{ ... }}.
func (p *parser) output(line int) (stmt, error) {
	e, err := p.expression()
	if err == nil {
		err = p.want(end, "}}")
	}
	return at(line, func(r *run) error {
		v, err := e(r)
		if err != nil {
			return err
		}
		s, err := write(v)
		if err != nil {
			return err
		}
		return r.write(s)
	}), err
}

// do computes a value for what that does.
func (p *parser) do() (stmt, error) {
	e, err := p.expression()
	if err == nil {
		err = p.want(end, "%}")
	}
	return func(r *run) error { _, err := e(r); return err }, err
}

// generation marks what a model wrote, for training; here it is as if it were not there.
func (p *parser) generation() (stmt, error) {
	if err := p.want(end, "%}"); err != nil {
		return nil, err
	}
	list, err := p.inner("endgeneration")
	return func(r *run) error { return r.all(list) }, err
}

// ifs is an if with its branches.
func (p *parser) ifs() (stmt, error) {
	var tests []expr
	var bodies [][]stmt
	for word := "if"; word != "endif"; {
		test := constant(true)
		var err error
		if word != "else" {
			test, err = p.expression()
		}
		if err == nil {
			err = p.want(end, "%}")
		}
		until := []string{"elif", "else", "endif"}
		if word == "else" {
			until = []string{"endif"}
		}
		var list []stmt
		if err == nil {
			list, word, err = p.body(until...)
		}
		if err != nil {
			return nil, err
		}
		tests, bodies = append(tests, test), append(bodies, list)
	}
	return func(r *run) error {
		for i, test := range tests {
			v, err := test(r)
			if err != nil {
				return err
			}
			if truth(v) {
				return r.all(bodies[i])
			}
		}
		return nil
	}, p.want(end, "%}")
}

// loop is a for with its else.
func (p *parser) loop() (stmt, error) {
	var names []string
	for {
		word, err := p.wantName()
		if err != nil {
			return nil, err
		}
		names = append(names, word)
		if !p.accept(sign, ",") {
			break
		}
	}
	if err := p.want(name, "in"); err != nil {
		return nil, err
	}
	over, err := p.or()
	if err != nil {
		return nil, err
	}
	var only expr
	if p.accept(name, "if") {
		if only, err = p.expression(); err != nil {
			return nil, err
		}
	}
	if err := p.want(end, "%}"); err != nil {
		return nil, err
	}
	list, ended, err := p.body("else", "endfor")
	if err != nil {
		return nil, err
	}
	var otherwise []stmt
	if ended == "else" {
		if err := p.want(end, "%}"); err != nil {
			return nil, err
		}
		if otherwise, _, err = p.body("endfor"); err != nil {
			return nil, err
		}
	}
	return func(r *run) error {
		v, err := over(r)
		if err != nil {
			return err
		}
		kept, err := r.kept(names, v, only)
		if err != nil {
			return err
		}
		if len(kept) == 0 {
			return r.all(otherwise)
		}
		return r.repeat(names, kept, list)
	}, p.want(end, "%}")
}

// set is a variable, a value of a namespace, or the text up to endset.
func (p *parser) set() (stmt, error) {
	var targets []func(*run, any) error
	for {
		target, err := p.target()
		if err != nil {
			return nil, err
		}
		targets = append(targets, target)
		if !p.accept(sign, ",") {
			break
		}
	}
	assign := func(r *run, v any) error {
		if len(targets) == 1 {
			return targets[0](r, v)
		}
		list, err := items(v)
		if err != nil || len(list) != len(targets) {
			return fmt.Errorf("%s for %d variables", typeName(v), len(targets))
		}
		for i, target := range targets {
			if err := target(r, list[i]); err != nil {
				return err
			}
		}
		return nil
	}
	if p.accept(end, "%}") {
		list, err := p.inner("endset")
		return func(r *run) error {
			s, err := r.captured(list)
			if err != nil {
				return err
			}
			return assign(r, s)
		}, err
	}
	err := p.want(sign, "=")
	if err != nil {
		return nil, err
	}
	e, err := p.expression()
	if err == nil && p.is(sign, ",") {
		rest := []expr{e}
		for err == nil && p.accept(sign, ",") {
			if e, err = p.expression(); err == nil {
				rest = append(rest, e)
			}
		}
		e = listOf(rest)
	}
	if err == nil {
		err = p.want(end, "%}")
	}
	return func(r *run) error {
		v, err := e(r)
		if err != nil {
			return err
		}
		return assign(r, v)
	}, err
}

// target is what a set changes.
func (p *parser) target() (func(*run, any) error, error) {
	word, err := p.wantName()
	if err != nil {
		return nil, err
	}
	if !p.accept(sign, ".") {
		return func(r *run, v any) error { r.scope.set(word, v); return nil }, nil
	}
	key, err := p.wantName()
	return func(r *run, v any) error {
		d, ok := r.lookup(word).(*Dict)
		if !ok || !d.space {
			return fmt.Errorf("%s is no namespace", word)
		}
		d.set(key, v)
		return nil
	}, err
}

// macro is a function that gives the text it writes.
func (p *parser) macro() (stmt, error) {
	word, err := p.wantName()
	if err == nil {
		err = p.want(sign, "(")
	}
	var names []string
	var usual []expr
	for n := 0; err == nil && !p.accept(sign, ")"); n++ {
		if n > 0 {
			if err = p.want(sign, ","); err != nil {
				break
			}
		}
		var parameter string
		if parameter, err = p.wantName(); err != nil {
			break
		}
		var e expr = func(*run) (any, error) { return undefined(parameter), nil }
		if p.accept(sign, "=") {
			e, err = p.expression()
		}
		names, usual = append(names, parameter), append(usual, e)
	}
	if err == nil {
		err = p.want(end, "%}")
	}
	if err != nil {
		return nil, err
	}
	list, err := p.inner("endmacro")
	call := function(func(r *run, args []any, named map[string]any) (any, error) {
		if len(args) > len(names) {
			return nil, fmt.Errorf("%s takes %d arguments, not %d", word, len(names), len(args))
		}
		return r.inside(r.top, func() (any, error) {
			for i, n := range names {
				v, given := named[n]
				var err error
				switch {
				case i < len(args):
					v = args[i]
				case !given:
					if v, err = usual[i](r); err != nil {
						return nil, err
					}
				}
				r.scope.set(n, v)
			}
			return r.captured(list)
		})
	})
	return func(r *run) error { r.scope.set(word, call); return nil }, err
}
