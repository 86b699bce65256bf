package verify

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"

	"infbench/internal/words"
	"infbench/reports"
	"infbench/reports/scores"
)

// chain holds the trials of a page to those of the run folders: hashes, what they
// are, then values.
func (v *Verification) chain(d, runs *reports.Data) {
	found := map[string]*reports.DataTrial{}
	for i := range runs.Trials {
		found[runs.Trials[i].ID] = &runs.Trials[i]
	}
	for i := range d.Trials {
		t := &d.Trials[i]
		is := found[t.ID]
		if is == nil {
			v.find("trial "+t.ID+" is in none of the run folders", "", "")
			continue
		}
		for _, of := range []struct{ what, shown, want string }{
			{"SHA-256 of done.json", t.Marker, is.Marker},
			{"state", string(t.State), string(is.State)},
			{"error", t.Error, is.Error},
		} {
			if of.shown != of.want {
				v.find(of.what+" of trial "+t.ID, of.shown, of.want)
			}
		}
		if !maps.Equal(t.Config, is.Config) {
			v.find("settings of trial "+t.ID, fmt.Sprint(t.Config), fmt.Sprint(is.Config))
		}
		if shown, want := described(d, t), described(runs, is); shown != want {
			v.find("benchmarks of trial "+t.ID, shown, want)
		}
		if shown, want := builtBy(d, t), builtBy(runs, is); shown != want {
			v.find("what made trial "+t.ID, shown, want)
		}
		if shown, want := fmt.Sprint(t.Ties), fmt.Sprint(is.Ties); shown != want {
			v.find("what ties decide of trial "+t.ID, shown, want)
		}
		v.chainValues(d, t, runs, is)
	}
}

// described is all that is said of the benchmarks of a trial: where their data come
// from, and what they are.
func described(d *reports.Data, t *reports.DataTrial) string {
	var all []reports.DataBenchmark
	for _, b := range t.Benchmarks {
		all = append(all, d.Benchmarks[b])
	}
	text, _ := json.Marshal(all) // strings only
	return string(text)
}

// builtBy is what made a trial; "" if its provenance does not record it.
func builtBy(d *reports.Data, t *reports.DataTrial) string {
	if t.Build == 0 {
		return ""
	}
	text, _ := json.Marshal(d.Builds[t.Build-1]) // strings only
	return string(text)
}

// valueKey is where a value belongs.
type valueKey struct {
	reports.DataSlot
	query string
}

// byKey lists the values of a trial.
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
		if _, ok := shown[key]; !ok && len(d.Left) == 0 {
			differ = append(differ, fmt.Sprintf("value of trial %s, %s on %s/%s, query %s, is not on the page",
				t.ID, scores.Slot(key.DataSlot).Scoring(), key.Benchmark, key.Task, words.Clean(key.query)))
		}
	}
	slices.Sort(differ)
	for _, text := range differ {
		v.find(text, "", "")
	}
}
