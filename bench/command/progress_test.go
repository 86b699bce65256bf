package command

import (
	"strings"
	"testing"
	"time"

	"infbench/reports/terminal"
	"infbench/runners/engine"
)

// TestJobLeft: 30 of 100 steps were done at the first report and 50 more took 100 s, so 20
// take 40 s; a new phase counts from its own first report.
func TestJobLeft(t *testing.T) {
	start := time.Unix(1000, 0)
	r := &runningJob{Job: engine.Job{Label: "uni(P)"}}
	at := func(seconds int, p engine.Progress) (time.Duration, bool) {
		now := start.Add(time.Duration(seconds) * time.Second)
		r.progressed(p, now)
		return r.left(now)
	}
	if left, ok := at(0, engine.Progress{Phase: "train", Done: 30, Total: 100}); ok {
		t.Errorf("%s left after one report", left)
	}
	if left, ok := at(100, engine.Progress{Phase: "train", Done: 80, Total: 100, Loss: 0.5, Rate: 1234.4}); !ok || left != 40*time.Second {
		t.Errorf("%s left, want 40s", left)
	}
	if got, want := r.text(), "uni(P) train 80% loss 0.500 1234 tokens/s"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if left, ok := at(101, engine.Progress{Phase: "evaluate", Done: 1, Total: 3}); ok {
		t.Errorf("%s left of a phase that has just begun", left)
	}
	if left, _ := at(103, engine.Progress{Phase: "evaluate", Done: 2, Total: 3}); left != 2*time.Second {
		t.Errorf("%s left, want 2s", left)
	}
}

// TestProgressOfOneTrial: a single trial shows its own time left, on one line.
func TestProgressOfOneTrial(t *testing.T) {
	var out strings.Builder
	v := newProgressView(&out, 1, 0)
	job := engine.Job{ID: "x", Label: "uni(P)"}
	v.show(engine.Event{Job: job, Kind: engine.Started})
	for done := 1; done <= 2; done++ {
		v.show(engine.Event{Job: job, Kind: engine.Progressed, Progress: engine.Progress{Phase: "train", Done: done, Total: 4, Rate: 10}})
	}
	if got := v.status(0); !strings.Contains(got, "0/1  uni(P) train 50% 10 tokens/s  about ") || !strings.HasSuffix(got, " of train left") {
		t.Errorf("status %q", got)
	}
}

// At 80 columns the line shows the time left, whatever else is running.
func TestProgressKeepsTimeLeft(t *testing.T) {
	v := &progressView{total: 1234, done: 7, failed: 2, began: time.Now().Add(-time.Hour)}
	for _, label := range []string{"multi(P,I,IQ) backbone=some-organisation/a-long-name train.lr=0.0005", "検索モデル" + strings.Repeat("長", 40), "x"} {
		v.running = append(v.running, &runningJob{Job: engine.Job{Label: label}, progress: engine.Progress{Phase: "train", Done: 5, Total: 10, Loss: 1.5, Rate: 4321}})
	}
	for _, width := range []int{40, 79, 119, 500} {
		line := v.status(width)
		if terminal.Width(line) > width || !strings.HasPrefix(line, "   7/1234  2 failed  ") || !strings.HasSuffix(line, "  about 175h0m0s left") {
			t.Errorf("at %d columns (%d): %q", width, terminal.Width(line), line)
		}
	}
	if line := v.status(79); !strings.Contains(line, "…  about") || !strings.Contains(line, "multi(P,I,IQ)") {
		t.Errorf("trials are lost: %q", line)
	}
}
