// Package scores holds what all tables and charts are made from: the trials of
// experiments with their values, the systems that they are runs of, and the numbers that
// a leaderboard shows of them. It tests nothing and phrases nothing.
package scores

import (
	"slices"
	"strings"
	"sync"

	"infbench/internal/words"
	"infbench/reports/table"
	"infbench/runners/results"
)

// Set is what all tables and charts are made from: the trials of some
// experiments with their values by slot, and the systems they are runs of.
// Every string in it is clean.
type Set struct {
	Trials     []*Trial
	Systems    []*System
	Slots      []Slot       // in the order of the first trial that has them
	places     map[Slot]int // in slots of the whole report, as links name them
	Benchmarks Benchmarks
	Notes      []string              // that experiments bring along
	Repeated   []*results.Experiment // no trial of which is here: others say the same

	kept sync.Map // key -> func() any, for Keep
}

// Slot names one thing that was measured.
type Slot struct{ Benchmark, Task, Side, Measure string }

// Scoring is the measure with its side: "AP@1000 original".
func (s Slot) Scoring() string { return strings.TrimSpace(s.Measure + " " + s.Side) }

// Test is the benchmark and task: "mini-followir/headline".
func (s Slot) Test() string { return s.Benchmark + "/" + s.Task }

// Keep is what make makes of a set, made once for a key: several sections need it. Its
// type is one that only the caller's package has.
func (v *Set) Keep(key any, make func() any) any {
	kept, _ := v.kept.LoadOrStore(key, sync.OnceValue(make))
	return kept.(func() any)()
}

// With is a set with other systems of the same trials.
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

// SettingKeys lists the keys that make rows of an ablation beside the loss: those
// in which trained systems of one backbone differ. What follows from the backbone,
// such as its learning rate, does not.
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

// Trained lists the systems that were trained.
func (v *Set) Trained() []*System {
	var out []*System
	for _, s := range v.Systems {
		if s.Kind == table.Trained {
			out = append(out, s)
		}
	}
	return out
}
