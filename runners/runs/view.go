package runs

import (
	"fmt"
	"math"
	"os"
	"strings"
	"time"

	"infbench/internal/words"
	"infbench/runners/engine"
	"infbench/runners/results"
	"infbench/runners/spec"
)

// WatchView is the state of a sweep at one moment.
type WatchView struct {
	Plan   *spec.Plan
	Trials []results.Trial // in the order of the plan
	Count  map[results.State]int
	Aside  int     // damaged folders that were moved aside
	Fault  error   // of the first unreadable trial, which counts as waiting; nil without one
	Active *Active // decisions of an active sweep; nil for others
	Left   string  // estimated time left, or ""

	Leftover []results.Trial // trials that only earlier plans had
	Changed  []string        // sentences on the changes of the plan

	folder   Folder
	chosen   map[string]string // why an active sweep chose a trial
	leases   map[string]engine.Holding
	progress map[string]progress
}

// progress is the reports of a trial that is not done.
type progress struct {
	last, known engine.Progress // known: the last report with progress
	curve       []CurvePoint    // of the loss
	loss        float64         // of the last step
}

// ShownError is the largest number of characters of an error on one line.
const ShownError = 120

// Summary describes the sweep in one line.
func (v *WatchView) Summary() string {
	stopped := ""
	if n := v.Count[results.Stopped]; n > 0 {
		stopped = fmt.Sprintf(", %d stopped as hopeless", n)
	}
	if n := v.Count[results.Abandoned]; n > 0 {
		stopped += fmt.Sprintf(", %d abandoned", n)
	}
	if n := len(v.Leftover); n > 0 {
		stopped += fmt.Sprintf(", %d no longer planned", n)
	}
	if v.Aside > 0 {
		stopped += fmt.Sprintf(", %d damaged moved aside", v.Aside)
	}
	return fmt.Sprintf("%s: %d done, %d running, %d failed, %d waiting%s%s", words.Clean(v.Plan.Name),
		v.Count[results.Done], v.Count[results.Running], v.Count[results.Failed], v.Count[results.Waiting], stopped, v.Left)
}

// Say describes the progress of a trial that is not done, or its failure; "" if it has not
// begun.
func (v *WatchView) Say(i int) string {
	switch v.Trials[i].State {
	case results.Done:
		return ""
	case results.Running:
		return v.running(i)
	case results.Abandoned:
		return v.abandoned(i)
	case results.Failed:
		return v.failure(i)
	case results.Stopped:
		return v.Trials[i].Error
	}
	return v.stopped(i)
}

// Chosen returns why an active sweep chose a trial, or "".
func (v *WatchView) Chosen(i int) string { return v.chosen[v.Trials[i].ID] }

// Since returns the time of an abandoned trial's last sign of life; zero if unknown.
func (v *WatchView) Since(i int) time.Time {
	if v.Trials[i].State != results.Abandoned {
		return time.Time{}
	}
	return v.leases[v.Trials[i].ID].Since
}

// stopped describes the progress of a trial that no process runs; "" if it has not begun. An
// error in its files comes first.
func (v *WatchView) stopped(i int) string {
	if fault := v.Trials[i].Error; fault != "" {
		return fault
	}
	p := v.progress[v.Trials[i].ID]
	if p.known.Total == 0 {
		return ""
	}
	return "stopped at " + strings.Join(p.howFar(p.known), " ")
}

// howFar formats a report: phase, share, loss curve.
func (p *progress) howFar(last engine.Progress) []string {
	var parts []string
	if last.Phase != "" {
		parts = append(parts, last.Phase)
		if last.Total > 0 {
			parts = append(parts, fmt.Sprintf("%d%%", last.Percent()))
		}
	}
	if len(p.curve) > 0 {
		losses := make([]float64, len(p.curve))
		for i := range p.curve {
			losses[i] = p.curve[i].Value
		}
		parts = append(parts, fmt.Sprintf("%s loss %.3f", sparkline(losses, sparkWidth), p.loss))
	}
	return parts
}

