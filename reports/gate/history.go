package gate

import (
	"gonum.org/v1/gonum/stat"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/metrics/stats"
	"infbench/reports/contrast"
	"infbench/reports/diff"
	"infbench/reports/scores"
	"infbench/reports/sentence"
	"infbench/reports/table"
)

// LastCommits is the number of commits that show the variation of a system's runs if each commit
// runs it once.
const LastCommits = stats.RecentCommits

// Past is the values of one commit of a history.
type Past struct {
	Commit string
	Seeds  map[string]string // seeds of each system: "1,2,3"
	Values []PastValue
}

// PastValue is a number of one system, with the name that gates print: "nDCG@10 on
// mini-mair/entity". Values are means over the system's runs.
type PastValue struct {
	System, Number string
	Value          float64
}

// place identifies a number of a system.
type place struct{ system, number string }

// measured is one value of a history.
type measured struct {
	value float64
	runs  int
	seeds string
}

// series is the values of one number over the commits of a history.
type series struct {
	commits  int        // commits with known seeds
	distinct []measured // values without repeats of the same seeds, the latest commit first
}

// pastValues is a history by number.
type pastValues map[place]*series

// newPastValues sorts a history by number. It leaves out values whose number of runs is unknown,
// and repeated values of the same seeds, which are the same runs again.
func newPastValues(history []Past) pastValues {
	out := pastValues{}
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
			if of.commits++; len(of.distinct) < LastCommits && !slices.Contains(of.distinct, m) {
				of.distinct = append(of.distinct, m)
			}
		}
	}
	return out
}

// recent returns the values of the last commits of a number; ok is false if there are too few.
func (p pastValues) recent(s *scores.System, number string) (r stats.Recent, ok bool) {
	of := p[place{s.Label, number}]
	if of == nil || len(of.distinct) < LastCommits || of.onlyOtherSeeds(s) {
		return r, false
	}
	for i, v := range of.distinct {
		r.Values[LastCommits-1-i], r.Runs[LastCommits-1-i] = v.value, float64(v.runs)
	}
	return r, true
}

// oneSet reports whether all commits ran the same seeds.
func (s *series) oneSet() bool {
	return !slices.ContainsFunc(s.distinct, func(v measured) bool { return v.seeds != s.distinct[0].seeds })
}

// onlyOtherSeeds reports whether all commits ran the same seeds and a system runs others. The
// variation of one seed's values over commits shows nothing about another seed.
func (s *series) onlyOtherSeeds(of *scores.System) bool {
	return s.oneSet() && SeedsOf(of) != s.distinct[0].seeds
}

// seen returns the variance of a run that the last commits of a number show, assuming that only
// seeds changed; 0 if unknown.
func (p pastValues) seen(s *scores.System, number string) float64 {
	of := p[place{s.Label, number}]
	if of == nil || len(of.distinct) < 2 || of.oneSet() {
		return 0
	}
	var values, runs []float64
	for _, v := range of.distinct {
		values, runs = append(values, v.value), append(runs, float64(v.runs))
	}
	mean, squares := stat.Mean(values, runs), 0.0
	for i, v := range values {
		squares += runs[i] * (v - mean) * (v - mean)
	}
	return squares / float64(len(values)-1)
}

// enough reports whether a history has enough commits of a number, with the seeds of this commit or
// with several. It then shows the variation of seeds, perhaps mixed with changes.
func (p pastValues) enough(s *diff.Shift) bool {
	of := p[place{s.System, s.Number()}]
	return of != nil && len(of.distinct) >= LastCommits && !of.onlyOtherSeeds(s.Contrast.B)
}

// cure explains how to measure the variation of a number's runs, and why the history does not show
// it.
func (j *comparison) cure(s *diff.Shift) sentence.Cure {
	out := sentence.Cure{History: len(j.History) > 0, Needed: LastCommits}
	of := j.past[place{s.System, s.Number()}]
	if of == nil {
		return out
	}
	out.Commits, out.Distinct = of.commits, len(of.distinct)
	if of.oneSet() && len(of.distinct) == 1 {
		out.Same = of.distinct[0].seeds
	}
	if of.onlyOtherSeeds(s.Contrast.B) {
		out.Other = of.distinct[0].seeds
	}
	return out
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

// elsewhere returns what a history shows about the variation of the systems of some sets, pooled
// over all trained systems if they are alike. For a trained system without such a history it
// returns SeedBound, or the variation over its commits if that is larger.
func (p pastValues) elsewhere(sets ...*scores.Set) contrast.Elsewhere {
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
		number := on.Label()
		if seeds, ok := known[key{s, number}]; ok {
			return seeds, true
		}
		if s.Kind != table.Trained {
			return nil, false
		}
		return boundFor(on.Measure, p.seen(s, number)), false
	}
}

// overCommits returns the variation of runs in one number that the last commits show, for systems
// of one kind, trained or not; nil if unknown. A system whose own variation is unknown gets that of
// the others, unless half of the systems are unknown: then commits moved all of them, and those
// that seem stable were lucky.
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
	if len(pooled) == 1 || pooled[0] == pooled[1] { // the systems are alike
		for _, label := range labels {
			out[label] = pooled[0]
		}
	}
	for i, label := range told {
		out[label] = pooled[i]
	}
	return out
}

// sprung is the level at which the last commit of a history, against which a run is mostly
// compared, is taken to have moved a system, given the variation of all. Only the commits before it
// are then used. A single system cannot distinguish that from a lucky run, so it has a much lower
// level, which leaves far fewer undecided.
const (
	sprung      = .01
	sprungAlone = .001
)
