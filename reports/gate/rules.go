package gate

import (
	"errors"
	"fmt"
	"reflect"

	"gopkg.in/yaml.v3"

	"infbench/internal/nearest"
	"infbench/internal/strict"
	"infbench/internal/words"
	"infbench/metrics"
	"infbench/reports/table"
)

// Rule is one demand of a gate on every number that it names. An empty name fits all.
type Rule struct {
	Line                           int // in the file
	Measure, Benchmark, Task, Side string
	System, Kind                   string
	Minimum, Maximum               *float64 // native range; nil: no demand
	MaximumDrop                    *float64 // largest change for the worse, native range
	Level                          *float64 // level of significance
	New                            bool     // a number that the baseline lacks passes
	Dropped                        bool     // a number that the plan no longer asks for passes
	direction                      metrics.Direction
	file                           string
}

// Position returns file and line of the rule: "gate.yaml:4".
func (r *Rule) Position() string { return fmt.Sprintf("%s:%d", r.file, r.Line) }

// against reports whether a rule compares numbers with a baseline.
func (r *Rule) against() bool { return r.MaximumDrop != nil || r.Level != nil }

// ParseRules reads the rules of a gate:
//
//	scale: 100                # of minimum, maximum and maximum_drop: as in tables; or 1
//	rules:
//	  - measure: nDCG@10      # required
//	    benchmark: mini-mair  # this and the next three: left out for all
//	    task: entity-lookup   # only this one; else single tasks and the boards' means over tasks
//	    side: original
//	    system: multi(P,I)    # name in reports
//	    kind: trained         # or baseline, null
//	    minimum: 30           # lowest mean
//	    maximum: 80           # highest mean
//	    maximum_drop: 1       # against the baseline; a rise if lower is better
//	    significance: 0.05    # only drops with a corrected p of at most this count
//	    new: pass             # by default a number without a baseline fails
//	    dropped: fail         # by default a number that the plan no longer asks for passes
//
// A rule with a significance and no maximum_drop allows no significant drop. Earlier rules were
// from 0 to 1: without a scale, a number that could be meant so is an error. Counts are the same on
// both scales. The function measure turns the name of a measure into the one in results. ParseRules
// reports all mistakes at once, each with file:line:column.
func ParseRules(file string, data []byte, measure func(string) (string, error)) ([]*Rule, error) {
	d, root, err := strict.Parse(file, data)
	if err != nil {
		return nil, err
	}
	d.Rejoin(root, nil)
	var rules []*Rule
	fields := d.Fields(root, "rules of a gate")
	by := scaleOf(d, fields)
	for _, f := range fields {
		switch {
		case f.Name == "scale":
		case f.Name != "rules":
			d.Fail(f.Key, "%w", nearest.Unknown("key", f.Name, []string{"rules", "scale"}))
		case f.Value.Kind != yaml.SequenceNode:
			d.Fail(f.Value, "rules: want a list, found %s", strict.Describe(f.Value))
		default:
			for _, item := range f.Value.Content {
				rules = append(rules, parseRule(d, item, by, measure))
			}
		}
	}
	if len(rules) == 0 && d.Faults() == 0 {
		d.Fail(root, "there is no rule; a gate without rules would let everything pass")
	}
	return rules, d.Err()
}

// ruleText is a rule in the form of the file.
type ruleText struct {
	Measure     ruleName `yaml:"measure"`
	Benchmark   ruleName `yaml:"benchmark"`
	Task        ruleName `yaml:"task"`
	Side        ruleName `yaml:"side"`
	System      ruleName `yaml:"system"`
	Kind        ruleName `yaml:"kind"`
	Minimum     *float64 `yaml:"minimum"`
	Maximum     *float64 `yaml:"maximum"`
	MaximumDrop *float64 `yaml:"maximum_drop"`
	Level       *float64 `yaml:"significance"`
	New         passing  `yaml:"new"`
	Dropped     *passing `yaml:"dropped"`
}

// ruleName is a name from results: cleaned like theirs, and not empty.
type ruleName string

func (n *ruleName) UnmarshalText(text []byte) error {
	if *n = ruleName(words.Clean(string(text))); *n == "" {
		return errors.New("want a name")
	}
	return nil
}

// passing is "pass" or "fail".
type passing bool

func (p *passing) UnmarshalText(text []byte) error {
	if *p = string(text) == "pass"; !*p && string(text) != "fail" {
		return nearest.Unknown("value", string(text), []string{"pass", "fail"})
	}
	return nil
}

// parseRule reads one rule.
func parseRule(d *strict.Decoder, n *yaml.Node, by scale, measure func(string) (string, error)) *Rule {
	var t ruleText
	if !d.Into(n, reflect.ValueOf(&t).Elem(), "rule") {
		return nil
	}
	r := &Rule{
		Line: n.Line, file: d.File,
		Measure: string(t.Measure), Benchmark: string(t.Benchmark), Task: string(t.Task), Side: string(t.Side),
		System: string(t.System), Kind: string(t.Kind),
		Minimum: t.Minimum, Maximum: t.Maximum, MaximumDrop: t.MaximumDrop, Level: t.Level,
		New: bool(t.New), Dropped: t.Dropped == nil || bool(*t.Dropped),
	}
	err := r.check(measure)
	if err == nil {
		err = r.rescale(by)
	}
	if err != nil {
		n, _ = d.Resolve(n)
		d.Refuse(n, err)
	}
	return r
}

// check returns an error for a missing or unexpected part of a rule, and replaces its measure by
// the name in results.
func (r *Rule) check(measure func(string) (string, error)) error {
	switch {
	case r.Measure == "":
		return errors.New("a rule needs a measure")
	case r.Minimum == nil && r.Maximum == nil && !r.against():
		return errors.New("the rule demands nothing: give minimum, maximum, maximum_drop or significance")
	case r.MaximumDrop != nil && *r.MaximumDrop < 0:
		return fmt.Errorf("maximum_drop %v is negative", *r.MaximumDrop)
	case r.Level != nil && !(*r.Level > 0 && *r.Level < 1):
		return fmt.Errorf("significance %v is not between 0 and 1", *r.Level)
	}
	if err := nearest.OneOf("side", metrics.Side(r.Side), metrics.Sides()...); err != nil {
		return fmt.Errorf("side: %w", err)
	}
	if err := nearest.OneOf("kind", table.Kind(r.Kind), table.Trained, table.Baseline, table.Null); err != nil {
		return fmt.Errorf("kind: %w", err)
	}
	name, err := measure(r.Measure)
	if err != nil {
		return fmt.Errorf("measure: %w", err)
	}
	r.Measure = words.Clean(name)
	if r.direction, err = metrics.DirectionOf(name); err == nil && r.against() && r.direction == metrics.Neither {
		return fmt.Errorf("neither direction of measure %s is better, so no change of it is a drop: give minimum or maximum", r.Measure)
	}
	return nil
}