// running describes the progress of a running trial, and where it runs.
func (v *WatchView) running(i int) string {
	p := v.progress[v.Trials[i].ID]
	parts := p.howFar(p.last)
	here, _ := os.Hostname()
	if o := v.leases[v.Trials[i].ID]; o.Host != "" && o.Host != here {
		parts = append(parts, "on "+o.Host)
	}
	return strings.Join(parts, " ")
}

// Todo returns how many trials no process has begun or holds any more.
func (v *WatchView) Todo() int { return v.Count[results.Waiting] + v.Count[results.Abandoned] }

// abandoned describes since when no process runs an unfinished trial.
func (v *WatchView) abandoned(i int) string {
	h := v.leases[v.Trials[i].ID]
	text := "the next sweep continues it"
	if !h.Since.IsZero() {
		text = "since " + h.Since.Format(time.DateTime) + "; " + text
	}
	if h.Host != "" {
		text += fmt.Sprintf("; process %d of %s had it", h.PID, h.Host)
	}
	return text
}

// failure describes the first error of a trial and how often it was tried.
func (v *WatchView) failure(i int) string {
	first, _, _ := strings.Cut(v.Trials[i].Error, "\n")
	first = ShortenError(first, ShownError)
	f, err := v.folder.Trial(v.Trials[i].ID).Failures().Read()
	if err == nil && len(f.Attempts) > 1 {
		return fmt.Sprintf("%s (%d attempts)", first, len(f.Attempts))
	}
	return first
}

// ShortenError removes the middle of a long text: errors begin with the operation and end with
// the cause.
func ShortenError(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	head, tail := most/2, most-most/2-len(" ... ")
	return string(runes[:head]) + " ... " + string(runes[len(runes)-tail:])
}

// timeLeft estimates from finished trials how long the rest takes, with as many at a time as
// run now.
func (w *Watch) timeLeft(v *WatchView) string {
	if v.Count[results.Running] == 0 {
		return ""
	}
	var rest []Unfinished
	for i, t := range v.Trials {
		one := &v.Plan.Trials[i]
		switch t.State {
		case results.Done:
			w.pace.Read(w.folder, one)
		case results.Running:
			rest = append(rest, Unfinished{one, v.progress[t.ID].last, w.isTrained(one)})
		case results.Waiting, results.Abandoned:
			rest = append(rest, Unfinished{one, v.progress[t.ID].known, w.isTrained(one)})
		}
	}
	if text := LeftWords(w.pace.Left(rest, v.Count[results.Running])); text != "" {
		return "; " + text
	}
	return ""
}

// isTrained reports whether the weights of a trial exist.
func (w *Watch) isTrained(t *spec.Trial) bool {
	trained, known := w.trained[t.ID]
	if !known || !trained && w.looks%aRound == 0 {
		trained, _ = w.folder.Weights().AreTrained(t) // only an estimate depends on it
		w.trained[t.ID] = trained
	}
	return trained
}

// sparkWidth is the width of a loss curve in characters.
const sparkWidth = 16

// sparkline draws values as a row of at most width blocks, lowest to highest. Each block is the
// mean of an equal share of the values.
func sparkline(values []float64, width int) string {
	blocks := []rune("▁▂▃▄▅▆▇█")
	means := make([]float64, min(width, len(values)))
	low, high := math.Inf(1), math.Inf(-1)
	for i := range means {
		part := values[i*len(values)/len(means) : (i+1)*len(values)/len(means)]
		for _, x := range part {
			means[i] += x / float64(len(part))
		}
		low, high = min(low, means[i]), max(high, means[i])
	}
	line := make([]rune, len(means))
	for i, x := range means {
		level := 0
		if high > low {
			level = int(math.Round((x - low) / (high - low) * float64(len(blocks)-1)))
		}
		line[i] = blocks[level]
	}
	return string(line)
}
