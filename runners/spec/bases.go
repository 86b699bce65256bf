package spec

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"infbench/internal/nearest"
	"infbench/internal/strict"
)

// Base is a named variant of an experiment's base: the settings of base, overridden by its own,
// such as a backbone with suitable hyperparameters.
//
//	bases:
//	  modernbert: {backbone: answerdotai/ModernBERT-base, design: {pooling: cls}}
//	  qwen: {backbone: Qwen/Qwen2.5-1.5B, design: {pooling: last}, train: {chunk: 4}}
//
// The matrix is applied to each of them. It may not vary a setting of one of them, because the
// base would no longer be what its name means. Names are for people and for --set: no trial ID
// depends on them.
type Base struct {
	Name string
	Cell Cell
	keys []string // dotted keys of its settings
}

// baseKey selects one of an experiment's bases in Set.
const baseKey = "base"

// start is the start of cells, or a cell with the name of its base, "" if bases have no names.
type start struct {
	Cell
	base  string
	label string // of an entry of baselines
}

// starts lists the starts of cells.
func (e *Experiment) starts() []start {
	if len(e.Bases) == 0 {
		return []start{{Cell: e.Base}}
	}
	var cells []start
	for _, b := range e.Bases {
		cells = append(cells, start{Cell: b.Cell, base: b.Name})
	}
	return cells
}

// setBase keeps only the base with a name.
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

// bases reads the named bases, each with its settings over those of base.
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

// overlap reports whether one dotted key equals the other or is within it.
func overlap(a, b string) bool {
	return a == b || strings.HasPrefix(a, b+".") || strings.HasPrefix(b, a+".")
}
