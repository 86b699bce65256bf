// Package jinja renders the part of Jinja 2 that chat templates of language models use,
// as Jinja2 3.1 with trim_blocks and lstrip_blocks does. A tag, filter or test that it
// does not know is an error that names it when the template is read, never ignored.
//
// Templates are not trusted: they have no way to files, other templates, the network or
// the clock, and what they compute, write and call is bounded.
package jinja

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Bounds of a template and of what it does.
const (
	MaxSource = 1 << 20 // bytes
	MaxText   = 1 << 24 // bytes of a text or of all texts written; a list has as many values at most
	maxSteps  = 1 << 18 // turns of loops, calls and tags
)

var errTooLong = fmt.Errorf("a text or list of more than %d", MaxText)

// Error is a fault of a template, with the line where it is.
type Error struct {
	Line int
	Err  error
}

// Error implements error.
func (e *Error) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns what went wrong there.
func (e *Error) Unwrap() error { return e.Err }

// Template is a template that was read. It is safe for concurrent use.
type Template struct {
	body []stmt
}

// Parse reads a template.
func Parse(source string) (*Template, error) {
	if len(source) > MaxSource {
		return nil, fmt.Errorf("a template of %d bytes: more than %d", len(source), MaxSource)
	}
	tokens, err := lex(source)
	if err != nil {
		return nil, err
	}
	body, _, err := (&parser{tokens: tokens}).body()
	return &Template{body}, err
}

// Func is a function for templates.
type Func func(args []any) (any, error)

// Render writes the template with variables: strings, bools, ints, []any, *Dict, nil
// and Func.
func (t *Template) Render(variables map[string]any) (string, error) {
	global := &scope{values: builtins()}
	for name, v := range variables {
		if f, ok := v.(Func); ok {
			v = function(func(_ *run, args []any, _ map[string]any) (any, error) { return f(args) })
		}
		global.values[name] = v
	}
	r := &run{scope: &scope{above: global, values: map[string]any{}}}
	r.top = r.scope
	return r.captured(t.body)
}

// run is one rendering.
type run struct {
	scope, top *scope
	out        *strings.Builder
	written    int
	steps      int
	depth      int
}

// scope holds variables, those above it seen through it.
type scope struct {
	above  *scope
	values map[string]any
}

func (s *scope) set(name string, v any) { s.values[name] = v }

// lookup is a variable; undefined where there is none.
func (r *run) lookup(name string) any {
	for s := r.scope; s != nil; s = s.above {
		if v, ok := s.values[name]; ok {
			return v
		}
	}
	return undefined(name)
}

// step counts what takes time.
func (r *run) step() error {
	if r.steps++; r.steps > maxSteps {
		return errors.New("the template takes too many steps")
	}
	return nil
}

// bounded refuses values that grow without end.
func (r *run) bounded(v any, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case string:
		if len(v) > MaxText {
			return nil, errTooLong
		}
		r.steps += len(v) / 4096
	case []any:
		if len(v) > maxSteps {
			return nil, errTooLong
		}
		r.steps += len(v) / 16 // long lists take time too
	}
	return v, r.step()
}

// write adds to the text.
func (r *run) write(s string) error {
	if r.written += len(s); r.written > MaxText {
		return errTooLong
	}
	r.out.WriteString(s)
	return nil
}

// all runs statements in turn.
func (r *run) all(list []stmt) error {
	for _, s := range list {
		if err := s(r); err != nil {
			return err
		}
	}
	return nil
}

// captured is the text that statements write.
func (r *run) captured(list []stmt) (string, error) {
	out := r.out
	r.out = &strings.Builder{}
	defer func() { r.out = out }()
	err := r.all(list)
	return r.out.String(), err
}

// inside runs something in a scope of its own above which is another.
func (r *run) inside(above *scope, do func() (any, error)) (any, error) {
	if r.depth++; r.depth > maxDepth {
		return nil, fmt.Errorf("more than %d calls and loops in each other", maxDepth)
	}
	before := r.scope
	r.scope = &scope{above: above, values: map[string]any{}}
	defer func() { r.scope, r.depth = before, r.depth-1 }()
	return do()
}

