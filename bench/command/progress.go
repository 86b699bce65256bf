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
	"infbench/runners/spec"
)

// progressView shows the progress of a sweep: one line that is redrawn on a terminal, plain
// lines elsewhere.
type progressView struct {
	w       io.Writer
	live    bool
	last    time.Time // when the line was last drawn or logged
	began   time.Time
	total   int
	before  int // jobs that were done at the beginning
	done    int
	failed  int
	running []*runningJob

	folder runs.Folder
	rest   []runs.Unfinished // trials of the sweep that have not ended, without their progress
	pace   runs.Pace
}

// runningJob is a trial in progress.
type runningJob struct {
	engine.Job
	progress engine.Progress
	started  time.Time
}

// text is "uni(P) seed=1 train 43% loss 1.234 5120 tokens/s".
func (r *runningJob) text() string {
	p := r.progress
	if p.Total == 0 {
		return strings.TrimSpace(r.Label + " " + p.Phase)
	}
	text := fmt.Sprintf("%s %s %d%%", r.Label, p.Phase, p.Percent())
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
	v := &progressView{w: w, began: time.Now(), total: total, before: done, done: done}
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
		v.running[i].progress = e.Progress
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
	if e.Kind == engine.Succeeded || e.Kind == engine.Elsewhere || e.Kind == engine.Failed {
		v.ended(e)
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

// leftWords formats the time left in the sweep by the pace of finished trials (of shards by those
// that ended in this run) or, if it is unknown, of the current phase of the only running trial; ""
// if that is unknown, too.
func (v *progressView) leftWords() string {
	if ended := v.done - v.before; len(v.rest) == 0 && ended > 0 {
		each := time.Since(v.began) / time.Duration(ended)
		return runs.LeftWords((each * time.Duration(v.total-v.done-v.failed)).Round(time.Second), 0)
	}
	if text := runs.LeftWords(v.pace.Left(v.unfinished(), len(v.running))); text != "" {
		return text
	}
	if len(v.running) == 1 {
		if left, ok := v.running[0].progress.Left(); ok {
			return fmt.Sprintf("about %s of %s left", left, v.running[0].progress.Phase)
		}
	}
	return ""
}

// unfinished lists the trials of the sweep that are not done.
func (v *progressView) unfinished() []runs.Unfinished {
	rest := make([]runs.Unfinished, 0, len(v.rest))
	for _, u := range v.rest {
		for _, r := range v.running {
			if r.ID == u.Trial.ID {
				u.Progress = r.progress
			}
		}
		rest = append(rest, u)
	}
	return rest
}

// expect tells the view which trials of a plan are to run, and the pace of those that are done. A
// job may also be a shard of a trial.
func (v *progressView) expect(folder runs.Folder, plan *spec.Plan, jobs []engine.Job) {
	v.folder = folder
	waits := map[string]bool{}
	for _, job := range jobs {
		waits[job.ID] = true
	}
	for i := range plan.Trials {
		if t := &plan.Trials[i]; waits[t.ID] {
			trained, _ := folder.Weights().AreTrained(t) // only an estimate depends on it
			v.rest = append(v.rest, runs.Unfinished{Trial: t, Trained: trained})
		}
	}
	if len(v.rest) == 0 {
		return
	}
	for i := range plan.Trials {
		if t := &plan.Trials[i]; !waits[t.ID] {
			v.pace.Read(folder, t)
		}
	}
}

// ended takes a trial out of the estimate and, if it has results, learns from it.
func (v *progressView) ended(e engine.Event) {
	v.rest = slices.DeleteFunc(v.rest, func(u runs.Unfinished) bool {
		if u.Trial.ID == e.Job.ID && e.Kind != engine.Failed {
			v.pace.Read(v.folder, u.Trial)
		}
		return u.Trial.ID == e.Job.ID
	})
}

// close clears the live line.
func (v *progressView) close() {
	if v.live {
		fmt.Fprint(v.w, "\r\x1b[K")
	}
}
