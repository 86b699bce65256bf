package spec

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"infbench/internal/nearest"
	"infbench/internal/strict"
	"infbench/internal/words"
)

// Part means that a plan has only some trials of a larger one, under the same IDs: those that
// one or several --only named. The zero value is a complete plan.
type Part struct {
	Only []string `yaml:"only,omitempty"` // the conditions of each command
	Of   []string `yaml:"of,omitempty"`   // the IDs of all trials, in order; Absent if an input of a trial was missing

	Cells string `yaml:"cells,omitempty"` // hash of the settings of all trials
	Kept  int    `yaml:"kept,omitempty"`  // number of trials that are there because a plan of an earlier file had them
}

// Absent replaces the revision of an input that is not on this machine, and the ID of a trial
// that reads it. Another machine may know them.
const Absent = "absent"

// IsResolved reports whether all inputs of a trial exist, so that it has its ID.
func (t *Trial) IsResolved() bool {
	return !slices.ContainsFunc(t.Revisions, func(r Revision) bool { return r.Revision == Absent })
}

// idInPart returns the trial's ID, or Absent.
func (t *Trial) idInPart() string {
	if t.IsResolved() {
		return t.ID
	}
	return Absent
}

// Given reports whether a plan is a part.
func (p Part) Given() bool { return len(p.Of) > 0 }

// conditions formats the conditions.
func (p Part) conditions() string {
	var said []string
	for _, only := range p.Only {
		said = append(said, "--only "+only)
	}
	text := strings.Join(said, ", or ")
	if p.Kept > 0 {
		text += "; and " + words.Plural(p.Kept, "trial", "trials") + " of an earlier plan"
	}
	return text
}

// Remarks returns remarks on the plan in sentences: the settings of the command line, and the
// part of the experiment that it covers.
func (p *Plan) Remarks() []string {
	var said []string
	if len(p.Set) > 0 {
		said = append(said, "Set on the command line: "+strings.Join(p.Set, ", ")+".")
	}
	if p.Part.Given() {
		said = append(said, fmt.Sprintf("A part of the experiment: %d of %s; %s. Comparisons, selection and averages only use these trials.", len(p.Trials), words.Plural(len(p.Part.Of), "trial", "trials"), p.Part.conditions()))
	}
	return said
}

// condition is one --only: a key and the allowed values of a trial.
type condition struct {
	key    string
	values []Cell // each has the value at key
	bases  []string
}

// Only returns the part of a plan whose trials meet every condition "KEY=VALUE[,VALUE...]". A
// trial meets a condition if its setting has one of the values. KEY may also be model, or base
// with the name of one of the bases; a baseline belongs to the first base that needs it. A
// value that no trial has is an error that lists the existing ones.
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
		return nil, fmt.Errorf("%s: no trial meets all conditions, though each value has some", part.Part.conditions())
	}
	if len(part.Trials) == len(p.Trials) {
		return p, nil
	}
	return &part, nil
}

// condition parses one --only and checks its values against those of the plan's trials.
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

// match reports whether a trial has one of the values.
func (c condition) match(t *Trial) bool {
	if c.key == baseKey {
		return slices.Contains(c.bases, t.base)
	}
	if c.key != "model" && !t.Cell.dependsOn(c.key) {
		return false
	}
	return slices.ContainsFunc(c.values, func(v Cell) bool { return equalAt(&t.Cell, &v, c.key) })
}

// valuesOf lists the values of a plan's trials at a key, sorted.
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

// splitList splits at commas outside brackets, because losses contain commas.
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

// allIDs lists the IDs of all trials of the complete plan.
func (p *Plan) allIDs() []string {
	if p.Part.Given() {
		return p.Part.Of
	}
	var ids []string
	for i := range p.Trials {
		ids = append(ids, p.Trials[i].ID)
	}
	return ids
}

// IsOfSame describes why two plans are not parts of the same plan; "" if they are, or if one is
// the complete plan of the other.
func (p *Plan) IsOfSame(other *Plan) (differs string) {
	switch {
	case p.Name != other.Name:
		return fmt.Sprintf("it is of experiment %s, not %s", other.Name, p.Name)
	case !slices.Equal(p.Set, other.Set):
		return fmt.Sprintf("set on its command line: %s, not %s", cmp.Or(strings.Join(other.Set, ", "), "nothing"), cmp.Or(strings.Join(p.Set, ", "), "nothing"))
	}
	if slices.Contains(slices.Concat(p.allIDs(), other.allIDs()), Absent) && p.cells() != other.cells() {
		return "its plan has trials with other settings"
	}
	if !slices.EqualFunc(p.allIDs(), other.allIDs(), sameTrial) {
		return "its plan has other trials: " + firstReason(p, other)
	}
	if c := changes(p.facts(), other.facts()); len(c) > 0 {
		return "its plan differs: " + Reason(c)
	}
	return contents(p.Contents).differ(other.Contents)
}

// cells hashes the settings of all trials of the complete plan, without the revisions of their
// data and models.
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
			t.Cell.Similarity = "" // depends on the files of its backbone
		}
		if masksExplicitly(&t.Cell) {
			t.Cell.Train.FalseNegatives.Equal = ""
		}
		all = append(all, t.hash())
	}
	return shortSum(canonical(all))
}

// sameTrial reports whether two IDs can belong to one trial.
func sameTrial(a, b string) bool { return a == b || a == Absent || b == Absent }

// firstReason describes how the trials of another plan differ.
func firstReason(p, other *Plan) string {
	mine, theirs := p.allIDs(), other.allIDs()
	for _, t := range other.Trials {
		if !slices.Contains(mine, t.ID) {
			return fmt.Sprintf("%d against %d, among them %s (%s)", len(theirs), len(mine), t.ID, t.Label)
		}
	}
	return fmt.Sprintf("%d against %d", len(theirs), len(mine))
}

// Keeping joins a part with an earlier plan of another file: the trials of the part, and those of the
// earlier plan that the complete plan still has, in the order of the complete plan.
func (p *Plan) Keeping(earlier *Plan) *Plan {
	joined := *p
	joined.Trials = nil
	for _, id := range p.Part.Of {
		if t, ok := p.Trial(id); ok {
			joined.Trials = append(joined.Trials, *t)
		} else if t, ok := earlier.Trial(id); ok {
			joined.Trials = append(joined.Trials, *t)
			joined.Part.Kept++
		}
	}
	if joined.Part.Kept > 0 {
		joined.Contents = contents(p.Contents).join(earlier.Contents)
	}
	if len(joined.Trials) == len(joined.Part.Of) {
		joined.Part = Part{}
	}
	return &joined
}

// With joins two parts of one plan: the trials of both in the order of the complete plan. The
// result is a complete plan again once it has all trials.
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
	joined.Part.Of, joined.Part.Kept = slices.Clone(p.Part.Of), max(p.Part.Kept, other.Part.Kept)
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
