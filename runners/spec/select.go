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

// Select is the rule for selecting the best trained configuration: one for each combination of
// the settings Per, by the mean of a measure that has a direction. Seeds are averaged; they do
// not make another configuration.
//
//	select: {on: validation, measure: p-MRR, per: loss}
//	select: {on: test, measure: p-MRR, per: [backbone, interaction]}
//
// A selection on validation with a measure validates cells with this measure on held-out
// queries if the file has no other rule. The paper's Table 2 is a selection on the test; every
// report marks the affected rows.
type Select struct {
	On      string   `yaml:"on"`                // OnValidation or OnTest
	Measure string   `yaml:"measure,omitempty"` // on validation: the measure of validation
	Per     []string `yaml:"per,omitempty"`     // default: backbone
}

// Describe describes the fields of a Select.
func (Select) Describe() []setting.Setting {
	return []setting.Setting{
		{Name: "on", Unsaid: "required", Meaning: "select on held-out queries, or on the test as the paper does, which every row then shows", Source: "InF-IR paper, table 2: test"},
		{Name: "measure", Unsaid: "that of validate", Meaning: "measure of the selection (infbench list measures)", Source: setting.Own},
		{Name: "per", Unsaid: "backbone", Meaning: "settings; each combination of their values gets its own selection", Source: setting.Own},
	}
}

// Data on which a configuration can be selected.
const (
	OnValidation = "validation"
	OnTest       = "test"
)

// Given reports whether anything is selected.
func (s Select) Given() bool { return s.On != "" }

// complete fills in omitted values and checks the rest.
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
			return fmt.Errorf("select: per: %s is not allowed: seeds are averaged, and a key counts once", key)
		}
	}
	return nil
}

// StopHopeless ends the training of a cell early once held-out queries show that it cannot
// become the best (runs/hopeless.go states the rule). Which cells it ends depends on which
// finished before. It is therefore off by default, and no trial ID depends on it.
type StopHopeless struct {
	Alpha float64 `yaml:"alpha"` // chance of ending a cell because of sampling noise alone
}

// Describe describes the fields of a StopHopeless.
func (StopHopeless) Describe() []setting.Setting {
	return []setting.Setting{
		{Name: "alpha", Range: "(0,0.5]", Unit: "probability", Unsaid: "required", Meaning: "chance of ending a cell because of sampling noise alone", Source: setting.Own},
	}
}

// Given reports whether hopeless cells are stopped.
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

// oneAsList returns a mapping in which a single name is replaced by a list of one.
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

// validateBySelection validates a trained cell with the measure of select on held-out queries
// if the file has no other rule.
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

// checkValidated refuses trained cells without the validation that they, select or
// stop_hopeless need.
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
			return e.fault(fmt.Errorf("select uses %s, but cells are validated by %s", e.Select.Measure, v.Measure), "select")
		case e.Stop.Given() && (!v.Given() || c.Train.EvaluateEvery == 0):
			return e.fault(errors.New("stop_hopeless needs validate and train.evaluate_every, to look at a cell while it is trained"), "stop_hopeless")
		}
		if c.Dims > 0 && c.Compares() != "" {
			key := similarityKey
			if c.Similarity == "" {
				key = "design.score"
			}
			return e.fault(fmt.Errorf("dims %d normalises the shortened vectors, so their inner products are cosines: leave out %s %s, or dims", c.Dims, key, c.Compares()), "base", "bases", "matrix", "include")
		}
		if err := c.checkValidation(e.tests(c)); err != nil {
			return e.fault(err, "base", "bases", "matrix", "include")
		}
	}
	return nil
}
