package spec

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Differences are the trials that a new plan adds, drops and alters.
type Differences struct {
	Added, Dropped []*Trial
	Altered        []Alteration
	Settings       []Change // of the plan itself
	Same           int      // number of trials in both plans
}

// Alteration is a trial that replaces another with the same values of all settings that vary
// within one of the plans. If only its resources changed, both have the same ID, and the
// results stay valid.
type Alteration struct {
	Old, New *Trial
	Changes  []Change
}

// Change is one setting with its old and new value; "" is unset.
type Change struct {
	Key, Old, New string
}

func (c Change) String() string {
	return fmt.Sprintf("%s: %s -> %s", c.Key, cmp.Or(c.Old, "unset"), cmp.Or(c.New, "unset"))
}

// Reason lists changes in one line.
func Reason(all []Change) string {
	var said []string
	for _, c := range all {
		said = append(said, c.String())
	}
	return strings.Join(said, ", ")
}

// Counts summarizes the differences in one line.
func (d Differences) Counts() string {
	return fmt.Sprintf("%d added, %d dropped, %d altered, %d as before", len(d.Added), len(d.Dropped), len(d.Altered), d.Same)
}

// Kept returns the number of old trials that the new plan has under the same ID.
func (d Differences) Kept() int {
	n := d.Same
	for _, a := range d.Altered {
		if a.Old.ID == a.New.ID {
			n++
		}
	}
	return n
}

// Diff compares two plans.
func Diff(before, after *Plan) Differences {
	d := Differences{Settings: changes(before.facts(), after.facts())}
	ids := func(p *Plan) map[string]*Trial {
		m := map[string]*Trial{}
		for i := range p.Trials {
			m[p.Trials[i].ID] = &p.Trials[i]
		}
		return m
	}
	was, is := ids(before), ids(after)
	varying := varyingKeys(before, after)
	replaced := map[string][]*Trial{} // dropped trials by place
	for i := range before.Trials {
		if t := &before.Trials[i]; is[t.ID] == nil {
			place := t.place(varying)
			replaced[place] = append(replaced[place], t)
		}
	}
	gone := map[*Trial]bool{}
	for i := range after.Trials {
		t := &after.Trials[i]
		old := was[t.ID]
		if old == nil {
			if place := t.place(varying); len(replaced[place]) > 0 {
				old, replaced[place] = replaced[place][0], replaced[place][1:]
				gone[old] = true
			}
		}
		switch {
		case old == nil:
			d.Added = append(d.Added, t)
		case old.ID == t.ID && reflect.DeepEqual(old.Resources, t.Resources):
			d.Same++
		default:
			d.Altered = append(d.Altered, Alteration{old, t, changes(old.facts(), t.facts())})
		}
	}
	for i := range before.Trials {
		if t := &before.Trials[i]; is[t.ID] == nil && !gone[t] {
			d.Dropped = append(d.Dropped, t)
		}
	}
	return d
}

// facts returns the settings of a plan that do not belong to a trial.
func (p *Plan) facts() map[string]string {
	out := map[string]string{}
	if p.Question != "" {
		out["question"] = p.Question
	}
	flatten(plain(reflect.ValueOf(p.Select)), "select", out)
	flatten(plain(reflect.ValueOf(p.Stop)), "stop_hopeless", out)
	if f := p.Forgetting; f.Given() {
		out["forgetting.collections"], out["forgetting.measure"], out["forgetting.margin"] = strings.Join(f.Collections, ", "), f.Measure, strconv.FormatFloat(f.Margin, 'g', -1, 64)
	}
	if len(p.Set) > 0 {
		out["set on the command line"] = strings.Join(p.Set, ", ")
	}
	if !p.Select.Given() {
		delete(out, "select.on")
	}
	if !p.Stop.Given() {
		delete(out, "stop_hopeless.alpha")
	}
	return out
}

// facts returns everything in a trial except its ID and label.
func (t *Trial) facts() map[string]string {
	out := t.Cell.Settings()
	out["evaluate"] = strings.Join(t.Evaluate, ", ")
	for _, r := range t.Revisions {
		out["revision of "+r.Name] = r.Revision
	}
	flatten(plain(reflect.ValueOf(t.Resources)), "resources", out)
	return out
}

// changes lists the keys in which two sets of facts differ, sorted.
func changes(before, after map[string]string) []Change {
	all := maps.Clone(before)
	maps.Copy(all, after)
	var out []Change
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if before[key] != after[key] {
			out = append(out, Change{Key: key, Old: before[key], New: after[key]})
		}
	}
	return out
}

// varyingKeys lists, for each model, the settings that have several values within one of the
// plans.
func varyingKeys(plans ...*Plan) map[string][]string {
	varying := map[string]map[string]bool{}
	for _, p := range plans {
		first := map[string]map[string]string{}
		for i := range p.Trials {
			c := &p.Trials[i].Cell
			settings := c.Settings()
			if first[c.Model] == nil {
				first[c.Model] = settings
			}
			if varying[c.Model] == nil {
				varying[c.Model] = map[string]bool{}
			}
			for _, change := range changes(first[c.Model], settings) {
				varying[c.Model][change.Key] = true
			}
		}
	}
	out := map[string][]string{}
	for model, keys := range varying {
		out[model] = slices.Sorted(maps.Keys(keys))
	}
	return out
}

// place returns a trial's position among the varying settings of its plan.
func (t *Trial) place(varying map[string][]string) string {
	settings := t.Cell.Settings()
	place := t.Cell.Model
	for _, key := range varying[t.Cell.Model] {
		place += "\x00" + settings[key]
	}
	return place
}
