package spec

import (
	"fmt"
	"iter"
	"slices"

	"gopkg.in/yaml.v3"

	"infbench/internal/strict"
)

// NameKind says what a name is the name of.
type NameKind string

// The kinds of names that only package catalog knows.
const (
	NameOfLoss       NameKind = "loss"
	NameOfData       NameKind = "data" // a mixture of training sources
	NameOfBackbone   NameKind = "backbone"
	NameOfCollection NameKind = "collection" // a benchmark, or a collection by its folder or of the hub
	NameOfTask       NameKind = "task"       // of the benchmark Of
	NameOfModel      NameKind = "model"      // a baseline, a model by its folder or of the hub, a run file
)

// Spelling returns the one spelling of a name, as catalog.Canonical does.
type Spelling func(kind NameKind, text string) (string, error)

// Name is a name that an experiment file or a --set has. The parser keeps where it stands;
// whether there is such a thing is found out later, by catalog.Resolve.
type Name struct {
	Kind NameKind
	Text string
	Of   string

	node   *yaml.Node
	parser *parser
	words  func(error) error // an error as the file's; nil: as it is
	after  *Name             // without which it means nothing
	failed bool
}

// Found says what a name is of: of a model all of Model, of everything else the Name by
// which cells have it. An error is one of the file, at the name.
func (n *Name) Found(m Model, err error) {
	if err == nil {
		n.parser.e.found[named{n.Kind, n.Text}] = m
		return
	}
	n.failed = true
	if n.words != nil {
		err = n.words(err)
	}
	n.parser.Refuse(n.node, err)
}

// named is what a name was found by.
type named struct {
	kind NameKind
	text string
}

// Names goes through the names that were not looked up yet, in the order in which they
// were read, but those of a part of what was not found.
func (e *Experiment) Names() iter.Seq[*Name] {
	return func(yield func(*Name) bool) {
		for _, n := range e.names {
			if (n.after == nil || !n.after.failed) && !yield(n) {
				return
			}
		}
	}
}

// look keeps a name that is to be looked up. A value that is read again, for another base,
// is looked up once.
func (p *parser) look(n *yaml.Node, kind NameKind, text string, words func(error) error) *Name {
	for _, known := range slices.Backward(p.e.names) {
		if known.parser != p || known.node.Line != n.Line || known.node.Column != n.Column {
			break
		}
		if known.Kind == kind && known.Text == text {
			return known
		}
	}
	name := &Name{Kind: kind, Text: text, node: n, parser: p, words: words}
	p.e.names = append(p.e.names, name)
	return name
}

// prefixed words an error behind the place that it is of.
func prefixed(format string, args ...any) func(error) error {
	return func(err error) error { return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), err) }
}

// mark is how far a file was read, to tell what was wrong from there on.
type mark struct{ faults, names int }

func (p *parser) mark() mark { return mark{p.Faults(), len(p.e.names)} }

// unlessFaulty makes a check once names are known, where nothing that was read since the
// mark is wrong.
func (p *parser) unlessFaulty(since mark, check func()) {
	names := slices.Clone(p.e.names[since.names:])
	if p.Faults() > since.faults {
		return
	}
	p.e.checks = append(p.e.checks, func() {
		if !slices.ContainsFunc(names, func(n *Name) bool { return n.failed }) {
			check()
		}
	})
}

// Complete ends the reading of an experiment whose names were looked up: cells have them as
// they were found, and what shows only then is checked. It returns all that is wrong with
// the file and what was set, of type strict.Errors.
func (e *Experiment) Complete() error {
	for _, c := range e.cells() {
		for _, name := range []struct {
			kind NameKind
			text *string
		}{{NameOfLoss, &c.Loss}, {NameOfData, &c.Data}, {NameOfData, &c.Train.StepsOf}, {NameOfBackbone, &c.Backbone},
			{NameOfModel, &c.Model}, {NameOfModel, &c.Train.FalseNegatives.Guide}, {NameOfModel, &c.Train.Distill.Teacher}} {
			if m, ok := e.found[named{name.kind, *name.text}]; ok {
				*name.text = m.Name
			}
		}
	}
	for name, m := range e.found {
		for _, key := range []string{"data", stepsOfKey} {
			if at, ok := e.places[key+": "+name.text]; ok && name.kind == NameOfData {
				e.places[key+": "+m.Name] = at
			}
		}
	}
	for _, check := range e.checks {
		check()
	}
	var all strict.Errors
	for _, p := range e.parsers {
		if faults, ok := p.Err().(strict.Errors); ok {
			all = append(all, faults...)
		}
	}
	if len(all) > 0 {
		return all
	}
	e.names, e.checks, e.entries = nil, nil, nil
	return nil
}

// cells lists all cells that the experiment holds, baselines apart.
func (e *Experiment) cells() []*Cell {
	cells := []*Cell{&e.Base}
	for i := range e.Bases {
		cells = append(cells, &e.Bases[i].Cell)
	}
	for i := range e.Axes {
		for j := range e.Axes[i].Values {
			cells = append(cells, &e.Axes[i].Values[j])
		}
	}
	for _, list := range [][]Overrides{e.Include, e.Exclude} {
		for i := range list {
			cells = append(cells, &list[i].Cell)
		}
	}
	for i := range e.ResourceRules {
		cells = append(cells, &e.ResourceRules[i].When.Cell)
	}
	return cells
}
