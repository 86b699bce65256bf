package spec

import (
	"reflect"
	"slices"

	"gopkg.in/yaml.v3"

	"infbench/metrics/nearest"
)

// matrix reads the axes of an experiment.
func (p *parser) matrix(n *yaml.Node) []Axis {
	var axes []Axis
	fields := p.fields(n, "matrix")
	if size := p.product(fields); size > maxTrials {
		p.fail(n, "matrix: more than %d cells", maxTrials)
		return nil
	}
	for _, f := range fields {
		if len(*p.errs) >= maxFormatted {
			return nil // no more are shown
		}
		axis := Axis{Key: f.name}
		if _, err := fieldAt(reflect.ValueOf(&Cell{}).Elem(), f.name); err != nil {
			p.fail(f.key, "%w", err)
			continue
		}
		if i := slices.IndexFunc(axes, func(a Axis) bool { return overlap(a.Key, f.name) }); i >= 0 {
			p.fail(f.key, "matrix: %s is varied by %s already", f.name, axes[i].Key)
			continue
		}
		list, ok := p.resolve(f.value)
		if !ok {
			return nil
		}
		if list.Kind != yaml.SequenceNode || len(list.Content) == 0 {
			p.fail(f.value, "matrix %s: want a list of at least one value, found %s", f.name, describe(list))
			continue
		}
		before := len(*p.errs)
		for _, item := range list.Content {
			c := DefaultCell()
			p.setting(item, &c, f.name)
			axis.Values = append(axis.Values, c)
			if len(*p.errs)-before > maxErrors {
				return nil // no more are shown
			}
		}
		if len(*p.errs) == before {
			p.checkDistinct(f, axis)
		}
		axes = append(axes, axis)
	}
	return axes
}

// product is the number of cells of a matrix, at most one too many, told from the
// lengths of its lists.
func (p *parser) product(axes []field) int {
	size := 1
	for _, f := range axes {
		list, ok := p.resolve(f.value)
		if ok && list.Kind == yaml.SequenceNode {
			size = min(size*max(len(list.Content), 1), maxTrials+1)
		}
	}
	return size
}

// checkDistinct refuses an axis that repeats a value, which would plan one cell
// twice.
func (p *parser) checkDistinct(f field, axis Axis) {
	first := map[string]int{}
	for i := range axis.Values {
		value := string(canonical(at(&axis.Values[i], axis.Key).Interface()))
		if j, ok := first[value]; ok {
			p.fail(f.value, "matrix %s: value %d repeats value %d", axis.Key, i+1, j+1)
			continue
		}
		first[value] = i
	}
}

// setting decodes one value into the dotted key of a cell.
func (p *parser) setting(n *yaml.Node, c *Cell, key string) {
	v, err := fieldAt(reflect.ValueOf(c).Elem(), key)
	if err != nil {
		p.fail(n, "%w", err)
		return
	}
	before := len(*p.errs)
	p.into(n, v, key)
	if len(*p.errs) > before {
		return
	}
	if err := p.checkKey(key, c); err != nil {
		n, _ = p.resolve(n)
		p.refuse(n, err)
	}
}

// overrides reads include or exclude entries, whose keys may be dotted.
func (p *parser) overrides(n *yaml.Node, section string) []Overrides {
	if n.Kind != yaml.SequenceNode {
		p.fail(n, "%s: want a list, found %s", section, describe(n))
		return nil
	}
	if len(n.Content) > maxTrials {
		p.fail(n, "%s: %d entries, more than %d", section, len(n.Content), maxTrials)
		return nil
	}
	var out []Overrides
	for _, item := range n.Content {
		item, ok := p.resolve(item)
		if !ok {
			return nil
		}
		o := Overrides{Cell: DefaultCell()}
		if item.Kind == yaml.MappingNode && len(item.Content) == 0 {
			p.fail(item, "%s: the entry names no setting", section)
		}
		for _, f := range p.fields(item, section) {
			if _, err := fieldAt(reflect.ValueOf(&o.Cell).Elem(), f.name); err != nil {
				p.fail(f.key, "%w", err)
				continue
			}
			o.Keys = append(o.Keys, f.name)
			p.setting(f.value, &o.Cell, f.name)
		}
		out = append(out, o)
	}
	return out
}

// names reads a list of names of one kind, each given once.
func (p *parser) names(n *yaml.Node, section, kind string, known []string) []string {
	var out []string
	before := len(*p.errs)
	p.into(n, reflect.ValueOf(&out).Elem(), section)
	if len(*p.errs) > before {
		return nil
	}
	if n.Kind == yaml.SequenceNode && len(n.Content) == 0 {
		p.fail(n, "%s: the list is empty", section)
	}
	seen := map[string]bool{}
	for i, name := range out {
		item := n.Content[i]
		switch {
		case seen[name]:
			p.fail(item, "%s: %q given twice", section, name)
		case !slices.Contains(known, name):
			p.fail(item, "%w", nearest.Unknown(kind, name, known))
		}
		seen[name] = true
	}
	return out
}
