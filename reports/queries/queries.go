// Package queries holds what systems did with single queries: which were asked, in which
// words, with which values, and where two systems differ. The section of the page and the
// verb query show it. It reads no run folder and tests nothing.
package queries

import (
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/reports/scores"
	"infbench/runners/results"
)

// Query is a query or a pair of instructions. Its texts are clean, and empty where no
// trial kept a record of it.
type Query struct {
	Benchmark, Task            string // as slots name them
	ID                         string // as results have it
	Text, Instruction, Changed string
	Records                    map[*scores.System]*results.QueryRecord // of the trials that Shown gives; kept by those that have one
}

// Name is the query within a report: "mini-followir/headline/headline-001".
func (q *Query) Name() string { return q.Benchmark + "/" + q.Task + "/" + words.Clean(q.ID) }

// Test is where it was asked, as slots have it.
func (q *Query) Test() string { return q.Benchmark + "/" + q.Task }

// key tells queries apart.
type key struct{ benchmark, task, id string }

// Shown is the trial of a system whose records are shown, the first that has any: means
// of ranks over seeds would be ranks that no run has. nil where none has.
func Shown(s *scores.System) *scores.Trial {
	i := slices.IndexFunc(s.Trials, func(t *scores.Trial) bool { return len(t.Queries) > 0 })
	if i < 0 {
		return nil
	}
	return s.Trials[i]
}

// Recorded lists the queries that trials kept a record of, in their order.
func Recorded(systems []*scores.System) []*Query {
	var l list
	l.addRecords(systems)
	return l.all
}

// All lists the queries that trials kept a record of, and after them those that only have
// values.
func All(v *scores.Set) []*Query {
	var l list
	l.addRecords(v.Systems)
	for _, at := range v.Slots {
		for _, t := range v.Trials {
			if values := t.Scores[at]; !values.Aggregate {
				for _, id := range values.Queries {
					l.query(key{at.Benchmark, at.Task, id})
				}
			}
		}
	}
	return l.all
}

// list gathers queries, each once.
type list struct {
	all   []*Query
	known map[key]*Query
}

// query finds a query, or begins it.
func (l *list) query(k key) *Query {
	q := l.known[k]
	if q == nil {
		q = &Query{Benchmark: k.benchmark, Task: k.task, ID: k.id}
		if l.known == nil {
			l.known = map[key]*Query{}
		}
		l.known[k] = q
		l.all = append(l.all, q)
	}
	return q
}

func (l *list) addRecords(systems []*scores.System) {
	for _, s := range systems {
		t := Shown(s)
		if t == nil {
			continue
		}
		for i := range t.Queries {
			r := &t.Queries[i]
			q := l.query(key{display(t, r.Benchmark), words.Clean(r.Task), r.Query})
			if q.Records == nil {
				q.Text, q.Instruction, q.Changed = words.Clean(r.Text), words.Clean(r.Instruction), words.Clean(r.Changed)
				q.Records = map[*scores.System]*results.QueryRecord{}
			}
			q.Records[s] = r
		}
	}
}

// display is the name that slots use for a benchmark of a trial.
func display(t *scores.Trial, name string) string {
	if shown, ok := t.Shown[name]; ok {
		return shown
	}
	return words.Clean(name)
}

// Has says whether every word of a search occurs in the query, its instructions or its
// name, in whatever case. The page's search is the same.
func (q *Query) Has(search string) bool {
	text := strings.ToLower(strings.Join([]string{q.Name(), q.Text, q.Instruction, q.Changed}, "\n"))
	return !slices.ContainsFunc(strings.Fields(strings.ToLower(search)), func(word string) bool { return !strings.Contains(text, word) })
}
