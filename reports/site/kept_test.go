package site

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/reports"
	"infbench/runners/results"
)

// TestGrowth publishes 100 commits, with a step at each tenth: the folder keeps as many files, and
// grows by a bounded number of bytes a commit. Files of others stay.
func TestGrowth(t *testing.T) {
	dir, random := t.TempDir(), rand.New(rand.NewPCG(8, 8))
	foreign := map[string]string{"CNAME": "board.example", "reports/mine.html": "mine", "models/mine.html": "mine", "notes/of/mine.txt": "mine"}
	for name, text := range foreign {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	sizes := map[int]int{}
	var files map[string]string
	for i := range 100 {
		publishRun(t, dir, fmt.Sprintf("commit%03d", i), threeRuns(random, 0.5-0.03*float64(i/10%2)))
		files, sizes[i] = contents(t, dir), 0
		for _, text := range files {
			sizes[i] += len(text)
		}
	}
	kept := 0
	for name := range files {
		if strings.HasPrefix(name, "/"+reportsDir+"/commit") {
			kept++
		}
	}
	if kept < 5 || kept > reportsKept {
		t.Errorf("%d reports are kept, want 5 to %d", kept, reportsKept)
	}
	report, line := len(files["/"+ReportFile]), len(files["/"+HistoryFile])/100
	t.Logf("a report of %d bytes, a line of %d; the folder: %d after 10, %d after 50, %d after 100 commits", report, line, sizes[9], sizes[49], sizes[99])
	// From commit 50 to 100, the kept reports grow by at most all of them. The rest is one line of
	// the history a commit, and its place in the charts of the pages; there are two pages here.
	if growth := sizes[99] - sizes[49] - reportsKept*report; growth > 50*(line+1500) {
		t.Errorf("grew by %d bytes a commit beside the kept reports", growth/50)
	}
	for name, text := range foreign {
		if files["/"+name] != text {
			t.Errorf("%s of somebody else is gone", name)
		}
	}
	h, err := ReadHistory(HistoryFile, []byte(files["/"+HistoryFile]))
	if err != nil || len(h.Commits) != 100 {
		t.Errorf("%d commits: %v", len(h.Commits), err)
	}
	_, steps, _ := strings.Cut(files["/"+indexFile], "<h2>Steps and drifts</h2>")
	if n := strings.Count(steps, "<td>step</td>"); n < 7 || n > 9 {
		t.Errorf("%d steps on the index, want about 9", n)
	}
}

// threeRuns are three runs of a system on 20 queries, around a level.
func threeRuns(random *rand.Rand, level float64) []*results.Experiment {
	e := &results.Experiment{Name: "small", Planned: true}
	for seed := 1; seed <= 3; seed++ {
		run := level + 0.004*random.NormFloat64()
		var values []float64
		for q := range 20 {
			values = append(values, run+0.1*float64(q%5-2)+0.01*random.NormFloat64())
		}
		tr := reportstest.SmallTrial("trained", values...)
		tr.ID = fmt.Sprint("trial", seed)
		tr.Config = map[string]string{results.Model: "trained", results.Loss: "uni(P)", results.Seed: fmt.Sprint(seed)}
		e.Trials = append(e.Trials, tr)
	}
	return []*results.Experiment{e}
}

// publishRun adds a commit to the site in a folder, like the verb.
func publishRun(t *testing.T, dir, commit string, exps []*results.Experiment) {
	t.Helper()
	at, err := Claim(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer at.Release()
	h, err := at.History()
	if err != nil {
		t.Fatal(err)
	}
	if h.Commits, err = Record(h.Commits, Push{Commit: commit, Date: "2026-11-20", Results: exps}); err != nil {
		t.Fatal(err)
	}
	kept, err := at.Kept(h.Commits)
	if err != nil {
		t.Fatal(err)
	}
	files, err := Site(exps, h.Commits, kept, reports.Options{})
	if err == nil {
		err = at.Put(files)
	}
	if err == nil {
		err = at.Prune(files, h.Commits)
	}
	if err != nil {
		t.Fatal(err)
	}
}
