package reports

import (
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/reports/scores"
	"infbench/runners/results"
)

// TestMeasureNames checks that a report accepts mteb's names of measures everywhere.
func TestMeasureNames(t *testing.T) {
	for ours, theirs := range map[string]string{"nDCG@10": "ndcg_at_10", "AP@1000": "map_at_1000", "RR@10": "mrr_at_10", "R@100": "recall_at_100", "Success@3": "hit_rate_at_3", "AP": "map"} {
		e := &results.Experiment{Name: "e", Trials: reportstest.MeasuredBy(ours, reportstest.Ranked(10, 0, .1)...)}
		r := build(t, Options{Measures: []string{theirs}}, e)
		if columns := r.Boards[0].Leaderboard.Columns; len(columns) != 2 {
			t.Errorf("--measure %s: %d columns, want 2", theirs, len(columns))
		}
		if err := r.Sort(theirs); err != nil {
			t.Errorf("--sort %s: %v", theirs, err)
		}
		f, err := scores.ParseFilter("measure=" + theirs)
		if err != nil || f.Values[0] != ours {
			t.Errorf("--filter measure=%s is of %v, %v", theirs, f.Values, err)
		}
	}
}
