package claims

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"infbench/internal/nearest"
	"infbench/internal/words"
	"infbench/reports/scores"
)

// numberOf finds the number that a claim is on. If there is none, why is the reason. Results on
// several revisions of the data are never mixed.
func (c *Claim) numberOf(v *scores.Set) (on scores.Number, why string) {
	benchmark, called, _ := strings.Cut(c.On, "/")
	var shown, all []string
	for _, name := range v.BenchmarkNames() {
		own := v.Benchmarks[name].Name
		if all = words.AddNew(all, own); name == benchmark {
			shown = []string{name}
			break
		}
		if own == benchmark || pinned(benchmark, own, v.Benchmarks[name].Revision) {
			shown = append(shown, name)
		}
	}
	switch len(shown) {
	case 0:
		return on, "no result on " + benchmark + suggestion(benchmark, all)
	case 1:
		return c.among(v, shown[0], called)
	}
	return on, fmt.Sprintf("the results are on several revisions of %s, which are not mixed: name one of %s, or give the runs of only one", benchmark, words.Listed(shown))
}

// pinned reports whether a text names a benchmark with its revision, as reports do when results are
// on several revisions: "mini-negation @mini-2 world=201". A claim cannot know which other
// revisions have runs, and so how much of a revision is needed to distinguish them. The first words
// of a revision are therefore enough, or the first characters of a hash.
func pinned(text, name, revision string) bool {
	pin, named := strings.CutPrefix(text, name+" @")
	rest, begins := strings.CutPrefix(revision, pin)
	return named && begins && pin != "" && (rest == "" || rest[0] == ' ' || hash.MatchString(pin))
}

// hash matches the beginning of the hash of a commit or of data.
var hash = regexp.MustCompile(`^[0-9a-f]{7,}$`)

// suggestion returns a hint at the nearest known name, or "".
func suggestion(name string, known []string) string {
	if near, ok := nearest.Of(name, known); ok {
		return " (did you mean " + near + "?)"
	}
	return ""
}

// among chooses from the numbers of a benchmark by measure and side, and by the name of a task or
// mean if the claim gives one. Otherwise it returns the first matching number of the leaderboard,
// or the mean over all tasks that have it.
func (c *Claim) among(v *scores.Set, name, called string) (on scores.Number, why string) {
	numbers := v.Columns(name).Main()
	for _, at := range v.Slots {
		switch {
		case at.Benchmark != name:
		case called != "":
			numbers = append(numbers, at.Column())
		default:
			numbers = append(numbers, overTasks(v, at))
		}
	}
	var measures, tasks []string
	for _, n := range numbers {
		measures, tasks = words.AddNew(measures, n.Scoring()), words.AddNew(tasks, n.Called())
		if n.Measure == c.Measure && (c.Side == "" || n.Side == c.Side) && (called == "" || n.Called() == called) {
			return n, ""
		}
	}
	if near := suggestion(called, tasks); called != "" && near != "" && !strings.Contains(near, " "+called+"?") {
		return on, "no result on " + c.On + near
	}
	return on, fmt.Sprintf("no %s on %s; there is %s", strings.TrimSpace(c.Measure+" "+c.Side), c.On, strings.Join(measures, ", "))
}

// overTasks returns a scoring of a benchmark on its headline task, or on all tasks that have it.
func overTasks(v *scores.Set, at scores.Slot) scores.Number {
	n := at.Column()
	if headline := (scores.Slot{Benchmark: at.Benchmark, Task: scores.HeadlineTask, Side: at.Side, Measure: at.Measure}); slices.Contains(v.Slots, headline) {
		return headline.Column()
	}
	n.Tasks = nil
	for _, other := range v.Slots {
		if other.Benchmark == at.Benchmark && other.Side == at.Side && other.Measure == at.Measure {
			n.Tasks = append(n.Tasks, other.Task)
		}
	}
	return n
}
