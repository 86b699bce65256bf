package gate

import (
	"slices"
	"strings"

	"infbench/metrics/stats"
	"infbench/reports/contrast"
	"infbench/reports/scores"
	"infbench/reports/table"
)

// LastCommits is how many commits tell how the runs of a system vary that each commit
// runs once.
const LastCommits = 5

// Past is what a commit of a history measured.
type Past struct {
	Commit string
	Seeds  map[string]string // of the runs of each system: "1,2,3"
	Values []PastValue
}

// PastValue is a number of one system, named as gates print it: "nDCG@10 on
// mini-mair/entity". Values are means over the system's runs.
type PastValue struct {
	System, Number string
	Value          float64
}

// place is a number of a system.
type place struct{ system, number string }

// measured is one value of a history.
type measured struct {
	value float64
	runs  int
	seeds string
}

// before is a history by number, the last commit first.
type before map[place][]measured

// newBefore sorts a history. Values of which nobody knows how many runs they are of say
// nothing of one, and a value that is there already is the same runs again.
func newBefore(history []Past) before {
	out := before{}
	for _, c := range slices.Backward(history) {
		for _, v := range c.Values {
			seeds := c.Seeds[v.System]
			at, m := place{v.System, v.Number}, measured{v.Value, strings.Count(seeds, ",") + 1, seeds}
			if seeds != "" && len(out[at]) < LastCommits && !slices.ContainsFunc(out[at], func(have measured) bool { return have.value == v.Value }) {
				out[at] = append(out[at], m)
			}
		}
	}
	return out
}

// replicates measures how single runs vary in a number, over the last commits; ok is
// false of fewer.
func (p before) replicates(s *scores.System, number string) (stats.Replicates, bool) {
	values := p[place{s.Label, number}]
	if len(values) < LastCommits || onlyOtherSeeds(values, s) {
		return stats.Replicates{}, false
	}
	sum, runs := 0.0, 0.0
	for _, v := range values {
		sum += float64(v.runs) * v.value
		runs += float64(v.runs)
	}
	squares := 0.0
	for _, v := range values {
		squares += float64(v.runs) * (v.value - sum/runs) * (v.value - sum/runs)
	}
	return stats.Replicates{Runs: len(values), Variance: squares / float64(len(values)-1)}, true
}

// onlyOtherSeeds reports whether all commits ran the same seeds and a system runs others:
// how one seed's values vary over commits says nothing of another seed.
func onlyOtherSeeds(values []measured, s *scores.System) bool {
	own := SeedsOf(s)
	return !slices.ContainsFunc(values, func(v measured) bool { return v.seeds != values[0].seeds }) && own != values[0].seeds
}

// SeedsOf lists the seeds of the finished runs of a system: "1,2,3".
func SeedsOf(s *scores.System) string {
	var seeds []string
	for _, t := range s.Trials {
		if seed := t.Config[seedKey]; t.Finished() && seed != "" {
			seeds = append(seeds, seed)
		}
	}
	return strings.Join(seeds, ",")
}

// elsewhere is what a history knows of the systems of some sets: of what was trained all
// together, where they are alike.
func (p before) elsewhere(sets ...*scores.Set) contrast.Elsewhere {
	type key struct {
		of     *scores.System
		number string
	}
	known := map[key]*stats.Seeds{}
	pool := func(number string, kind func(*scores.System) bool) {
		var systems []*scores.System
		var found []stats.Replicates
		var labels []string
		for _, v := range sets {
			for _, s := range v.Systems {
				if r, ok := p.replicates(s, number); ok && kind(s) {
					systems = append(systems, s)
					if !slices.Contains(labels, s.Label) {
						labels, found = append(labels, s.Label), append(found, r)
					}
				}
			}
		}
		seeds := contrast.Pooled(found)
		for _, s := range systems {
			known[key{s, number}] = seeds[slices.Index(labels, s.Label)]
		}
	}
	numbers := map[string]bool{}
	for at := range p {
		numbers[at.number] = true
	}
	for number := range numbers {
		pool(number, func(s *scores.System) bool { return s.Kind == table.Trained })
		pool(number, func(s *scores.System) bool { return s.Kind == table.Baseline })
	}
	return func(on scores.Number, s *scores.System) (*stats.Seeds, bool) {
		seeds, ok := known[key{s, on.Scoring() + " on " + on.Test()}]
		return seeds, ok
	}
}
