package spec

import (
	"fmt"
	"iter"
	"slices"

	"gopkg.in/yaml.v3"

	"infbench/internal/strict"
)

// NameKind is the kind of a name.
type NameKind string

// Kinds of names that only package catalog knows.
const (
	NameOfLoss       NameKind = "loss"
	NameOfData       NameKind = "data" // a mixture of training sources
	NameOfBackbone   NameKind = "backbone"
	NameOfCollection NameKind = "collection" // a benchmark, or a collection in a folder or on the hub
	NameOfTask       NameKind = "task"       // of the benchmark Of
	NameOfModel      NameKind = "model"      // a baseline, a model in a folder or on the hub, a run file
)

// Spelling returns the canonical spelling of a name, as catalog.Canonical does.
type Spelling func(kind NameKind, text string) (string, error)

// Name is a name in an experiment file or a --set. The parser records its place;
// catalog.Resolve looks it up later.
type Name struct {
	Kind NameKind
	Text string
	Of   string

	node   *yaml.Node
	parser *parser
	words  func(error) error // adds the file's context to an error; nil: none
	after  *Name             // a name without which this one means nothing
	failed bool
}

// Found records the result of the lookup: all of Model for a model, only the Name that cells
// use for everything else. An error is reported at the name's place in the file.
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

// named identifies a name that was looked up.
type named struct {
	kind NameKind
	text string
}

// Names iterates over the names that have not been looked up, in the order in which they were
// read. It skips parts of names that were not found.
func (e *Experiment) Names() iter.Seq[*Name] {
	return func(yield func(*Name) bool) {
		for _, n := range e.names {
			if (n.after == nil || !n.after.failed) && !yield(n) {
				return
			}
		}
	}
}

// look records a name for lookup. A value that is read again, for another base, is looked up
// once.
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

// prefixed returns a function that adds a place before an error.
func prefixed(format string, args ...any) func(error) error {
	return func(err error) error { return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), err) }
}

// mark is a position in reading a file, for finding errors after it.
type mark struct{ faults, names int }

func (p *parser) mark() mark { return mark{p.Faults(), len(p.e.names)} }

// unlessFaulty makes a check once names are known, if there is no error after the mark.
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

// Complete ends the reading of an experiment whose names were looked up. It stores the found
// names in the cells and makes the remaining checks. It returns all errors in the file and in
// the settings of the command line, as strict.Errors.
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

// cells lists all cells of the experiment except baselines.
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
	for _, l := range e.labels {
		if l.key != SystemKey {
			cells = append(cells, &l.cell)
		}
	}
	for i := range e.ResourceRules {
		cells = append(cells, &e.ResourceRules[i].When.Cell)
	}
	return cells
}
