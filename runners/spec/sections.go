package spec

import (
	"reflect"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"infbench/internal/strict"
)

// matrix reads the axes of an experiment.
func (p *parser) matrix(n *yaml.Node) []Axis {
	var axes []Axis
	fields := p.Fields(n, "matrix")
	if size := p.product(fields); size > maxTrials {
		p.Fail(n, "matrix: more than %d cells", maxTrials)
		return nil
	}
	for _, f := range fields {
		if p.Full() {
			return nil // no more are shown
		}
		axis := Axis{Key: f.Name}
		if _, err := fieldAt(reflect.ValueOf(&Cell{}).Elem(), f.Name); err != nil {
			p.Fail(f.Key, "%w", err)
			continue
		}
		if i := slices.IndexFunc(axes, func(a Axis) bool { return overlap(a.Key, f.Name) }); i >= 0 {
			p.Fail(f.Key, "matrix: %s is varied by %s already", f.Name, axes[i].Key)
			continue
		}
		list, ok := p.Resolve(f.Value)
		if !ok {
			return nil
		}
		if list.Kind != yaml.SequenceNode || len(list.Content) == 0 {
			p.Fail(f.Value, "matrix %s: want a list of at least one value, found %s", f.Name, describeList(list))
			continue
		}
		since := p.mark()
		for _, item := range list.Content {
			c := DefaultCell()
			p.setting(item, &c, f.Name)
			axis.Values = append(axis.Values, c)
			if p.Full() {
				return nil // no more are shown
			}
		}
		p.unlessFaulty(since, func() { p.checkDistinct(f) })
		axes = append(axes, axis)
	}
	p.checkLength(n, axes)
	return axes
}

// product returns the number of cells of a matrix from the lengths of its lists, at most one
// more than the limit.
func (p *parser) product(axes []strict.Field) int {
	size := 1
	for _, f := range axes {
		list, ok := p.Resolve(f.Value)
		if ok && list.Kind == yaml.SequenceNode {
			size = min(size*max(len(list.Content), 1), maxTrials+1)
		}
	}
	return size
}

// checkDistinct refuses an axis that repeats a value, which would plan one cell twice.
func (p *parser) checkDistinct(f strict.Field) {
	axis := p.e.Axes[slices.IndexFunc(p.e.Axes, func(a Axis) bool { return a.Key == f.Name })]
	first := map[string]int{}
	for i := range axis.Values {
		value := string(canonical(at(&axis.Values[i], axis.Key).Interface()))
		if j, ok := first[value]; ok {
			p.Fail(f.Value, "matrix %s: value %d repeats value %d", axis.Key, i+1, j+1)
			continue
		}
		first[value] = i
	}
}

// setting decodes one value into the dotted key of a cell.
func (p *parser) setting(n *yaml.Node, c *Cell, key string) {
	v, err := fieldAt(reflect.ValueOf(c).Elem(), key)
	if err != nil {
		p.Fail(n, "%w", err)
		return
	}
	if list, ok := p.Resolve(n); ok && key == "data" && list.Kind == yaml.SequenceNode {
		p.Fail(n, `data: want one text, found %s: sources are mixed in one, as in "mini-infir:1 + ./own.jsonl:2", and data sets to compare are an axis under matrix`, strict.Describe(list))
		return
	}
	if section, _, _ := strings.Cut(key, "."); section == "validate" {
		n = p.validationNode(n, key)
	}
	if !p.Into(n, v, key) {
		return
	}
	n, _ = p.Resolve(n)
	c.replaceLength(leaves(n, key)...)
	if err := p.checkKey(n, key, c); err != nil {
		p.Refuse(n, err)
	} else if slices.Contains(placed, key) {
		p.e.places[placeOf(key, c)] = p.At(n)
	}
}

// isList reports whether a section is a list, and records an error if it is not.
func (p *parser) isList(n *yaml.Node, section string) bool {
	if n.Kind != yaml.SequenceNode {
		p.Fail(n, "%s: want a list, found %s", section, strict.Describe(n))
	}
	return n.Kind == yaml.SequenceNode
}

// overrides reads include or exclude entries, whose keys may be dotted.
func (p *parser) overrides(n *yaml.Node, section string) []Overrides {
	if !p.isList(n, section) {
		return nil
	}
	if len(n.Content) > maxTrials {
		p.Fail(n, "%s: %d entries, more than %d", section, len(n.Content), maxTrials)
		return nil
	}
	var out []Overrides
	for _, item := range n.Content {
		item, ok := p.Resolve(item)
		if !ok {
			return nil
		}
		o := Overrides{Cell: DefaultCell()}
		if item.Kind == yaml.MappingNode && len(item.Content) == 0 {
			p.Fail(item, "%s: the entry names no setting", section)
		}
		for _, f := range p.Fields(item, section) {
			if _, err := fieldAt(reflect.ValueOf(&o.Cell).Elem(), f.Name); err != nil {
				p.Fail(f.Key, "%w", err)
				continue
			}
			o.Keys = append(o.Keys, f.Name)
			p.setting(f.Value, &o.Cell, f.Name)
		}
		out = append(out, o)
	}
	return out
}
