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

// assign reads "KEY=VALUE", the value as the file would have it. option stands in
// errors.
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

// Set narrows the experiment by "key=value": an axis is left with that value
// alone, "base" with the one of that name, any other key changes every base.
// Included cells are dropped, as they would widen it again.
func (e *Experiment) Set(text string) error {
	if err := e.override(text); err != nil {
		return err
	}
	e.Include = nil
	return nil
}

// Override sets "key=value" in every cell that is trained: of each base, of an axis
// over the key or a part of it, of included cells. What was set is recorded in the
// plan.
func (e *Experiment) Override(text string) error {
	if err := e.override(text); err != nil {
		return err
	}
	e.Overridden = append(e.Overridden, text)
	return nil
}

func (e *Experiment) override(text string) error {
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

// setAxis leaves an axis over the key with the value, and sets it in each value of an
// axis that the key is a part of.
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

// setOverrides sets the value where an entry has the key, or part of it, or what it is
// part of.
func (a assignment) setOverrides(o *Overrides) {
	if slices.ContainsFunc(o.Keys, func(key string) bool { return overlap(key, a.key) }) {
		setAt(&o.Cell, &a.cell, a.key)
	}
}

// isWithin says whether a dotted key is the other or a part of it.
func isWithin(key, other string) bool {
	return key == other || strings.HasPrefix(key, other+".")
}

// respell gives the setting at a key its one spelling, where it is a name. A loss has to
// be one; a model and data need not be there.
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

// typed decodes the text of a setting as a file would hold it, a name in its one spelling,
// without refusing a model or data that is not there.
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
