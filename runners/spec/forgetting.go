package spec

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"gopkg.in/yaml.v3"

	"infbench/internal/nearest"
	"infbench/internal/strict"
	"infbench/metrics"
	"infbench/training/setting"
)

// Forgetting asks whether training cost abilities that a backbone had before, measured on
// collections outside the training's topic:
//
//	forgetting: {collections: [./scifact/beir, mteb/nfcorpus], measure: nDCG@10, margin: 0.02}
//
// Collections are named as under evaluate. Every trained cell is evaluated on them, and so is
// its start, the baseline untrained, which is added to the plan if baselines do not list it.
// Other baselines are not. The collections count like the other benchmarks of those cells:
// names and contents are part of the trial IDs. Measure and margin change no number and no ID.
// They are in the plan, so that a change after the run is a change of the plan and is reported.
type Forgetting struct {
	Collections []string `yaml:"collections"` // in the form of Trial.Evaluate
	Measure     string   `yaml:"measure"`     // a measure of every collection
	Margin      float64  `yaml:"margin"`      // largest loss that counts as none, in the unit of the measure: 0.02 of nDCG@10 appears as 2.0 in tables
}

// Describe describes the fields of a Forgetting.
func (Forgetting) Describe() []setting.Setting {
	return []setting.Setting{
		{Name: "collections", Unsaid: "required", Meaning: "collections that training may have harmed, named as under evaluate", Source: setting.Own},
		{Name: "measure", Meaning: "measure of the collections", Source: "BEIR (arXiv 2104.08663)"},
		{Name: "margin", Range: "(0,1)", Unit: "the measure's, 0 to 1", Unsaid: "required", Meaning: "largest loss that counts as none: 0.02 appears as 2.0 in tables", Source: setting.Own},
	}
}

// forgettingMeasure is BEIR's measure.
const forgettingMeasure = "nDCG@10"

// Given reports whether the file has the section.
func (f Forgetting) Given() bool { return len(f.Collections) > 0 }

// Names returns the names of the collections in results.
func (f Forgetting) Names() []string {
	var names []string
	for _, entry := range f.Collections {
		names = append(names, NameOf(entry))
	}
	return names
}

// forgetting reads the key forgetting.
func (p *parser) forgetting(n *yaml.Node) Forgetting {
	f, found := Forgetting{Measure: forgettingMeasure}, map[string]bool{}
	for _, field := range p.Fields(n, "forgetting") {
		value, ok := p.Resolve(field.Value)
		if !ok {
			return Forgetting{}
		}
		found[field.Name] = true
		switch field.Name {
		case "collections":
			p.tests(value, "forgetting: collections", &p.e.Forgetting.Collections)
		case "measure":
			p.forgettingMeasure(value, &f.Measure)
		case "margin":
			p.margin(value, &f.Margin)
		default:
			p.Fail(field.Key, "forgetting: %w", nearest.Unknown("key", field.Name, strict.FieldNames(reflect.TypeFor[Forgetting]())))
		}
	}
	for _, need := range []string{"collections", "margin"} {
		if n.Kind == yaml.MappingNode && !found[need] {
			p.Fail(n, "forgetting: missing key %q", need)
		}
	}
	return f
}

// forgettingMeasure reads a measure that has a direction.
func (p *parser) forgettingMeasure(n *yaml.Node, into *string) {
	if !p.Into(n, reflect.ValueOf(into).Elem(), "forgetting: measure") {
		return
	}
	m, _, err := metrics.ParseSelector(*into)
	if err != nil {
		p.Fail(n, "forgetting: %w", err)
		return
	}
	*into = m.String()
}

// margin reads the largest loss that counts as none.
func (p *parser) margin(n *yaml.Node, into *float64) {
	if p.Into(n, reflect.ValueOf(into).Elem(), "forgetting: margin") && !(*into > 0 && *into < 1) {
		p.Fail(n, "forgetting: margin %v: want a number above 0 and below 1, in the unit of the measure: 0.02 appears as 2.0 in tables", *into)
	}
}

// tests lists the benchmarks that a cell is evaluated on. A trained cell and its start are also
// evaluated on the collections of forgetting.
func (e *Experiment) tests(c *Cell) []string {
	if c.Model != Trained && c.Model != Untrained {
		return e.Evaluate
	}
	all := slices.Clone(e.Evaluate)
	for _, entry := range e.Forgetting.Collections {
		if !slices.Contains(all, entry) {
			all = append(all, entry)
		}
	}
	return all
}

// checkForgetting refuses a collection for which evaluate names other tasks, or that has the
// name of another benchmark.
func (p *parser) checkForgetting(e *Experiment, n *yaml.Node) {
	for _, entry := range e.Forgetting.Collections {
		for _, other := range e.Evaluate {
			one, _ := TasksOf(entry)
			switch of, _ := TasksOf(other); {
			case entry == other || NameOf(entry) != NameOf(other):
			case of == one:
				p.Fail(n, "forgetting: evaluate has %s, and this is %s: name the same tasks", other, entry)
			default:
				p.Fail(n, "forgetting: %w", sameName(entry, other))
			}
		}
	}
}

// sameName returns the error for two collections with the same name in results.
func sameName(a, b string) error {
	return fmt.Errorf("%s and %s are both called %s: give one of them another name by infbench data import DIR --name NAME", a, b, NameOf(a))
}

// references returns the baselines, with the start of trained cells if forgetting is asked.
func (e *Experiment) references() []Cell {
	if !e.Forgetting.Given() || slices.ContainsFunc(e.Baselines, func(b Cell) bool { return b.Model == Untrained }) {
		return e.Baselines
	}
	return append(slices.Clone(e.Baselines), Cell{Model: Untrained})
}

// checkStarts returns an error for an experiment with forgetting if it trains nothing or if a
// collection lacks a named task.
func (e *Experiment) checkStarts(trained []start, resolve Resolver) error {
	if e.Forgetting.Given() && len(trained) == 0 {
		return e.fault(errors.New("forgetting: the experiment has no trained cell"), "forgetting")
	}
	for _, entry := range e.Forgetting.Collections {
		if _, err := resolve(entry, trained[0].World); errors.As(err, new(*nearest.UnknownError)) {
			return e.fault(err, "forgetting")
		}
	}
	return nil
}
