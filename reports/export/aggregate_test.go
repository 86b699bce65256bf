package export

import (
	"encoding/csv"
	"fmt"
	"strings"
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/reports"
	"infbench/reports/scores"
	"infbench/reports/table"
	"infbench/runners/results"
)

// withAggregates is the fixture with a system that has only means, like imported ones.
func withAggregates() *results.Experiment {
	e := reportstest.Fixture(1)
	model := e.Trials[0]
	t := results.Trial{ID: "feedfeedfeedfeed", State: results.Done, Config: map[string]string{"model": "team/old", "world": "1"}, Provenance: results.Provenance{Benchmarks: model.Provenance.Benchmarks, Imported: "mteb"}}
	for i, r := range model.Results {
		if i > 0 && scores.SameSlot(model.Results[i-1:i+1]) == 2 {
			continue
		}
		value := .75
		r.Query, r.Value, r.Aggregate = "", &value, true
		t.Results = append(t.Results, r)
	}
	e.Trials = append(e.Trials, t)
	return e
}

// A page carries means without queries, marked as such.
func TestAggregatesOnPage(t *testing.T) {
	e := reportstest.TwoSystems()[0]
	mean := .4
	r := e.Trials[0].Results[0]
	r.Query, r.Value, r.Aggregate = "", &mean, true
	e.Trials = append(e.Trials, results.Trial{ID: "feed", State: results.Done, Config: map[string]string{"model": "old"}, Results: []results.Result{r}, Provenance: e.Trials[0].Provenance})
	page := pageOf(t, []*results.Experiment{e})
	for _, runs := range [][]*results.Experiment{nil, {e}} {
		if v := verified(t, page, runs); len(v.Differ) > 0 || !strings.Contains(page, "40.0‡") {
			t.Errorf("%v", v.Differ)
		}
	}
	files := exportedFiles(t, "csv", e)
	records, err := csv.NewReader(strings.NewReader(string(files[0].Data))).ReadAll()
	if last := records[len(records)-1]; err != nil || last[8] != "" || last[9] != "0.4" {
		t.Errorf("%v, last line %q: want no query and .4", err, last)
	}
	r.Query, r.Aggregate = "q1", false
	e.Trials[len(e.Trials)-1].Results = append(e.Trials[len(e.Trials)-1].Results, r)
	if _, err := reports.Build([]*results.Experiment{e}, reports.Options{}); err == nil || !strings.Contains(err.Error(), "a mean without queries as well as other values") {
		t.Errorf("a mean beside its queries: %v", err)
	}
}

// A mean without queries is shown on the board with a mark, and is neither tested nor ranked. The
// same holds for a mean over several such tasks.
func TestAggregates(t *testing.T) {
	e := withAggregates()
	r := build(t, reports.Options{}, e)
	b := r.Boards[0]
	for _, row := range b.Leaderboard.Rows {
		if row.Entries[0].Text != "team/old" {
			continue
		}
		for _, entry := range row.Entries[1:] {
			if strings.TrimPrefix(entry.Text, "+") != "75.0‡" {
				t.Errorf("entry %q, want 75.0‡", entry.Text)
			}
		}
	}
	if notes := strings.Join(b.Leaderboard.Notes, " "); !strings.Contains(notes, table.AggregateNote) {
		t.Errorf("the mark is not explained: %q", notes)
	}
	found := 0
	for _, f := range b.Families {
		for _, c := range f.Contrasts {
			if c.B.Label == "team/old" {
				found++
				if c.Words() != "not tested: only a mean is known, without per-query values" {
					t.Errorf("%s: %s", c.On.Test(), c.Words())
				}
			}
		}
	}
	if found != len(b.Rankings) {
		t.Errorf("%d comparisons, want one for each of %d columns", found, len(b.Rankings))
	}
	for _, ranking := range b.Rankings {
		for _, s := range ranking.Standings {
			if s.System == "team/old" {
				t.Errorf("%s has rank %s on %s", s.System, s.Ranks(), ranking.Column.Test())
			}
		}
	}
	for _, format := range Formats() {
		if text := written(t, r, format); !strings.Contains(text, "team/old") {
			t.Errorf("%s does not show the system", format)
		}
	}
}

// The page has more tasks than charts, and values of queries are unknown.
func TestAggregatesOfManyTasks(t *testing.T) {
	trial := results.Trial{ID: "feed", State: results.Done, Config: map[string]string{"model": "old"}}
	for i := range 126 {
		value := float64(i) / 126
		trial.Results = append(trial.Results, results.Result{Benchmark: "mair", Task: fmt.Sprint("task", i), Measure: "nDCG@10", Value: &value, Aggregate: true})
	}
	r := build(t, reports.Options{}, &results.Experiment{Name: "old", Trials: []results.Trial{trial}})
	for _, format := range Formats() {
		if text := written(t, r, format); !strings.Contains(text, "old") {
			t.Errorf("%s does not show the system", format)
		}
	}
}
