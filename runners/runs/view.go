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

// WatchView is a sweep as it was at one moment.
type WatchView struct {
	Plan   *spec.Plan
	Trials []results.Trial // as in the plan
	Count  map[results.State]int
	Aside  int     // damaged folders that were moved out of the way
	Fault  error   // of the first trial that could not be read: it waits, with why; nil where all were
	Active *Active // what an active sweep decided; nil of others
	Left   string  // how long it will take, "" where nobody knows

	folder   Folder
	chosen   map[string]string // why an active sweep runs a trial
	leases   map[string]engine.Holding
	progress map[string]progress
}

// progress is what a trial that is not done has reported.
type progress struct {
	last, known engine.Progress // known: the last that says how far it was
	curve       []CurvePoint    // of the loss
	loss        float64         // of the last step
}

// ShownError is how many characters of an error stand on one line.
const ShownError = 120

// Summary is the sweep on one line.
func (v *WatchView) Summary() string {
	stopped := ""
	if n := v.Count[results.Stopped]; n > 0 {
		stopped = fmt.Sprintf(", %d stopped as hopeless", n)
	}
	if n := v.Count[results.Abandoned]; n > 0 {
		stopped += fmt.Sprintf(", %d abandoned", n)
	}
	if v.Aside > 0 {
		stopped += fmt.Sprintf(", %d damaged moved aside", v.Aside)
	}
	return fmt.Sprintf("%s: %d done, %d running, %d failed, %d waiting%s%s", words.Clean(v.Plan.Name),
		v.Count[results.Done], v.Count[results.Running], v.Count[results.Failed], v.Count[results.Waiting], stopped, v.Left)
}

// Say tells of a trial that is not done how far it is, or why; "" of one that nobody
// began.
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

// Chosen is why an active sweep runs a trial; "" of one that it does not, and of others.
func (v *WatchView) Chosen(i int) string { return v.chosen[v.Trials[i].ID] }

// Since is when an abandoned trial was heard of last; zero where nobody knows.
func (v *WatchView) Since(i int) time.Time {
	if v.Trials[i].State != results.Abandoned {
		return time.Time{}
	}
	return v.leases[v.Trials[i].ID].Since
}

// stopped tells how far a trial came that nobody runs; "" of one that nobody began. What
// is wrong with its files comes first.
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

// howFar words what a trial reported: phase, share, loss curve.
func (p *progress) howFar(last engine.Progress) []string {
	var parts []string
	if last.Phase != "" {
		parts = append(parts, last.Phase)
		if last.Total > 0 {
			parts = append(parts, fmt.Sprintf("%d%%", 100*last.Done/last.Total))
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

// running tells how far a trial is, and where.
func (v *WatchView) running(i int) string {
	p := v.progress[v.Trials[i].ID]
	parts := p.howFar(p.last)
	here, _ := os.Hostname()
	if o := v.leases[v.Trials[i].ID]; o.Host != "" && o.Host != here {
		parts = append(parts, "on "+o.Host)
	}
	return strings.Join(parts, " ")
}

// Todo is how many trials nobody has begun or holds any more.
func (v *WatchView) Todo() int { return v.Count[results.Waiting] + v.Count[results.Abandoned] }

// abandoned tells since when nobody runs a trial that was begun.
func (v *WatchView) abandoned(i int) string {
	h := v.leases[v.Trials[i].ID]
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
func (v *WatchView) failure(i int) string {
	first, _, _ := strings.Cut(v.Trials[i].Error, "\n")
	first = ShortenError(first, ShownError)
	f, err := v.folder.Trial(v.Trials[i].ID).Failures().Read()
	if err == nil && len(f.Attempts) > 1 {
		return fmt.Sprintf("%s (%d attempts)", first, len(f.Attempts))
	}
	return first
}

// ShortenError takes out the middle of a long text: errors begin with what was being
// done and end with what went wrong.
func ShortenError(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	head, tail := most/2, most-most/2-len(" ... ")
	return string(runes[:head]) + " ... " + string(runes[len(runes)-tail:])
}

// sampledTrials is of how many finished trials the durations are averaged.
const sampledTrials = 50

// timeLeft guesses from finished trials how long the rest takes, at as many at a
// time as run now.
func (w *Watch) timeLeft(v *WatchView) string {
	if v.Count[results.Running] == 0 || v.Count[results.Done] == 0 {
		return ""
	}
	todo := float64(v.Count[results.Running] + v.Todo())
	stride, seen := max(1, v.Count[results.Done]/sampledTrials), 0
	sample, seconds := map[string]float64{}, 0.0
	for _, t := range v.Trials {
		if t.State != results.Done {
			if p := v.progress[t.ID].last; t.State == results.Running && p.Total > 0 {
				todo -= float64(p.Done) / float64(p.Total)
			}
			continue
		}
		if seen++; seen%stride != 0 {
			continue
		}
		took, known := w.seconds[t.ID]
		if !known {
			p, err := w.folder.Trial(t.ID).Reader().Provenance()
			if err != nil {
				return "; how long is left is not known: " + err.Error()
			}
			took = p.Seconds["total"]
		}
		sample[t.ID] = took
		seconds += took
	}
	w.seconds = sample
	if len(sample) == 0 {
		return ""
	}
	left := todo * seconds / float64(len(sample)) / float64(v.Count[results.Running])
	return fmt.Sprintf("; about %v left", time.Duration(left*float64(time.Second)).Round(time.Second))
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
