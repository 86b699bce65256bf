package gate

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"gopkg.in/yaml.v3"

	"infbench/metrics"
	"infbench/metrics/nearest"
	"infbench/reports/table"
	"infbench/reports/words"
)

// Rule is one demand of a gate on every number that it names. Empty names hold
// for all.
type Rule struct {
	Line                           int // in the file
	Measure, Benchmark, Task, Side string
	System, Kind                   string
	Minimum, Maximum               *float64 // native range; nil: not demanded
	MaximumDrop, Level             *float64 // of what got worse
	New                            bool     // a number that the baseline has not is no fault
	direction                      metrics.Direction
	file                           string
}

// Position is where the rule stands: "gate.yaml:4".
func (r *Rule) Position() string { return fmt.Sprintf("%s:%d", r.file, r.Line) }

// against reports whether a rule holds numbers to a baseline.
func (r *Rule) against() bool { return r.MaximumDrop != nil || r.Level != nil }

// rulesAtMost bounds a file of rules, in bytes.
const rulesAtMost = 1 << 20

// ParseRules reads the rules of a gate:
//
//	rules:
//	  - measure: nDCG@10      # required
//	    benchmark: mini-mair  # this and the next three: all where left out
//	    task: entity-lookup
//	    side: original
//	    system: multi(P,I)    # as reports call it
//	    kind: trained         # or baseline, null
//	    minimum: 0.30         # lowest mean, not times 100
//	    maximum: 0.80         # highest mean
//	    maximum_drop: 0.01    # against the baseline; a rise where lower is better
//	    significance: 0.05    # only drops with a corrected p of at most this count
//	    new: pass             # a number without a baseline fails unless this is said
//
// A rule with a significance and no maximum_drop allows no significant drop.
// measure turns the name of a measure into the one that results carry. All
// mistakes are found at once, each with file:line.
func ParseRules(file string, data []byte, measure func(string) (string, error)) ([]*Rule, error) {
	p := &ruleParser{file: file, measure: measure}
	if len(data) > rulesAtMost {
		return nil, fmt.Errorf("%s: %d bytes; rules have at most %d", file, len(data), rulesAtMost)
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: the file is empty", file)
	} else if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if err := dec.Decode(&second); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s:%d: want one document", file, max(second.Line, 1))
	}
	var rules []*Rule
	for key, value := range p.fields(doc.Content[0], []string{"rules"}) {
		if key.Value != "rules" {
			continue
		}
		if value.Kind != yaml.SequenceNode {
			p.fail(value, "rules: want a list")
			continue
		}
		for _, item := range value.Content {
			rules = append(rules, p.rule(item))
		}
	}
	if len(rules) == 0 && len(p.errs) == 0 {
		p.fail(doc.Content[0], "there is no rule; a gate without rules would let everything pass")
	}
	return rules, errors.Join(p.errs...)
}

type ruleParser struct {
	file    string
	measure func(string) (string, error)
	errs    []error
}

// Fail notes a mistake at a node.
func (p *ruleParser) fail(n *yaml.Node, format string, args ...any) {
	p.errs = append(p.errs, fmt.Errorf("%s:%d: %w", p.file, n.Line, fmt.Errorf(format, args...)))
}

// fields yields the keys and values of a mapping that are known; others,
// duplicates and aliases are mistakes.
func (p *ruleParser) fields(n *yaml.Node, known []string) func(yield func(key, value *yaml.Node) bool) {
	return func(yield func(key, value *yaml.Node) bool) {
		if n.Kind != yaml.MappingNode {
			p.fail(n, "want a mapping with the keys %v", known)
			return
		}
		seen := map[string]bool{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i], n.Content[i+1]
			switch {
			case key.Kind != yaml.ScalarNode || value.Kind == yaml.AliasNode:
				p.fail(key, "aliases and keys that are no names are not for rules")
				continue
			case !slices.Contains(known, key.Value):
				p.fail(key, "%w", nearest.Unknown("key", key.Value, known))
				continue
			case seen[key.Value]:
				p.fail(key, "key %q given twice", key.Value)
				continue
			}
			seen[key.Value] = true
			if !yield(key, value) {
				return
			}
		}
	}
}

// rule reads one rule.
func (p *ruleParser) rule(n *yaml.Node) *Rule {
	r := &Rule{Line: n.Line, file: p.file}
	texts := map[string]*string{"measure": &r.Measure, "benchmark": &r.Benchmark, "task": &r.Task, "side": &r.Side, "system": &r.System, "kind": &r.Kind}
	numbers := map[string]**float64{"minimum": &r.Minimum, "maximum": &r.Maximum, "maximum_drop": &r.MaximumDrop, "significance": &r.Level}
	before := len(p.errs)
	known := []string{"measure", "benchmark", "task", "side", "system", "kind", "minimum", "maximum", "maximum_drop", "significance", "new"}
	for key, value := range p.fields(n, known) {
		switch {
		case texts[key.Value] != nil:
			*texts[key.Value] = p.text(key.Value, value)
		case numbers[key.Value] != nil:
			*numbers[key.Value] = p.number(key.Value, value)
		default:
			if value.Value != "pass" && value.Value != "fail" {
				p.fail(value, "new: %w", nearest.Unknown("value", value.Value, []string{"pass", "fail"}))
			}
			r.New = value.Value == "pass"
		}
	}
	if len(p.errs) == before {
		p.check(n, r)
	}
	return r
}

// check finds what a rule lacks, or has in excess.
func (p *ruleParser) check(n *yaml.Node, r *Rule) {
	sides := []string{"original", "changed", "reversed"}
	kinds := []string{string(table.Trained), string(table.Baseline), string(table.Null)}
	switch {
	case r.Measure == "":
		p.fail(n, "a rule needs a measure")
	case r.Minimum == nil && r.Maximum == nil && !r.against():
		p.fail(n, "the rule demands nothing: give minimum, maximum, maximum_drop or significance")
	case r.MaximumDrop != nil && *r.MaximumDrop < 0:
		p.fail(n, "maximum_drop %v is negative", *r.MaximumDrop)
	case r.Level != nil && !(*r.Level > 0 && *r.Level < 1):
		p.fail(n, "significance %v is not between 0 and 1", *r.Level)
	case r.Side != "" && !slices.Contains(sides, r.Side):
		p.fail(n, "%w", nearest.Unknown("side", r.Side, sides))
	case r.Kind != "" && !slices.Contains(kinds, r.Kind):
		p.fail(n, "%w", nearest.Unknown("kind", r.Kind, kinds))
	default:
		name, err := p.measure(r.Measure)
		if err != nil {
			p.fail(n, "%w", err)
		}
		r.Measure = words.Clean(name)
		if r.direction, _ = metrics.DirectionOf(name); err == nil && r.against() && r.direction == metrics.Neither {
			p.fail(n, "measure %s says nothing of better or worse, so no change of it is a drop: give minimum or maximum", r.Measure)
		}
	}
}

func (p *ruleParser) text(key string, n *yaml.Node) string {
	if n.Kind != yaml.ScalarNode || n.Value == "" || n.Tag == "!!null" {
		p.fail(n, "%s: want a name", key)
	}
	return words.Clean(n.Value)
}

// Number reads a finite decimal; YAML's .nan, 0x10 and 1_000 are none.
func (p *ruleParser) number(key string, n *yaml.Node) *float64 {
	v, err := strconv.ParseFloat(n.Value, 64)
	if n.Kind != yaml.ScalarNode || n.Tag != "!!float" && n.Tag != "!!int" || err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		p.fail(n, "%s: want a number such as 0.01, found %q", key, n.Value)
		return nil
	}
	return &v
}
