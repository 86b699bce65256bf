package verify

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"

	"infbench/internal/words"
	"infbench/reports"
	"infbench/reports/scores"
)

// chain compares all data in a page with those of a page made from the run folders: field by field,
// trials by their ID, and values bit for bit.
func (v *Verification) chain(d, runs *reports.Data) {
	found, shown := map[string]*reports.DataTrial{}, map[string]bool{}
	for i := range runs.Trials {
		found[runs.Trials[i].ID] = &runs.Trials[i]
	}
	for i := range d.Trials {
		t := &d.Trials[i]
		shown[t.ID] = true
		is := found[t.ID]
		if is == nil {
			v.find("trial "+t.ID+" is in none of the run folders", "", "")
			continue
		}
		v.chainFields(trialFields, " of trial "+t.ID, *t, *is)
		v.differs("benchmarks of trial "+t.ID, described(d, t), described(runs, is))
		v.differs("program of trial "+t.ID, builtBy(d, t), builtBy(runs, is))
		v.chainValues(d, t, runs, is)
	}
	for _, t := range runs.Trials {
		if !shown[t.ID] {
			v.find("trial "+t.ID+" of the run folders is not on the page", "", "")
		}
	}
	v.chainFields(dataFields, " of the page", *d, *runs)
	v.chainFields(optionFields, " of the page", d.Options, runs.Options)
}

// chainFields compares the fields of two records of one type, without those that are compared
// separately.
func (v *Verification) chainFields(fields map[string]field, of string, shown, want any) {
	a, b := reflect.ValueOf(shown), reflect.ValueOf(want)
	for i := range a.NumField() {
		f := fields[a.Type().Field(i).Name]
		if f.from != apart {
			v.differs(f.name+of, asJSON(a.Field(i).Interface()), asJSON(b.Field(i).Interface()))
		}
	}
}

// differs records that two texts differ, with excerpts from their first difference on.
func (v *Verification) differs(what, shown, want string) {
	if shown == want {
		return
	}
	at := 0
	for at < min(len(shown), len(want)) && shown[at] == want[at] {
		at++
	}
	at = max(0, at-40)
	v.find(what, clip(shown[at:]), clip(want[at:]))
}

// asJSON prints a value of a page.
func asJSON(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// described returns all data on the benchmarks of a trial: their sources and contents.
func described(d *reports.Data, t *reports.DataTrial) string {
	var all []reports.DataBenchmark
	for _, b := range t.Benchmarks {
		all = append(all, d.Benchmarks[b])
	}
	return asJSON(all)
}

// builtBy identifies the program of a trial; "" if its provenance does not record it.
func builtBy(d *reports.Data, t *reports.DataTrial) string {
	if t.Build == 0 {
		return ""
	}
	return asJSON(d.Builds[t.Build-1])
}

// valueKey identifies a value of a trial.
type valueKey struct {
	reports.DataSlot
	query string
}

// byKey returns the values of a trial by their keys.
func byKey(d *reports.Data, t *reports.DataTrial) map[valueKey]float64 {
	out := map[valueKey]float64{}
	for _, v := range t.Values {
		for i, q := range d.Queries[v.Queries] {
			out[valueKey{d.Slots[v.Slot], q}] = v.Values[i]
		}
	}
	return out
}

// chainValues compares the values of a trial bit for bit.
func (v *Verification) chainValues(d *reports.Data, t *reports.DataTrial, r *reports.Data, is *reports.DataTrial) {
	shown, want := byKey(d, t), byKey(r, is)
	var differ []string
	for key, value := range shown {
		if other, ok := want[key]; !ok || math.Float64bits(value) != math.Float64bits(other) {
			differ = append(differ, fmt.Sprintf("value of trial %s, %s on %s/%s, query %s, is not that of the run folder",
				t.ID, scores.Slot(key.DataSlot).Scoring(), key.Benchmark, key.Task, words.Clean(key.query)))
		}
	}
	for key := range want {
		if _, ok := shown[key]; !ok {
			differ = append(differ, fmt.Sprintf("value of trial %s, %s on %s/%s, query %s, is not on the page",
				t.ID, scores.Slot(key.DataSlot).Scoring(), key.Benchmark, key.Task, words.Clean(key.query)))
		}
	}
	slices.Sort(differ)
	for _, text := range differ {
		v.find(text, "", "")
	}
}

// truth checks the page's statement that it has no room for some values: a slot that is left out
// has no value on the page, and has more values than there is room for.
func (v *Verification) truth(d *reports.Data) {
	carried, has := 0, make([]bool, len(d.Slots))
	for _, t := range d.Trials {
		for _, of := range t.Values {
			carried += len(of.Values)
			has[of.Slot] = true
		}
	}
	for _, left := range d.Left {
		if has[left.Slot] || left.Values <= reports.EmbedAtMost-carried {
			s := scores.Slot(d.Slots[left.Slot])
			v.find(fmt.Sprintf("the page claims to have no room for the values of %s on %s/%s, but it has room", s.Scoring(), s.Benchmark, s.Task), "", "")
		}
	}
}
