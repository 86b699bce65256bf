package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"time"

	"infbench/bench/engine"
	"infbench/bench/results"
	"infbench/bench/runs"
	"infbench/bench/sheet"
	"infbench/bench/spec"
	"infbench/reports/terminal"
	"infbench/reports/words"
)

// statusView is a sweep as it was at one moment.
type statusView struct {
	folder    runs.Folder
	plan      *spec.Plan
	trials    []results.Trial // as in the plan
	leases    map[string]engine.Holding
	count     map[results.State]int
	aside     int    // damaged folders that were moved out of the way
	remaining string // how long it will take, "" where nobody knows
}

// Bounds of what is shown: a sweep of 10,000 cells must stay readable.
const (
	shownWaiting  = 20
	shownFailed   = 50
	shownError    = 120 // characters
	sampledTrials = 50  // finished ones whose durations are averaged
)

// summary is the first line.
func (v *statusView) summary() string {
	stopped := ""
	if n := v.count[results.Stopped]; n > 0 {
		stopped = fmt.Sprintf(", %d stopped as hopeless", n)
	}
	if n := v.count[results.Abandoned]; n > 0 {
		stopped += fmt.Sprintf(", %d abandoned", n)
	}
	if v.aside > 0 {
		stopped += fmt.Sprintf(", %d damaged moved aside", v.aside)
	}
	return fmt.Sprintf("%s: %d done, %d running, %d failed, %d waiting%s%s", words.Clean(v.plan.Name),
		v.count[results.Done], v.count[results.Running], v.count[results.Failed], v.count[results.Waiting], stopped, v.remaining)
}

// write prints the counts and a table of what is not done: what runs, what
// failed, what waits.
func (v *statusView) write(w io.Writer) error {
	for _, text := range append([]string{v.summary()}, v.plan.Remarks()...) {
		for _, line := range terminal.On(w).Lines("", text) {
			if _, err := fmt.Fprintln(w, line); err != nil {
				return err
			}
		}
	}
	s := sheet.Sheet{Title: v.plan.Name, Left: 4, Head: []string{"trial", "state", "what", "how far, or why"}}
	for _, part := range []struct {
		state results.State
		most  int
		say   func(i int) string
	}{
		{results.Running, len(v.trials), v.running},
		{results.Abandoned, shownFailed, v.abandoned},
		{results.Failed, shownFailed, v.failure},
		{results.Stopped, shownFailed, func(i int) string { return v.trials[i].Error }},
		{results.Waiting, shownWaiting, v.stopped},
	} {
		shown := 0
		var rows, begun [][]string // a waiting trial that was begun stands before the others
		for i, t := range v.trials {
			if t.State != part.state {
				continue
			}
			if shown++; shown > part.most && part.state != results.Waiting {
				continue
			}
			row := []string{t.ID, string(t.State), v.plan.Trials[i].Label, part.say(i)}
			if row[3] != "" {
				begun = append(begun, row)
			} else {
				rows = append(rows, row)
			}
		}
		rows = append(begun, rows...)
		s.Rows = append(s.Rows, rows[:min(len(rows), part.most)]...)
		if shown > part.most {
			s.Notes = append(s.Notes, fmt.Sprintf("%d more trials are %s", shown-part.most, part.state))
		}
	}
	if len(s.Rows) == 0 {
		return nil
	}
	return s.WriteTable(w)
}

// stopped tells how far a trial came that nobody runs; "" of one that nobody began. What
// is wrong with its files comes first.
func (v *statusView) stopped(i int) string {
	if fault := v.trials[i].Error; fault != "" {
		return fault
	}
	progress := v.folder.Progress(v.trials[i].ID)
	for len(progress) > 0 && progress[len(progress)-1].Total == 0 {
		progress = progress[:len(progress)-1] // an attempt that came no further
	}
	if len(progress) == 0 {
		return ""
	}
	return "stopped at " + strings.Join(howFar(progress), " ")
}

