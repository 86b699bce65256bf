package site

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"infbench/bench/results"
	"infbench/reports/scores"
	"infbench/reports/words"
)

// Commit is what one commit measured: a line of a site's history.jsonl, without what
// chains it.
type Commit struct {
	Commit string        `json:"commit"`
	Date   string        `json:"date,omitempty"` // as given, never the clock's
	Values []CommitValue `json:"values"`

	// Seeds are those of the finished runs of each system that has any, "1,2,3", of
	// which Values are means; old lines do not say.
	Seeds map[string]string `json:"seeds,omitempty"`
}

// CommitValue is a number of a leaderboard.
type CommitValue struct {
	System  string  `json:"system"`
	Test    string  `json:"test"`    // benchmark and task
	Scoring string  `json:"scoring"` // measure and side
	Value   float64 `json:"value"`
	Queries int     `json:"queries"`
}

// commitName is what a commit may be called.
var commitName = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z._/-]{0,99}$`)

// CheckName refuses what no commit is called.
func CheckName(commit string) error {
	if !commitName.MatchString(commit) {
		return fmt.Errorf("%q names no commit: want letters, digits, dots, dashes, at most 100", commit)
	}
	return nil
}

// Record adds what a commit measured at the end of a history, or in its old
// place where the history has the commit already, so that doing it twice changes
// nothing.
func Record(history []Commit, commit, date string, exps []*results.Experiment) ([]Commit, error) {
	if err := CheckName(commit); err != nil {
		return nil, err
	}
	v, err := scores.New(exps)
	if err != nil {
		return nil, err
	}
	c := Commit{Commit: commit, Date: words.Clean(date), Values: []CommitValue{}}
	for _, s := range v.Systems {
		if seeds := seedsOf(s); seeds != "" {
			if c.Seeds == nil {
				c.Seeds = map[string]string{}
			}
			c.Seeds[s.Label] = seeds
		}
		for _, name := range boardBenchmarks(v) {
			for _, col := range v.MainColumns(name) {
				if cell := v.Cell(s, col); cell.State.Valued() {
					c.Values = append(c.Values, CommitValue{s.Label, col.Test(), col.Scoring(), cell.Value, cell.Queries})
				}
			}
		}
	}
	out := slices.Clone(history)
	if i := slices.IndexFunc(out, func(have Commit) bool { return have.Commit == commit }); i >= 0 {
		out[i] = c
		return out, nil
	}
	return append(out, c), nil
}

// seedsOf lists the training seeds of the finished runs of a system.
func seedsOf(s *scores.System) string {
	var seeds []string
	for _, t := range s.Trials {
		if seed := t.Config[results.Seed]; t.Finished() && seed != "" {
			seeds = append(seeds, seed)
		}
	}
	return strings.Join(seeds, ",")
}

// boardBenchmarks lists the benchmarks in the order of their values.
func boardBenchmarks(v *scores.Set) []string {
	var names []string
	for _, s := range v.Slots {
		if !slices.Contains(names, s.Benchmark) {
			names = append(names, s.Benchmark)
		}
	}
	return names
}

// trace is one number over the commits that have it.
type trace struct {
	System, Test, Scoring string
	Commits, Dates        []string
	Values                []float64
	Steps                 []Step
}

// Step is a commit with which a number settled elsewhere.
type Step struct {
	Commit        string
	Before, After float64 // means between this step and its neighbours
}

// tracesOf lists the numbers of a history, in the order of their first commit.
func tracesOf(history []Commit) []*trace {
	var out []*trace
	index := map[[3]string]*trace{}
	for _, c := range history {
		for _, v := range c.Values {
			key := [3]string{words.Clean(v.System), words.Clean(v.Test), words.Clean(v.Scoring)}
			s := index[key]
			if s == nil {
				s = &trace{System: key[0], Test: key[1], Scoring: key[2]}
				index[key] = s
				out = append(out, s)
			}
			s.Commits, s.Dates = append(s.Commits, c.Commit), append(s.Dates, words.Clean(c.Date))
			s.Values = append(s.Values, v.Value)
		}
	}
	for _, s := range out {
		s.Steps = s.findSteps()
	}
	return out
}

// findSteps words the steps of a series.
func (s *trace) findSteps() []Step {
	ends := append(append([]int{0}, steps(s.Values)...), len(s.Values))
	var out []Step
	for i := 1; i+1 < len(ends); i++ {
		at := ends[i]
		out = append(out, Step{s.Commits[at], average(s.Values[ends[i-1]:at]), average(s.Values[at:ends[i+1]])})
	}
	return out
}
