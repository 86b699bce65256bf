package command

import (
	"strings"
	"testing"

	"infbench/reports/terminal"
	"infbench/runners/engine"
	"infbench/runners/runs"
)

// TestProgressOfOneTrial: a single trial shows its own time left, on one line.
func TestProgressOfOneTrial(t *testing.T) {
	var out strings.Builder
	v := newProgressView(&out, 1, 0)
	job := engine.Job{ID: "x", Label: "uni(P)"}
	v.show(engine.Event{Job: job, Kind: engine.Started})
	for done := 1; done <= 2; done++ {
		v.show(engine.Event{Job: job, Kind: engine.Progressed, Progress: engine.Progress{Phase: "train", Done: done, Total: 4, Rate: 10, From: 1, Spent: 20 * float64(done-1)}})
	}
	if got := v.status(0); !strings.Contains(got, "0/1  uni(P) train 50% 10 tokens/s  about 40s of train left") {
		t.Errorf("status %q", got)
	}
}

// At 80 columns the line shows the time left, whatever else is running.
func TestProgressKeepsTimeLeft(t *testing.T) {
	dir := t.TempDir()
	plan := plannedCells(t, dir, 1234)
	v := &progressView{total: 1234, done: 7, failed: 2}
	finish(t, runs.At(dir).Trial(plan.Trials[0].ID).Dir, &plan.Trials[0])
	var jobs []engine.Job
	for i := range plan.Trials[9:] {
		jobs = append(jobs, newJob(&plan.Trials[9+i]))
	}
	v.expect(runs.At(dir), plan, jobs)
	for _, label := range []string{"multi(P,I,IQ) backbone=some-organisation/a-long-name train.lr=0.0005", "検索モデル" + strings.Repeat("長", 40), "x"} {
		v.running = append(v.running, &runningJob{Job: engine.Job{Label: label}, progress: engine.Progress{Phase: "train", Done: 5, Total: 10, Loss: 1.5, Rate: 4321}})
	}
	for _, width := range []int{40, 79, 119, 500} {
		line := v.status(width)
		if terminal.Width(line) > width || !strings.HasPrefix(line, "   7/1234  2 failed  ") || !strings.HasSuffix(line, "  about 6h48m20s left") {
			t.Errorf("at %d columns (%d): %q", width, terminal.Width(line), line)
		}
	}
	if line := v.status(79); !strings.Contains(line, "…  about") || !strings.Contains(line, "multi(P,I,IQ)") {
		t.Errorf("trials are lost: %q", line)
	}
}
