package spec

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"gopkg.in/yaml.v3"

	"infbench/internal/nearest"
	"infbench/metrics"
	"infbench/training/setting"
)

// Select says how the best configuration is picked of those that were trained:
// one for each combination of the settings Per, by the mean of a measure that has a
// direction. Seeds are no configurations: they are averaged.
//
//	select: {on: validation, measure: p-MRR, per: loss}
//	select: {on: test, measure: p-MRR, per: [backbone, interaction]}
//
// A pick on validation whose measure is named validates cells by it on held-out
// queries where the file does not say how else. A pick on the test is what the paper's Table 2 is; every row that it touches says
// so in every report.
type Select struct {
	On      string   `yaml:"on"`                // OnValidation or OnTest
	Measure string   `yaml:"measure,omitempty"` // on validation: what the cells are validated by
	Per     []string `yaml:"per,omitempty"`     // default: backbone
}

// Describe says what the fields of a Select are.
func (Select) Describe() []setting.Setting {
	return []setting.Setting{
		{Name: "on", Unsaid: "required", Meaning: "pick on held-out queries, or on the test as the paper does, which every row then says", Source: "InF-IR paper, table 2: test"},
		{Name: "measure", Unsaid: "that of validate", Meaning: "measure to pick by (infbench list measures)", Source: setting.Own},
		{Name: "per", Unsaid: "backbone", Meaning: "settings of which each combination gets a pick of its own", Source: setting.Own},
	}
}

// What a configuration can be picked on.
const (
	OnValidation = "validation"
	OnTest       = "test"
)

// Given says whether anything is picked.
func (s Select) Given() bool { return s.On != "" }

// complete fills in what a file leaves open and checks the rest.
func (s *Select) complete() error {
	if on := []string{OnValidation, OnTest}; !slices.Contains(on, s.On) {
		return fmt.Errorf("select: on: %w", nearest.Unknown("choice", s.On, on))
	}
	if s.Measure == "" && s.On == OnTest {
		return errors.New("select: needs a measure, such as nDCG@10 or p-MRR")
	}
	if s.Measure != "" {
		m, _, err := metrics.ParseSelector(s.Measure)
		if err != nil {
			return err
		}
		s.Measure = m.String()
	}
	if len(s.Per) == 0 {
		s.Per = []string{"backbone"}
	}
	for i, key := range s.Per {
		if _, err := fieldAt(reflect.ValueOf(&Cell{}).Elem(), key); err != nil {
			return fmt.Errorf("select: per: %w", err)
		}
		if key == "seed" || slices.Contains(s.Per[:i], key) {
			return fmt.Errorf("select: per: %s must not stand here: seeds are averaged, and a key counts once", key)
		}
	}
	return nil
}

// StopHopeless ends the training of a cell early once held-out queries say that it
// cannot become the best (runs/hopeless.go states the rule). Which cells it ends
// depends on which finished before: it is off unless asked for, and no trial ID
// depends on it.
type StopHopeless struct {
	Alpha float64 `yaml:"alpha"` // chance of ending a cell for sampling noise alone
}

// Describe says what the fields of a StopHopeless are.
func (StopHopeless) Describe() []setting.Setting {
	return []setting.Setting{
		{Name: "alpha", Range: "(0,0.5]", Unit: "probability", Unsaid: "required", Meaning: "chance of ending a cell for sampling noise alone", Source: setting.Own},
	}
}

// Given says whether hopeless cells are stopped.
func (s StopHopeless) Given() bool { return s.Alpha != 0 }

// selection reads the key select.
func (p *parser) selection(n *yaml.Node) (s Select) {
	if !p.Into(oneAsList(n, "per"), reflect.ValueOf(&s).Elem(), "select") {
		return Select{}
	}
	if err := s.complete(); err != nil {
		p.Refuse(n, err)
	}
	return s
}

// oneAsList is a mapping in which a single name stands for a list of one.
func oneAsList(n *yaml.Node, key string) *yaml.Node {
	made := *n
	made.Content = slices.Clone(n.Content)
	for i := 1; i < len(made.Content); i += 2 {
		if v := made.Content[i]; made.Content[i-1].Value == key && v.Kind == yaml.ScalarNode {
			made.Content[i] = &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Line: v.Line, Column: v.Column, Content: []*yaml.Node{v}}
		}
	}
	return &made
}

// validateBySelection validates a trained cell by what select goes by, on held-out
// queries, where the file does not say how.
func (e *Experiment) validateBySelection(c *Cell) {
	if c.Model == Trained && e.Select.On == OnValidation && e.Select.Measure != "" && !c.Validate.Given() {
		c.Validate = Validation{Data: HeldOut, Measure: e.Select.Measure, Queries: heldOutRecords}
	}
}

// stopping reads the key stop_hopeless.
func (p *parser) stopping(n *yaml.Node) (s StopHopeless) {
	if p.Into(n, reflect.ValueOf(&s).Elem(), "stop_hopeless") && !(s.Alpha > 0 && s.Alpha <= 0.5) {
		p.Fail(n, "stop_hopeless: needs alpha, a share above 0 and at most 0.5, found %v", s.Alpha)
	}
	return s
}

// checkValidated refuses trained cells that lack the validation which they, select
// or stop_hopeless go by.
func (e *Experiment) checkValidated(cells []start) error {
	for i := range cells {
		c := &cells[i].Cell
		if c.Model != Trained {
			continue
		}
		switch v := c.Validate; {
		case e.Select.On == OnValidation && !v.Given():
			return e.fault(fmt.Errorf("select on %s needs a measure, such as nDCG@10 or p-MRR, or a key validate", OnValidation), "select")
		case e.Select.On == OnValidation && e.Select.Measure != "" && v.Measure != e.Select.Measure:
			return e.fault(fmt.Errorf("select goes by %s, and cells are validated by %s", e.Select.Measure, v.Measure), "select")
		case e.Stop.Given() && (!v.Given() || c.Train.EvaluateEvery == 0):
			return e.fault(errors.New("stop_hopeless needs validate and train.evaluate_every, to look at a cell while it is trained"), "stop_hopeless")
		}
		if c.Dims > 0 && c.Similarity != "" {
			return e.fault(fmt.Errorf("dims %d normalises what is left of vectors, whose inner products are then cosines: leave similarity %s out, or dims", c.Dims, c.Similarity), "base", "bases", "matrix", "include")
		}
		if err := c.checkValidation(e.tests(c)); err != nil {
			return e.fault(err, "base", "bases", "matrix", "include")
		}
	}
	return nil
}
