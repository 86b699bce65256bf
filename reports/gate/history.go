package gate

import (
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/metrics/stats"
	"infbench/reports/contrast"
	"infbench/reports/scores"
	"infbench/reports/table"
)

// LastCommits is how many commits tell how the runs of a system vary that each commit
// runs once.
const LastCommits = stats.RecentCommits

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

// recent is what the last commits measured of a number; ok is false of fewer.
func (p before) recent(s *scores.System, number string) (r stats.Recent, ok bool) {
	all := p[place{s.Label, number}]
	if len(all) < LastCommits || onlyOtherSeeds(all, s) {
		return r, false
	}
	for i, v := range all {
		r.Values[LastCommits-1-i], r.Runs[LastCommits-1-i] = v.value, float64(v.runs)
	}
	return r, true
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
	pool := func(number string, kind table.Kind) {
		recent := map[string]stats.Recent{}
		var systems []*scores.System
		for _, v := range sets {
			for _, s := range v.Systems {
				if r, ok := p.recent(s, number); ok && s.Kind == kind {
					systems, recent[s.Label] = append(systems, s), r
				}
			}
		}
		seeds := overCommits(recent)
		for _, s := range systems {
			if found := seeds[s.Label]; found != nil {
				known[key{s, number}] = found
			}
		}
	}
	numbers := map[string]bool{}
	for at := range p {
		numbers[at.number] = true
	}
	for number := range numbers {
		pool(number, table.Trained)
		pool(number, table.Baseline)
	}
	return func(on scores.Number, s *scores.System) (*stats.Seeds, bool) {
		seeds, ok := known[key{s, on.Scoring() + " on " + on.Test()}]
		return seeds, ok
	}
}

// overCommits is what the last commits tell of how runs vary in one number, of systems that
// were trained, or not, all alike; nil of what they do not tell. One of which nothing tells is
// as the others are, unless half of them are like it: then commits moved all of them, and
// whoever seems to have stood still was lucky.
func overCommits(recent map[string]stats.Recent) map[string]*stats.Seeds {
	labels := words.SortedKeys(recent)
	var earlier []stats.Replicates
	for _, label := range labels {
		earlier = append(earlier, recent[label].Earlier())
	}
	together := stats.Pool(earlier)
	var found []stats.Replicates
	var told []string
	for i, label := range labels {
		r, ok := recent[label].Replicates()
		switch p := recent[label].Last(together); {
		case len(labels) > 1 && p < sprung:
			r, ok = earlier[i], true
		case len(labels) == 1 && p < sprungAlone:
			ok = false
		}
		if ok {
			told, found = append(told, label), append(found, r)
		}
	}
	if 2*len(told) <= len(labels) {
		return nil
	}
	out := map[string]*stats.Seeds{}
	pooled := contrast.Pooled(found)
	if len(pooled) == 1 || pooled[0] == pooled[1] { // they are alike
		for _, label := range labels {
			out[label] = pooled[0]
		}
	}
	for i, label := range told {
		out[label] = pooled[i]
	}
	return out
}

// sprung is the level at which the last commit of a history, to which a run is mostly held,
// is taken to have moved a system, by how all vary: then only those before it tell. One
// system alone does not tell that from a lucky run, so that far fewer are undecided.
const (
	sprung      = .01
	sprungAlone = .001
)
