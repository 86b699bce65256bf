package reports

import (
	"fmt"
	"strings"
	"time"

	"infbench/reports/contrast"
	"infbench/reports/scores"
	"infbench/reports/table"
	"infbench/reports/words"
)

// Origin says how the numbers were made, so that a stranger can make them
// again.
type Origin struct {
	Tests       string // how tests and intervals were computed
	Machines    []Machine
	Cells       *table.Table // each trial: when, how long, how much memory
	Commands    []Command
	Benchmarks  *table.Table
	First, Last string // days of the first and last trial, UTC
}

// Machine is one distinct combination of program and hardware.
type Machine struct {
	Facts   []Fact
	Modules []Fact
	Trials  int
}

// Fact is a name with its value.
type Fact struct{ Name, Value string }

// Command repeats one trial.
type Command struct{ System, Seed, Text string }

// origin gathers the provenance of all trials.
func origin(v *scores.Set, o contrast.Options) *Origin {
	out := &Origin{Tests: fmt.Sprintf("Differences: two-sided paired randomisation tests with %s sign flips (all of them where that is fewer), "+
		"p = (count+1)/(permutations+1), or, over more comparisons than such a p can survive, paired t tests. Intervals: 95%%, BCa bootstrap with %s resamples over queries. "+
		"Seeds of one system are averaged per query first, so n counts queries. Corrected by Holm over all comparisons with the reference on a benchmark, and for ranks over all pairs of systems in a column. Random seed %d.",
		words.Group(o.Permutations), words.Group(o.Resamples), o.Seed)}
	out.Cells = cellTable(v)
	out.Benchmarks = benchmarkTable(v)
	index := map[string]int{}
	var first, last time.Time
	for _, s := range v.Systems {
		for _, t := range s.Trials {
			p := t.Provenance
			if p.Command != "" {
				out.Commands = append(out.Commands, Command{s.Label, t.Config[scores.SeedKey], words.Clean(p.Command)})
			}
			if p.Started.IsZero() {
				continue
			}
			if first.IsZero() || p.Started.Before(first) {
				first = p.Started
			}
			if p.Started.After(last) {
				last = p.Started
			}
			m := machine(t)
			key := fmt.Sprint(m.Facts, m.Modules)
			if _, ok := index[key]; !ok {
				index[key] = len(out.Machines)
				out.Machines = append(out.Machines, m)
			}
			out.Machines[index[key]].Trials++
		}
	}
	if !first.IsZero() {
		out.First, out.Last = first.UTC().Format(time.DateOnly), last.UTC().Format(time.DateOnly)
	}
	return out
}

// machine lists what of a trial's provenance can change its last digits or its
// speed.
func machine(t *scores.Trial) Machine {
	p := t.Provenance
	m := Machine{Facts: []Fact{
		{"infbench", p.Infbench}, {"Go", p.Go}, {"system", p.OS}, {"processor", p.CPU},
		{"cores", fmt.Sprint(p.Cores)}, {"backend", p.Backend}, {"SIMD build", map[bool]string{true: "yes", false: "no"}[p.SIMD]},
	}}
	for i := range m.Facts {
		m.Facts[i].Value = words.Clean(m.Facts[i].Value)
	}
	for _, name := range words.SortedKeys(p.Modules) {
		m.Modules = append(m.Modules, Fact{words.Clean(name), words.Clean(p.Modules[name])})
	}
	return m
}

// cellTable lists the finished trials with their cost.
func cellTable(v *scores.Set) *table.Table {
	t := &table.Table{ID: "cells", Title: "Trials",
		Caption: "Wall-clock seconds and peak resident memory as each trial recorded them; times are UTC.",
		Columns: []table.Column{{Name: "system"}, {Name: "seed"}, {Name: "trial"}, {Name: "started"},
			{Name: "train s", Number: true}, {Name: "evaluate s", Number: true}, {Name: "total s", Number: true}, {Name: "peak MiB", Number: true}}}
	for _, s := range v.Systems {
		for _, tr := range s.Trials {
			p := tr.Provenance
			if !tr.Finished() {
				continue
			}
			started := ""
			if !p.Started.IsZero() {
				started = p.Started.UTC().Format(time.DateTime)
			}
			memory := table.Entry{}
			if p.PeakRSS > 0 {
				mib := float64(p.PeakRSS) / (1 << 20)
				memory = table.Number(words.Fixed(mib, 0), mib)
			}
			t.Rows = append(t.Rows, table.Row{Kind: s.Kind, Entries: []table.Entry{
				{Text: s.Label}, {Text: tr.Config[scores.SeedKey]}, {Text: words.Shorten(tr.ID)}, {Text: started},
				seconds(p.Seconds, "train"), seconds(p.Seconds, "evaluate"), seconds(p.Seconds, "total"), memory}})
		}
	}
	return t
}

// seconds is empty where a phase was not run.
func seconds(all map[string]float64, phase string) table.Entry {
	s, ok := all[phase]
	if !ok {
		return table.Entry{}
	}
	return table.Number(words.Fixed(s, 1), s)
}

// benchmarkTable lists what pins each benchmark, and what it says of its tasks.
func benchmarkTable(v *scores.Set) *table.Table {
	t := &table.Table{ID: "benchmarks", Title: "Benchmarks",
		Columns: []table.Column{{Name: "benchmark"}, {Name: "data"}, {Name: "source"}, {Name: "revision"}, {Name: "licence"}, {Name: "tasks"}}}
	seen := map[string]bool{}
	for _, s := range v.Slots {
		if seen[s.Benchmark] {
			continue
		}
		seen[s.Benchmark] = true
		b := v.Benchmarks[s.Benchmark]
		t.Rows = append(t.Rows, table.Row{Entries: []table.Entry{{Text: s.Benchmark}, {Text: string(b.Realm())}, {Text: b.Source},
			{Text: b.Revision}, {Text: b.Licence}, {Text: strings.Join(v.Tasks(s.Benchmark), ", ")}}})
	}
	return t
}
