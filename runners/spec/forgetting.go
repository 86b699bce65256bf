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

// Forgetting asks whether training cost what a backbone could do before, on collections
// that it is not about:
//
//	forgetting: {collections: [./scifact/beir, mteb/nfcorpus], measure: nDCG@10, margin: 0.02}
//
// Collections are named as under evaluate. Every trained cell is evaluated on them, and
// so is its start, the baseline untrained, which is planned where baselines lack it;
// other baselines are not. They count like the other benchmarks of those cells: names
// and contents are part of the trial IDs. Measure and margin change no number and no ID:
// they stand in the plan, so that a change after the run is one of the plan and is named.
type Forgetting struct {
	Collections []string `yaml:"collections"` // as Trial.Evaluate has them
	Measure     string   `yaml:"measure"`     // one that every collection is scored by
	Margin      float64  `yaml:"margin"`      // how much worse is as good as before, in the unit of the measure: 0.02 of nDCG@10 is what tables print as 2.0
}

// Describe says what the fields of a Forgetting are.
func (Forgetting) Describe() []setting.Setting {
	return []setting.Setting{
		{Name: "collections", Unsaid: "required", Meaning: "collections that it may have forgotten, named as under evaluate", Source: setting.Own},
		{Name: "measure", Meaning: "measure that they are scored by", Source: "BEIR (arXiv 2104.08663)"},
		{Name: "margin", Range: "(0,1)", Unit: "the measure's, 0 to 1", Unsaid: "required", Meaning: "how much worse is as good as before: 0.02 is what tables print as 2.0", Source: setting.Own},
	}
}

// forgettingMeasure is BEIR's.
const forgettingMeasure = "nDCG@10"

// Given says whether it is asked at all.
func (f Forgetting) Given() bool { return len(f.Collections) > 0 }

// Names are what results call the collections.
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

// margin reads how much worse is as good as before.
func (p *parser) margin(n *yaml.Node, into *float64) {
	if p.Into(n, reflect.ValueOf(into).Elem(), "forgetting: margin") && !(*into > 0 && *into < 1) {
		p.Fail(n, "forgetting: margin %v: want a number above 0 and below 1, in the unit of the measure: 0.02 is what tables print as 2.0", *into)
	}
}

// tests lists the benchmarks that a cell is evaluated on: what is trained, and its start,
// on the collections that it may have forgotten, too.
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

// checkForgetting refuses a collection of which evaluate names other tasks, or that is
// called as another benchmark.
func (p *parser) checkForgetting(e *Experiment, n *yaml.Node) {
	for _, entry := range e.Forgetting.Collections {
		for _, other := range e.Evaluate {
			one, _ := TasksOf(entry)
			switch of, _ := TasksOf(other); {
			case entry == other || NameOf(entry) != NameOf(other):
			case of == one:
				p.Fail(n, "forgetting: evaluate has %s, and this is %s: name the same tasks of it", other, entry)
			default:
				p.Fail(n, "forgetting: %w", sameName(entry, other))
			}
		}
	}
}

// sameName is the error for two collections that results could not tell apart.
func sameName(a, b string) error {
	return fmt.Errorf("%s and %s are both called %s: give one of them another name by infbench data import DIR --name NAME", a, b, NameOf(a))
}

// references are the baselines, with the start of what is trained where it may forget.
func (e *Experiment) references() []Cell {
	if !e.Forgetting.Given() || slices.ContainsFunc(e.Baselines, func(b Cell) bool { return b.Model == Untrained }) {
		return e.Baselines
	}
	return append(slices.Clone(e.Baselines), Cell{Model: Untrained})
}

// checkStarts refuses a trial of forgetting in which nothing is trained, or whose
// collections lack a task that is named.
func (e *Experiment) checkStarts(trained []start, resolve Resolver) error {
	if e.Forgetting.Given() && len(trained) == 0 {
		return e.fault(errors.New("forgetting: no cell is trained that could forget"), "forgetting")
	}
	for _, entry := range e.Forgetting.Collections {
		if _, err := resolve(entry, trained[0].World); errors.As(err, new(*nearest.UnknownError)) {
			return e.fault(err, "forgetting")
		}
	}
	return nil
}
