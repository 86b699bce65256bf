package spec

import (
	"errors"
	"reflect"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"infbench/internal/strict"
)

// assignment is a "KEY=VALUE" of the command line.
type assignment struct {
	key    string
	cell   Cell // has the value at key
	parser *parser
	value  *yaml.Node
}

// assign parses "KEY=VALUE" with the value as in a file. Errors contain option.
func (e *Experiment) assign(option, text string, to Cell) (a assignment, err error) {
	name := option + " " + text
	key, value, ok := strings.Cut(text, "=")
	if !ok || key == "" || value == "" {
		return a, strict.Errors{{File: name, Err: errors.New("want KEY=VALUE")}}
	}
	d, n, err := strict.Parse(name, []byte(value))
	if err != nil {
		return a, err
	}
	p := e.newParser(d)
	p.setting(n, &to, key)
	return assignment{key, to, p, n}, p.Err()
}

// Set narrows the experiment by "key=value". An axis keeps only that value, and "base" only the
// base with that name; any other key changes every base. Included cells are dropped, because
// they would widen the experiment again.
func (e *Experiment) Set(text string) error {
	if err := e.override(text); err != nil {
		return err
	}
	e.Include = nil
	return nil
}

// Override sets "key=value" in every trained cell: in each base, in an axis of the key or a
// part of it, and in included cells. The plan records it.
func (e *Experiment) Override(text string) error {
	if err := e.override(text); err != nil {
		return err
	}
	e.Overridden = append(e.Overridden, text)
	return nil
}

func (e *Experiment) override(text string) error {
	e.narrowed = true
	if base, ok := strings.CutPrefix(text, baseKey+"="); ok && base != "" {
		return e.setBase(base)
	}
	a, err := e.assign("--set", text, e.Base)
	if err != nil {
		return err
	}
	if err := e.checkOverride(a.key); err != nil {
		return strict.Errors{{File: "--set " + text, Err: err}}
	}
	e.Base, e.Bases, e.keys = a.cell, slices.Clone(e.Bases), append(slices.Clone(e.keys), a.key)
	for i := range e.Bases {
		a.parser.setting(a.value, &e.Bases[i].Cell, a.key)
	}
	for i := range e.Axes {
		a.setAxis(&e.Axes[i])
	}
	for i := range e.Include {
		a.setOverrides(&e.Include[i])
	}
	return a.parser.Err()
}

// setAxis reduces an axis of the key to the value, and sets the value in each value of an axis
// that contains the key.
func (a assignment) setAxis(axis *Axis) {
	switch {
	case isWithin(axis.Key, a.key):
		axis.Values = []Cell{a.cell}
	case isWithin(a.key, axis.Key):
		var values []Cell
		for _, v := range axis.Values {
			setAt(&v, &a.cell, a.key)
			if !slices.ContainsFunc(values, func(w Cell) bool { return equalAt(&v, &w, axis.Key) }) {
				values = append(values, v)
			}
		}
		axis.Values = values
	}
}

// setOverrides sets the value if an entry has the key, a part of it, or a section that contains
// it.
func (a assignment) setOverrides(o *Overrides) {
	if slices.ContainsFunc(o.Keys, func(key string) bool { return overlap(key, a.key) }) {
		setAt(&o.Cell, &a.cell, a.key)
	}
}

// isWithin reports whether a dotted key equals the other or is a part of it.
func isWithin(key, other string) bool {
	return key == other || strings.HasPrefix(key, other+".")
}

// respell gives the setting at a key its canonical spelling if it is a name. A loss must exist;
// a model and data need not.
func (c *Cell) respell(key string, spelling Spelling) (err error) {
	text := map[string]*string{"loss": &c.Loss, "data": &c.Data, "backbone": &c.Backbone, "model": &c.Model}[key]
	if text == nil {
		return nil
	}
	name, err := spelling(NameKind(key), *text)
	if err == nil {
		*text = name
	} else if key != "loss" {
		err = nil
	}
	return err
}

// typed decodes the text of a setting as in a file, with names in canonical spelling. It
// accepts a model or data that does not exist.
func typed(option, text, key string, spelling Spelling) (c Cell, err error) {
	d, n, err := strict.Parse(option, []byte(text))
	if err != nil {
		return c, err
	}
	v, err := fieldAt(reflect.ValueOf(&c).Elem(), key)
	if err == nil && d.Into(n, v, key) {
		err = c.respell(key, spelling)
	}
	if err != nil {
		return c, strict.Errors{{File: option, Err: err}}
	}
	return c, d.Err()
}