// kept are the items that a loop's condition (nil: none) leaves.
func (r *run) kept(names []string, over any, only expr) ([]any, error) {
	list, err := items(over)
	if err != nil {
		return nil, err
	}
	if only == nil {
		return list, nil
	}
	var kept []any
	for _, x := range list {
		v, err := r.inside(r.scope, func() (any, error) {
			if err := r.assign(names, x); err != nil {
				return nil, err
			}
			return only(r)
		})
		if err := errors.Join(err, r.step()); err != nil {
			return nil, err
		}
		if truth(v) {
			kept = append(kept, x)
		}
	}
	return kept, nil
}

// assign sets the variables of a loop.
func (r *run) assign(names []string, x any) error {
	if len(names) == 1 {
		r.scope.set(names[0], x)
		return nil
	}
	parts, err := items(x)
	if err != nil || len(parts) != len(names) {
		return fmt.Errorf("%s for %d variables", typeName(x), len(names))
	}
	for i, n := range names {
		r.scope.set(n, parts[i])
	}
	return nil
}

// repeat runs the body of a loop.
func (r *run) repeat(names []string, list []any, body []stmt) error {
	for i, x := range list {
		if err := r.step(); err != nil {
			return err
		}
		_, err := r.inside(r.scope, func() (any, error) {
			r.scope.set("loop", loopOf(list, i))
			if err := r.assign(names, x); err != nil {
				return nil, err
			}
			return nil, r.all(body)
		})
		if err == errBreak {
			return nil
		}
		if err != nil && err != errContinue {
			return err
		}
	}
	return nil
}

// loopOf is the variable loop in a turn.
func loopOf(list []any, i int) *Dict {
	n := len(list)
	d := NewDict("index", i+1, "index0", i, "revindex", n-i, "revindex0", n-i-1, "first", i == 0, "last", i == n-1, "length", n)
	d.set("previtem", any(undefined("loop.previtem")))
	d.set("nextitem", any(undefined("loop.nextitem")))
	if i > 0 {
		d.set("previtem", list[i-1])
	}
	if i+1 < n {
		d.set("nextitem", list[i+1])
	}
	d.set("cycle", function(func(_ *run, args []any, _ map[string]any) (any, error) {
		if len(args) == 0 {
			return nil, errors.New("cycle of nothing")
		}
		return args[i%len(args)], nil
	}))
	return d
}

// call calls a function.
func (r *run) call(of expr, a arguments) (any, error) {
	v, err := of(r)
	if err != nil {
		return nil, err
	}
	f, ok := v.(function)
	if !ok {
		return nil, fmt.Errorf("%s cannot be called", typeName(v))
	}
	args, named, err := a.values(r)
	if err != nil {
		return nil, err
	}
	if err := r.step(); err != nil {
		return nil, err
	}
	return r.bounded(f(r, args, named))
}

// builtins are the functions of every template.
func builtins() map[string]any {
	return map[string]any{"namespace": function(namespace), "range": function(numbers)}
}

// namespace is a mapping whose values templates may set.
func namespace(_ *run, args []any, named map[string]any) (any, error) {
	if len(args) > 0 {
		return nil, errors.New("namespace takes arguments with names alone")
	}
	d := NewDict()
	d.space = true
	for _, key := range slices.Sorted(maps.Keys(named)) {
		d.set(key, named[key])
	}
	return d, nil
}

// numbers is range, at most 100,000 numbers as in Jinja's sandbox.
func numbers(_ *run, args []any, _ map[string]any) (any, error) {
	const most = 100_000
	bounds := []int{0, 0, 1}
	for i, a := range args {
		n, ok := a.(int)
		if !ok || len(args) > 3 {
			return nil, errors.New("range takes one to three whole numbers")
		}
		bounds[i] = n
	}
	switch len(args) {
	case 0:
		return nil, errors.New("range takes one to three whole numbers")
	case 1:
		bounds[0], bounds[1] = 0, bounds[0]
	}
	if bounds[2] == 0 {
		return nil, errors.New("range of step 0")
	}
	list := []any{}
	for i := bounds[0]; bounds[2] > 0 && i < bounds[1] || bounds[2] < 0 && i > bounds[1]; i += bounds[2] {
		if len(list) == most {
			return nil, fmt.Errorf("range of more than %d numbers", most)
		}
		list = append(list, i)
	}
	return list, nil
}
