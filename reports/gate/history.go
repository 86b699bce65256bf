package gate

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"infbench/internal/words"
	"infbench/metrics/stats"
	"infbench/reports/contrast"
	"infbench/reports/diff"
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

// series is what the commits of a history measured of one number.
type series struct {
	commits int        // that have it with known seeds
	told    []measured // no value twice of the same seeds, the last commit first
}

// before is a history by number.
type before map[place]*series

// newBefore sorts a history. Values of which nobody knows how many runs they are of say
// nothing of one, and a value that is there already of the same seeds is the same runs
// again.
func newBefore(history []Past) before {
	out := before{}
	for _, c := range slices.Backward(history) {
		for _, v := range c.Values {
			seeds := c.Seeds[v.System]
			at, m := place{v.System, v.Number}, measured{v.Value, strings.Count(seeds, ",") + 1, seeds}
			if seeds == "" {
				continue
			}
			if out[at] == nil {
				out[at] = &series{}
			}
			of := out[at]
			if of.commits++; len(of.told) < LastCommits && !slices.Contains(of.told, m) {
				of.told = append(of.told, m)
			}
		}
	}
	return out
}

// recent is what the last commits measured of a number; ok is false of fewer.
func (p before) recent(s *scores.System, number string) (r stats.Recent, ok bool) {
	of := p[place{s.Label, number}]
	if of == nil || len(of.told) < LastCommits || of.onlyOtherSeeds(s) {
		return r, false
	}
	for i, v := range of.told {
		r.Values[LastCommits-1-i], r.Runs[LastCommits-1-i] = v.value, float64(v.runs)
	}
	return r, true
}

// oneSet reports whether all commits ran the same seeds.
func (s *series) oneSet() bool {
	return !slices.ContainsFunc(s.told, func(v measured) bool { return v.seeds != s.told[0].seeds })
}

// onlyOtherSeeds reports whether all commits ran the same seeds and a system runs others:
// how one seed's values vary over commits says nothing of another seed.
func (s *series) onlyOtherSeeds(of *scores.System) bool {
	return s.oneSet() && SeedsOf(of) != s.told[0].seeds
}

// seen is the variance of a run that a number's last commits show if nothing but the seeds
// moved them; 0 where it is not seen.
func (p before) seen(s *scores.System, number string) float64 {
	of := p[place{s.Label, number}]
	if of == nil || len(of.told) < 2 || of.oneSet() {
		return 0
	}
	var values, runs []float64
	for _, v := range of.told {
		values, runs = append(values, v.value), append(runs, float64(v.runs))
	}
	mean, squares := stat.Mean(values, runs), 0.0
	for i, v := range values {
		squares += runs[i] * (v - mean) * (v - mean)
	}
	return squares / float64(len(values)-1)
}

// told reports whether a history has commits enough of a number, with the seeds of this
// commit or with several: then it shows what seeds vary by, if perhaps with changes among it.
func (p before) told(s *diff.Shift) bool {
	of := p[place{s.System, s.Number()}]
	return of != nil && len(of.told) >= LastCommits && !of.onlyOtherSeeds(s.Contrast.B)
}

// cure says what would tell how the runs of a number vary, and why its history does not.
func (j *hearing) cure(s *diff.Shift) string {
	const seeds = "run several seeds a commit"
	of := j.past[place{s.System, s.Number()}]
	switch {
	case len(j.History) == 0:
		return fmt.Sprintf("%s, or give a history of %d commits with different seeds (--history)", seeds, LastCommits)
	case of == nil:
		return seeds + ", as no commit of the history has the number"
	case of.oneSet() && len(of.told) == 1:
		return fmt.Sprintf("%s, as in the history (%s) seed %s came out the same each time, which tells nothing of other seeds", seeds, words.Plural(of.commits, "commit", "commits"), of.told[0].seeds)
	case len(of.told) < LastCommits:
		return fmt.Sprintf("%s, or %d commits with different seeds, of which the history has %d", seeds, LastCommits, len(of.told))
	case of.onlyOtherSeeds(s.Contrast.B):
		return fmt.Sprintf("%s, as the history ran seed %s and this commit ran another", seeds, of.told[0].seeds)
	}
	return fmt.Sprintf("%s, as the last %d commits hold changes that are not told from seeds", seeds, LastCommits)
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
// together, where they are alike. What it does not know of a trained system is bounded by
// SeedBound, or by what its commits varied by if that is more.
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
		number := on.Scoring() + " on " + on.Test()
		if seeds, ok := known[key{s, number}]; ok {
			return seeds, true
		}
		if s.Kind != table.Trained {
			return nil, false
		}
		return boundFor(on.Measure, p.seen(s, number)), false
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
