package verify

import (
	"os"
	"strings"
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/reports"
	"infbench/reports/page"
	"infbench/runners/results"
)

// TestLarge: the page of 10,000 trials, which has no room for all of its values, passes; without
// the run folders its sections are listed as not checked.
func TestLarge(t *testing.T) {
	if os.Getenv("INFBENCH_LARGE") == "" {
		t.Skip("SKIP: INFBENCH_LARGE is not set (make large)")
	}
	exps := []*results.Experiment{reportstest.Large(10_000, 200)}
	var b strings.Builder
	if err := page.Write(&b, build(t, reports.Options{}, exps...)); err != nil {
		t.Fatal(err)
	}
	if v := verified(t, b.String(), nil); len(v.Differ) > 0 || len(v.Unchecked) < 5 || !v.Numbers {
		t.Errorf("from its values alone: %.2000v, unchecked %v", v.Differ, v.Unchecked)
	}
	if v := verified(t, b.String(), exps); len(v.Differ) > 0 || len(v.Unchecked) > 0 {
		t.Errorf("with its runs: %.2000v, unchecked %v", v.Differ, v.Unchecked)
	}
	forged := strings.Replace(b.String(), "</main>", forgedTable("real-published-leaderboard")+"</main>", 1)
	if v := verified(t, resealed(forged), nil); len(v.Differ) == 0 {
		t.Error("a table more was not found")
	}
}
