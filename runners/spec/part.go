package spec

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"infbench/internal/nearest"
	"infbench/internal/strict"
)

// Part says that a plan holds some of the trials of a larger one, under the same IDs:
// those that --only named, once or several times. The zero value is a whole plan.
type Part struct {
	Only []string `yaml:"only,omitempty"` // each the conditions of one command
	Of   []string `yaml:"of,omitempty"`   // the IDs of all trials, in order; Absent where what a trial reads was not there

	Cells string `yaml:"cells,omitempty"` // hash of the settings of all trials
}

// Absent stands for the revision of what is not on this machine, and for the ID of a
// trial that reads it, which another machine may know.
const Absent = "absent"

// IsResolved says whether all that a trial reads is there, so that it has its ID.
func (t *Trial) IsResolved() bool {
	return !slices.ContainsFunc(t.Revisions, func(r Revision) bool { return r.Revision == Absent })
}

// idInPart is the trial's ID, or Absent.
func (t *Trial) idInPart() string {
	if t.IsResolved() {
		return t.ID
	}
	return Absent
}

// Given says whether a plan is a part.
func (p Part) Given() bool { return len(p.Of) > 0 }

// said words the conditions.
func (p Part) said() string {
	var said []string
	for _, only := range p.Only {
		said = append(said, "--only "+only)
	}
	return strings.Join(said, ", or ")
}

// Remarks say in sentences what is to be known of the plan as a whole: what was set
// on the command line, and which part of the experiment it is.
func (p *Plan) Remarks() []string {
	var said []string
	if len(p.Set) > 0 {
		said = append(said, "Set on the command line: "+strings.Join(p.Set, ", ")+".")
	}
	if p.Part.Given() {
		said = append(said, fmt.Sprintf("A part of the experiment: %d of %d trials; %s. What is compared, selected and averaged is within it.", len(p.Trials), len(p.Part.Of), p.Part.said()))
	}
	return said
}

// condition is one --only: a key and the values of which a trial must have one.
type condition struct {
	key    string
	values []Cell // each has the value at key
	bases  []string
}

