// Package queries holds the results of systems on single queries: which queries were
// asked, their texts and values, and where two systems differ. The section of the page and
// the verb query show them. The package reads no run folder and computes no test.
package queries

import (
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/reports/scores"
	"infbench/runners/results"
)

// Query is a query or a pair of instructions. Its texts are clean; they are empty if no
// trial kept a record of it.
type Query struct {
	Benchmark, Task            string // as in slots
	ID                         string // as in results
	Text, Instruction, Changed string
	Records                    map[*scores.System]*results.QueryRecord // records of the trials that Shown returns, if they have one
}

// Name returns the query's name within a report: "mini-followir/headline/headline-001".
func (q *Query) Name() string { return q.Benchmark + "/" + q.Task + "/" + words.Clean(q.ID) }

// Test returns the query's benchmark and task, as in slots.
func (q *Query) Test() string { return q.Benchmark + "/" + q.Task }

// key identifies a query.
type key struct{ benchmark, task, id string }

// Shown returns the trial whose records are shown for a system: the first that has any, or
// nil. Ranks averaged over seeds would be ranks that no run has.
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

// All lists the queries that trials kept a record of, then those that only have values.
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

// list collects queries, each once.
type list struct {
	all   []*Query
	known map[key]*Query
}

// query returns the query of a key and adds it if it is new.
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

// display returns the name that slots use for a benchmark of a trial.
func display(t *scores.Trial, name string) string {
	if shown, ok := t.Shown[name]; ok {
		return shown
	}
	return words.Clean(name)
}

// Has reports whether every word of a search occurs in the query, its instructions or its
// name, ignoring case. The page searches in the same way.
func (q *Query) Has(search string) bool {
	text := strings.ToLower(strings.Join([]string{q.Name(), q.Text, q.Instruction, q.Changed}, "\n"))
	return !slices.ContainsFunc(strings.Fields(strings.ToLower(search)), func(word string) bool { return !strings.Contains(text, word) })
}