// howFar words what a trial reported: phase, share, loss curve.
func howFar(progress []engine.Progress) []string {
	var parts []string
	if n := len(progress); n > 0 {
		last := progress[n-1]
		parts = append(parts, last.Phase)
		if last.Total > 0 {
			parts = append(parts, fmt.Sprintf("%d%%", 100*last.Done/last.Total))
		}
	}
	if losses := lossCurve(progress); len(losses) > 0 {
		parts = append(parts, fmt.Sprintf("%s loss %.3f", sparkline(losses, sparkWidth), losses[len(losses)-1]))
	}
	return parts
}

// running tells how far a trial is, and where.
func (v *statusView) running(i int) string {
	parts := howFar(v.folder.Progress(v.trials[i].ID))
	here, _ := os.Hostname()
	if o := v.leases[v.trials[i].ID]; o.Host != "" && o.Host != here {
		parts = append(parts, "on "+o.Host)
	}
	return strings.Join(parts, " ")
}

// left is how many trials nobody has begun or holds any more.
func (v *statusView) left() int { return v.count[results.Waiting] + v.count[results.Abandoned] }

// abandoned tells since when nobody runs a trial that was begun.
func (v *statusView) abandoned(i int) string {
	h := v.leases[v.trials[i].ID]
	text := "the next sweep goes on with it"
	if !h.Since.IsZero() {
		text = "since " + h.Since.Format(time.DateTime) + "; " + text
	}
	if h.Host != "" {
		text += fmt.Sprintf("; process %d of %s had it", h.PID, h.Host)
	}
	return text
}

// failure tells the first error of a trial and how often it was tried.
func (v *statusView) failure(i int) string {
	first, _, _ := strings.Cut(v.trials[i].Error, "\n")
	first = shorten(first, shownError)
	f, err := v.folder.Trial(v.trials[i].ID).Failure()
	if err == nil && len(f.Attempts) > 1 {
		return fmt.Sprintf("%s (%d attempts)", first, len(f.Attempts))
	}
	return first
}

// shorten takes out the middle of a long text: errors begin with what was being
// done and end with what went wrong.
func shorten(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	head, tail := most/2, most-most/2-len(" ... ")
	return string(runes[:head]) + " ... " + string(runes[len(runes)-tail:])
}

// timeLeft guesses from finished trials how long the rest takes, at as many at a
// time as run now.
func (v *statusView) timeLeft() string {
	todo := float64(v.count[results.Running] + v.left())
	if v.count[results.Running] == 0 || v.count[results.Done] == 0 {
		return ""
	}
	stride := max(1, v.count[results.Done]/sampledTrials)
	var seconds, n, seen float64
	for i, t := range v.trials {
		if t.State != results.Done {
			if t.State == results.Running {
				todo -= v.share(i)
			}
			continue
		}
		if seen++; int(seen)%stride != 0 {
			continue
		}
		p, err := v.folder.Trial(t.ID).Provenance()
		if err != nil {
			return "; how long is left is not known: " + err.Error()
		}
		seconds += p.Seconds["total"]
		n++
	}
	if n == 0 {
		return ""
	}
	left := todo * seconds / n / float64(v.count[results.Running])
	return fmt.Sprintf("; about %v left", time.Duration(left*float64(time.Second)).Round(time.Second))
}

// share is the part of a trial's training that is behind it.
func (v *statusView) share(i int) float64 {
	progress := v.folder.Progress(v.trials[i].ID)
	if len(progress) == 0 || progress[len(progress)-1].Total == 0 {
		return 0
	}
	last := progress[len(progress)-1]
	return float64(last.Done) / float64(last.Total)
}

// lossCurve is the loss of each step so far; steps that were taken again after a
// kill count once.
func lossCurve(progress []engine.Progress) []float64 {
	var curve []float64
	for _, p := range progress {
		if p.Phase != "train" || p.Done < 1 || math.IsNaN(p.Loss) || math.IsInf(p.Loss, 0) {
			continue
		}
		curve = append(curve[:min(len(curve), p.Done-1)], p.Loss)
	}
	return curve
}

// sparkWidth is how many characters a loss curve takes.
const sparkWidth = 16

// sparkline draws values as a row of at most width blocks, lowest to highest; each
// block is the mean of its share of the values.
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
