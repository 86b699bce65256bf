package command

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"infbench/bench/output"
	"infbench/internal/words"
	"infbench/reports/terminal"
	"infbench/runners/engine"
	"infbench/runners/runs"
)

// progressView shows the progress of a sweep: one line that is redrawn on a terminal, plain
// lines elsewhere.
type progressView struct {
	w       io.Writer
	live    bool
	began   time.Time
	last    time.Time // when the line was last drawn or logged
	total   int
	done    int
	begun   int // done when the sweep started
	failed  int
	running []*runningJob
}

// runningJob is a trial in progress.
type runningJob struct {
	engine.Job
	progress engine.Progress
	started  time.Time

	phase engine.Progress // the first report of the current phase
	since time.Time       // its time
}

// progressed records a progress report of the job.
func (r *runningJob) progressed(p engine.Progress, now time.Time) {
	if p.Phase != r.progress.Phase {
		r.phase, r.since = p, now
	}
	r.progress = p
}

// left estimates the remaining time of the current phase from the progress since its first
// report.
func (r *runningJob) left(now time.Time) (time.Duration, bool) {
	done := r.progress.Done - r.phase.Done
	if done <= 0 {
		return 0, false
	}
	each := now.Sub(r.since) / time.Duration(done)
	return (each * time.Duration(r.progress.Total-r.progress.Done)).Round(time.Second), true
}

// text is "uni(P) seed=1 train 43% loss 1.234 5120 tokens/s".
func (r *runningJob) text() string {
	p := r.progress
	if p.Total == 0 {
		return r.Label
	}
	text := fmt.Sprintf("%s %s %d%%", r.Label, p.Phase, 100*p.Done/p.Total)
	if p.Loss > 0 {
		text += fmt.Sprintf(" loss %.3f", p.Loss)
	}
	if p.Rate > 0 {
		text += fmt.Sprintf(" %.0f tokens/s", p.Rate)
	}
	return text
}

// Minimum intervals between updates.
const (
	redrawEvery = 100 * time.Millisecond
	logEvery    = 10 * time.Second
)

func newProgressView(w io.Writer, total, done int) *progressView {
	v := &progressView{w: w, total: total, done: done, begun: done, began: time.Now()}
	_, v.live = output.Terminal(w)
	return v
}

// show handles one event.
func (v *progressView) show(e engine.Event) {
	i := slices.IndexFunc(v.running, func(r *runningJob) bool { return r.ID == e.Job.ID })
	switch e.Kind {
	case engine.Started:
		v.running = append(v.running, &runningJob{Job: e.Job, started: time.Now()})
	case engine.Progressed:
		v.running[i].progressed(e.Progress, time.Now())
	case engine.Succeeded:
		v.done++
		if p := v.running[i].progress; p.Phase == runs.StoppedPhase {
			v.line("%s  %s  stopped as hopeless after step %d of %d", v.count(), e.Job.Label, p.Done, p.Total)
			v.running = slices.Delete(v.running, i, i+1)
			break
		}
		v.line("%s  %s  %.1fs", v.count(), e.Job.Label, time.Since(v.running[i].started).Seconds())
		v.running = slices.Delete(v.running, i, i+1)
	case engine.Elsewhere:
		v.done++
		v.begun++ // says nothing about our speed
		v.line("%s  %s  done by another process", v.count(), e.Job.Label)
		if i >= 0 { // started here; its process found it done
			v.running = slices.Delete(v.running, i, i+1)
		}
	case engine.Retried:
		v.line("again  %s: %s", e.Job.Label, runs.ShortenError(e.Err.Error(), 2*runs.ShownError))
		v.running = slices.Delete(v.running, i, i+1)
	case engine.Stopped:
		v.line("stopped  %s", e.Job.Label)
		v.running = slices.Delete(v.running, i, i+1)
	case engine.Failed:
		v.failed++
		v.line("failed  %s: %s", e.Job.Label, runs.ShortenError(e.Err.Error(), 2*runs.ShownError))
		v.running = slices.Delete(v.running, i, i+1)
	}
	v.draw()
}

// count is "3/15".
func (v *progressView) count() string {
	width := len(fmt.Sprint(v.total))
	return fmt.Sprintf("%*d/%d", width, v.done, v.total)
}

// line prints a line that stays, above the live one.
func (v *progressView) line(format string, args ...any) {
	text := words.Clean(fmt.Sprintf(format, args...))
	if v.live {
		fmt.Fprintf(v.w, "\r\x1b[K%s\n", text)
		return
	}
	fmt.Fprintln(v.w, text)
}

// draw shows the running trials, no more often than is useful.
func (v *progressView) draw() {
	every := logEvery
	if v.live {
		every = redrawEvery
	}
	if time.Since(v.last) < every || len(v.running) == 0 {
		return
	}
	v.last = time.Now()
	if !v.live {
		fmt.Fprintln(v.w, v.status(0))
		return
	}
	fmt.Fprintf(v.w, "\r\x1b[K%s", v.status(terminal.On(v.w).Width-1)) // asked each time: windows change
}

// status is the live line: counts, running trials, time left. If it is wider than width (0
// means no limit), trials are cut so that the time left stays.
func (v *progressView) status(width int) string {
	const between = "  "
	head, trials, left := v.count(), []string{}, v.leftWords()
	if v.failed > 0 {
		head += between + fmt.Sprintf("%d failed", v.failed)
	}
	for _, r := range v.running {
		trials = append(trials, words.Clean(r.text()))
	}
	if left != "" {
		left = between + left
	}
	middle := between + strings.Join(trials, between)
	if width > 0 {
		middle = terminal.Cut(middle, width-terminal.Width(head)-terminal.Width(left))
	}
	return head + middle + left
}

// leftWords formats the time left in the sweep or, before a trial has ended, of the current
// phase of the only running trial; "" if it is unknown.
func (v *progressView) leftWords() string {
	if left, ok := v.left(); ok {
		return "about " + left.String() + " left"
	}
	if len(v.running) == 1 {
		if left, ok := v.running[0].left(time.Now()); ok {
			return fmt.Sprintf("about %s of %s left", left, v.running[0].progress.Phase)
		}
	}
	return ""
}

// left estimates the remaining time from the trials done in this run.
func (v *progressView) left() (time.Duration, bool) {
	done := v.done - v.begun
	if done == 0 {
		return 0, false
	}
	each := time.Since(v.began) / time.Duration(done)
	return (each * time.Duration(v.total-v.done-v.failed)).Round(time.Second), true
}

// close clears the live line.
func (v *progressView) close() {
	if v.live {
		fmt.Fprint(v.w, "\r\x1b[K")
	}
}
