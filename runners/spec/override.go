package spec

import (
	"errors"
	"maps"
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
func assign(option, text string, known Known, to Cell) (a assignment, err error) {
	name := option + " " + text
	key, value, ok := strings.Cut(text, "=")
	if !ok || key == "" || value == "" {
		return a, strict.Errors{{File: name, Err: errors.New("want KEY=VALUE")}}
	}
	d, n, err := strict.Parse(name, []byte(value))
	if err != nil {
		return a, err
	}
	p := &parser{d, known, map[string]strict.Error{}}
	p.setting(n, &to, key)
	return assignment{key, to, p, n}, p.Err()
}

// Set narrows the experiment by "key=value": an axis is left with that value
// alone, "base" with the one of that name, any other key changes every base.
// Included cells are dropped, as they would widen it again.
func (e *Experiment) Set(text string, known Known) error {
	if err := e.override(text, known); err != nil {
		return err
	}
	e.Include = nil
	return nil
}

// Override sets "key=value" in every cell that is trained: of each base, of an axis
// over the key or a part of it, of included cells. What was set is recorded in the
// plan.
func (e *Experiment) Override(text string, known Known) error {
	if err := e.override(text, known); err != nil {
		return err
	}
	e.Overridden = append(e.Overridden, text)
	return nil
}

func (e *Experiment) override(text string, known Known) error {
	if base, ok := strings.CutPrefix(text, baseKey+"="); ok && base != "" {
		return e.setBase(base)
	}
	a, err := assign("--set", text, known, e.Base)
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
	maps.Copy(e.places, a.parser.places)
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

// typed decodes the text of a setting as a file would hold it, a path in its one spelling,
// without refusing a model or data that is not there.
func typed(option, text, key string, known Known) (c Cell, err error) {
	d, n, err := strict.Parse(option, []byte(text))
	if err != nil {
		return c, err
	}
	v, err := fieldAt(reflect.ValueOf(&c).Elem(), key)
	if err == nil && d.Into(n, v, key) {
		switch key {
		case "loss":
			c.Loss, err = known.Losses(c.Loss)
		case "data":
			if name, absent := known.Data(c.Data); absent == nil {
				c.Data = name
			}
		case "backbone":
			if name, absent := known.Backbone(c.Backbone); absent == nil {
				c.Backbone = name
			}
		case "model":
			if known.Model == nil {
				break
			}
			if m, absent := known.Model(c.Model); absent == nil {
				c.Model = m.Name
			}
		}
	}
	if err != nil {
		return c, strict.Errors{{File: option, Err: err}}
	}
	return c, d.Err()
}
