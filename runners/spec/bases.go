package spec

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"infbench/internal/nearest"
	"infbench/internal/strict"
)

// Base is a named start of cells: the settings of an experiment's base with its own
// over them, such as a backbone with the hyperparameters that it wants.
//
//	bases:
//	  modernbert: {backbone: answerdotai/ModernBERT-base, design: {pooling: cls}}
//	  qwen: {backbone: Qwen/Qwen2.5-1.5B, design: {pooling: last}, train: {chunk: 4}}
//
// The matrix is spread over each of them and may not vary what one of them sets:
// the base would not be what its name says. Names are for people and for --set: no
// trial ID depends on them.
type Base struct {
	Name string
	Cell Cell
	keys []string // dotted keys of the settings that it names
}

// baseKey narrows an experiment to one of its bases in Set.
const baseKey = "base"

// start is what cells start from, or a cell with the name of the base that it started
// from, "" where bases have none.
type start struct {
	Cell
	base string
}

// starts lists what cells start from.
func (e *Experiment) starts() []start {
	if len(e.Bases) == 0 {
		return []start{{Cell: e.Base}}
	}
	var cells []start
	for _, b := range e.Bases {
		cells = append(cells, start{b.Cell, b.Name})
	}
	return cells
}

// setBase leaves one base.
func (e *Experiment) setBase(name string) error {
	var names []string
	for _, b := range e.Bases {
		names = append(names, b.Name)
	}
	i := slices.Index(names, name)
	if i < 0 {
		return strict.Errors{{File: "--set " + baseKey + "=" + name, Err: nearest.Unknown("base", name, names)}}
	}
	e.Base, e.Bases = e.Bases[i].Cell, e.Bases[i:i+1]
	return nil
}

// bases reads the named bases, each over the settings of base.
func (p *parser) bases(n *yaml.Node, base Cell, axes []Axis) []Base {
	var out []Base
	fields := p.Fields(n, "bases")
	if n.Kind == yaml.MappingNode && len(fields) == 0 {
		p.Fail(n, "bases: the mapping is empty")
	}
	same := map[string]string{} // settings -> name
	for _, f := range fields {
		value, ok := p.Resolve(f.Value)
		if !ok || p.Full() {
			return nil
		}
		b := Base{Name: f.Name, Cell: base, keys: leaves(value, "")}
		since := p.mark()
		p.cell(value, "bases."+f.Name, &b.Cell)
		for _, axis := range axes {
			if slices.ContainsFunc(b.keys, func(key string) bool { return overlap(key, axis.Key) }) {
				p.Fail(f.Key, "bases: %s sets %s, which the matrix varies", b.Name, axis.Key)
			}
		}
		p.unlessFaulty(since, func() {
			i := slices.IndexFunc(p.e.Bases, func(other Base) bool { return other.Name == b.Name })
			settings := string(canonical(p.e.Bases[i].Cell))
			if other := same[settings]; other != "" {
				p.Fail(f.Key, "bases: %s has the settings of %s", b.Name, other)
			}
			same[settings] = b.Name
		})
		out = append(out, b)
	}
	return out
}

// leaves lists the dotted keys of a mapping's innermost values.
func leaves(n *yaml.Node, path string) []string {
	if n.Kind != yaml.MappingNode {
		return []string{path}
	}
	var out []string
	for i := 0; i+1 < len(n.Content); i += 2 {
		out = append(out, leaves(n.Content[i+1], strict.Join(path, n.Content[i].Value))...)
	}
	return out
}

// overlap says whether one dotted key is the other or within it.
func overlap(a, b string) bool {
	return a == b || strings.HasPrefix(a, b+".") || strings.HasPrefix(b, a+".")
}
