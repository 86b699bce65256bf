// Package scores holds the data behind all tables and charts: the trials of experiments
// with their values, the systems that they are runs of, and the numbers that a leaderboard
// shows. It tests nothing and phrases nothing.
package scores

import (
	"slices"
	"strings"
	"sync"

	"infbench/internal/words"
	"infbench/reports/table"
	"infbench/runners/results"
)

// Set is the data behind all tables and charts: the trials of some experiments with their
// values by slot, and the systems that they are runs of. Every string in it is clean.
type Set struct {
	Trials     []*Trial
	Systems    []*System
	Slots      []Slot       // in the order of the first trial that has them
	places     map[Slot]int // indexes among the slots of the report, as in links
	Benchmarks Benchmarks
	Notes      []string              // notes of the experiments
	Repeated   []*results.Experiment // experiments left out because others have all of their trials

	kept sync.Map // key -> func() any, for Keep
}

// Slot identifies one measured quantity.
type Slot struct{ Benchmark, Task, Side, Measure string }

// Scoring returns the measure with its side: "AP@1000 original".
func (s Slot) Scoring() string { return strings.TrimSpace(s.Measure + " " + s.Side) }

// Test returns the benchmark and task: "mini-followir/headline".
func (s Slot) Test() string { return s.Benchmark + "/" + s.Task }

// Keep returns the result of make for a key, computed once per set and shared by several
// sections. The key should have a type that is private to the caller's package.
func (v *Set) Keep(key any, make func() any) any {
	kept, _ := v.kept.LoadOrStore(key, sync.OnceValue(make))
	return kept.(func() any)()
}

// With returns a set with other systems of the same trials.
func (v *Set) With(systems []*System) *Set {
	return &Set{Trials: v.Trials, Systems: systems, Slots: v.Slots, places: v.places, Benchmarks: v.Benchmarks, Notes: v.Notes}
}

// BenchmarkNames lists the benchmarks in the order of their values.
func (v *Set) BenchmarkNames() []string {
	var names []string
	for _, s := range v.Slots {
		names = words.AddNew(names, s.Benchmark)
	}
	return names
}

// SettingKeys lists the keys that distinguish rows of an ablation, apart from the loss:
// those in which trained systems of one backbone differ. It leaves out settings that
// follow from the backbone, such as its learning rate.
func (v *Set) SettingKeys() []string {
	byBackbone := map[string][]*System{}
	keys := map[string]bool{}
	for _, s := range v.Trained() {
		b := s.Config()[results.Backbone]
		byBackbone[b] = append(byBackbone[b], s)
		for key := range s.Config() {
			keys[key] = true
		}
	}
	var out []string
	for _, key := range words.SortedKeys(keys) {
		if slices.Contains([]string{results.Seed, results.Loss, results.Backbone}, key) {
			continue
		}
		for _, alike := range byBackbone {
			if Varies(key, alike) {
				out = append(out, key)
				break
			}
		}
	}
	return out
}

// Trained lists the trained systems.
func (v *Set) Trained() []*System {
	var out []*System
	for _, s := range v.Systems {
		if s.Kind == table.Trained {
			out = append(out, s)
		}
	}
	return out
}
