package export

import (
	"encoding/csv"
	"strings"
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/reports"
	"infbench/reports/scores"
	"infbench/runners/results"
)

// withAggregates is the fixture with a system of which only means are known, as
// imported ones are.
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

// A page carries means without queries as such.
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
	if _, err := reports.Build([]*results.Experiment{e}, reports.Options{}); err == nil || !strings.Contains(err.Error(), "a mean without queries beside other values") {
		t.Errorf("a mean beside its queries: %v", err)
	}
}