// Only is the part of a plan whose trials meet every condition "KEY=VALUE[,VALUE...]".
// A trial meets one if it has the setting with one of the values; KEY may be model,
// and base, the name of one of the bases, which a baseline has that it needs first.
// A value that no trial has is an error that lists those there are.
func (p *Plan) Only(texts []string, spelling Spelling) (*Plan, error) {
	if len(texts) == 0 {
		return p, nil
	}
	var conditions []condition
	var errs []error
	for _, text := range texts {
		c, err := p.condition(text, spelling)
		conditions, errs = append(conditions, c), append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	part := *p
	part.Trials = nil
	part.Part = Part{Cells: p.cells(), Only: []string{strings.Join(texts, " --only ")}}
	for _, t := range p.Trials {
		part.Part.Of = append(part.Part.Of, t.idInPart())
		if !slices.ContainsFunc(conditions, func(c condition) bool { return !c.match(&t) }) {
			part.Trials = append(part.Trials, t)
		}
	}
	if len(part.Trials) == 0 {
		return nil, fmt.Errorf("%s: no trial meets all of it, though each value has some", part.Part.said())
	}
	if len(part.Trials) == len(p.Trials) {
		return p, nil
	}
	return &part, nil
}

// condition reads one --only and holds its values to those of the plan's trials.
func (p *Plan) condition(text string, spelling Spelling) (condition, error) {
	option := "--only " + text
	fault := func(err error) error { return strict.Errors{{File: option, Err: err}} }
	key, list, ok := strings.Cut(text, "=")
	if !ok || key == "" || list == "" {
		return condition{}, fault(errors.New("want KEY=VALUE or KEY=VALUE,VALUE"))
	}
	c := condition{key: key}
	for _, value := range splitList(list) {
		one := condition{key: key, bases: []string{value}}
		if key != baseKey {
			cell, err := typed(option, value, key, spelling)
			if err != nil {
				return c, err
			}
			one = condition{key: key, values: []Cell{cell}}
		}
		if !slices.ContainsFunc(p.Trials, func(t Trial) bool { return one.match(&t) }) {
			if values := p.valuesOf(key); len(values) > 0 {
				return c, fault(fmt.Errorf("no trial has it: %w", nearest.Unknown("value of "+key, value, values)))
			}
			return c, fault(fmt.Errorf("no trial has %s at all", cmp.Or(map[bool]string{true: "a base with a name"}[key == baseKey], "a value of "+key)))
		}
		c.values, c.bases = append(c.values, one.values...), append(c.bases, one.bases...)
	}
	return c, nil
}

// match says whether a trial has one of the values.
func (c condition) match(t *Trial) bool {
	if c.key == baseKey {
		return slices.Contains(c.bases, t.base)
	}
	if c.key != "model" && !t.Cell.dependsOn(c.key) {
		return false
	}
	return slices.ContainsFunc(c.values, func(v Cell) bool { return equalAt(&t.Cell, &v, c.key) })
}

// valuesOf lists what the trials of a plan have at a key, sorted.
func (p *Plan) valuesOf(key string) []string {
	var values []string
	for i := range p.Trials {
		t := &p.Trials[i]
		value := t.base
		if key != baseKey {
			value = ""
			if key == "model" || t.Cell.dependsOn(key) {
				value = t.Cell.Settings()[key]
			}
		}
		if value != "" && !slices.Contains(values, value) {
			values = append(values, value)
		}
	}
	slices.Sort(values)
	return values
}

// splitList splits at commas outside of brackets: losses have commas of their own.
func splitList(list string) []string {
	var out []string
	depth, from := 0, 0
	for i, r := range list {
		switch r {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ',':
			if depth == 0 {
				out, from = append(out, list[from:i]), i+1
			}
		}
	}
	return append(out, list[from:])
}

// whole lists the IDs of the trials that the plan has or is a part of.
func (p *Plan) whole() []string {
	if p.Part.Given() {
		return p.Part.Of
	}
	var ids []string
	for i := range p.Trials {
		ids = append(ids, p.Trials[i].ID)
	}
	return ids
}

// IsOfSame says in which way two plans are not parts of one; "" where they are, or
// where one is the whole that the other is a part of.
func (p *Plan) IsOfSame(other *Plan) (differs string) {
	switch {
	case p.Name != other.Name:
		return fmt.Sprintf("it is of experiment %s, not %s", other.Name, p.Name)
	case !slices.Equal(p.Set, other.Set):
		return fmt.Sprintf("set on its command line: %s, not %s", cmp.Or(strings.Join(other.Set, ", "), "nothing"), cmp.Or(strings.Join(p.Set, ", "), "nothing"))
	}
	if slices.Contains(slices.Concat(p.whole(), other.whole()), Absent) && p.cells() != other.cells() {
		return "its plan has trials with other settings"
	}
	if !slices.EqualFunc(p.whole(), other.whole(), sameTrial) {
		return "its plan has other trials: " + firstReason(p, other)
	}
	if c := changes(p.facts(), other.facts()); len(c) > 0 {
		return "its plan differs: " + Reason(c)
	}
	return contents(p.Contents).differ(other.Contents)
}

// cells hashes the settings of all trials of the plan that this is, or is a part of,
// without what pins their data and models.
func (p *Plan) cells() string {
	if p.Part.Given() {
		return p.Part.Cells
	}
	var all []string
	for i := range p.Trials {
		bare := p.Trials[i]
		bare.Revisions = nil
		t := bare.identity()
		if t.Cell.Model == Untrained {
			t.Cell.Similarity = "" // its backbone's files say
		}
		if saidOfData(&t.Cell) {
			t.Cell.Train.FalseNegatives.Equal = ""
		}
		all = append(all, t.hash())
	}
	return shortSum(canonical(all))
}

// sameTrial says whether two IDs can be of one trial.
func sameTrial(a, b string) bool { return a == b || a == Absent || b == Absent }

// firstReason says how the trials of another plan differ.
func firstReason(p, other *Plan) string {
	mine, theirs := p.whole(), other.whole()
	for _, t := range other.Trials {
		if !slices.Contains(mine, t.ID) {
			return fmt.Sprintf("%d against %d, among them %s (%s)", len(theirs), len(mine), t.ID, t.Label)
		}
	}
	return fmt.Sprintf("%d against %d", len(theirs), len(mine))
}

// With joins two plans that are parts of one: the trials of both, in the order of the
// whole, which it is again once it has all of them.
func (p *Plan) With(other *Plan) *Plan {
	if !p.Part.Given() {
		return p
	}
	if !other.Part.Given() {
		joined := *p
		joined.Trials, joined.Part, joined.Contents = other.Trials, Part{}, contents(p.Contents).join(other.Contents)
		return &joined
	}
	joined := *p
	joined.Trials, joined.Contents = nil, contents(p.Contents).join(other.Contents)
	joined.Part.Of = slices.Clone(p.Part.Of)
	for i, id := range other.Part.Of {
		if joined.Part.Of[i] == Absent {
			joined.Part.Of[i] = id
		}
	}
	joined.Part.Only = slices.Clone(other.Part.Only)
	for _, only := range p.Part.Only {
		if !slices.Contains(joined.Part.Only, only) {
			joined.Part.Only = append(joined.Part.Only, only)
		}
	}
	for _, id := range joined.Part.Of {
		t, ok := p.Trial(id)
		if !ok {
			t, ok = other.Trial(id)
		}
		if ok {
			joined.Trials = append(joined.Trials, *t)
		}
	}
	if len(joined.Trials) == len(joined.Part.Of) {
		joined.Part = Part{}
	}
	return &joined
}
