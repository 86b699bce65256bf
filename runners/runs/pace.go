package runs

import (
	"fmt"
	"hash/fnv"
	"strings"
	"time"

	"infbench/internal/words"
	"infbench/runners/engine"
	"infbench/runners/results"
	"infbench/runners/spec"
)

// Pace estimates how long trials take, from finished ones of the same kind: the same settings apart
// from the seed or, if none has finished, the same backbone. Training and the rest, which is mostly
// encoding, are estimated apart: an untrained backbone encodes as a trained one does. All places that
// show the time left use it, so that they agree. The zero value knows no finished trial.
type Pace struct {
	seen            map[string]bool   // IDs of trials that were read, or that cannot be
	training, other map[kind]mean     // seconds
	kinds           map[string][]kind // of trials by ID
}

// kind is a hash of settings that trials share.
type kind uint64

// mean is a running mean.
type mean struct {
	sum float64
	n   int
}

// readOfKind is the number of finished trials of a kind that are read.
const readOfKind = 20

// Read learns from a finished trial, unless it was read before or enough trials of its settings were.
// An unreadable trial is ignored: others report it.
func (p *Pace) Read(folder Folder, t *spec.Trial) {
	if p.seen == nil {
		p.seen, p.training, p.other = map[string]bool{}, map[kind]mean{}, map[kind]mean{}
	}
	if p.seen[t.ID] || p.other[p.kindsOf(t)[0]].n >= readOfKind {
		return
	}
	p.seen[t.ID] = true
	if was, err := folder.Trial(t.ID).Reader().Provenance(); err == nil {
		p.add(t, &was)
	}
}

// add learns from the provenance of a finished trial.
func (p *Pace) add(t *spec.Trial, was *results.Provenance) {
	total, train := was.Seconds["total"], was.Seconds["train"]
	if total <= 0 {
		return
	}
	trained := was.TrainedBy == nil // else the time of training is that of another trial
	for _, kind := range p.kindsOf(t) {
		if trained && t.Cell.Model == spec.Trained {
			p.training[kind] = p.training[kind].plus(train)
			p.other[kind] = p.other[kind].plus(total - train)
			continue
		}
		p.other[kind] = p.other[kind].plus(total)
	}
}

func (m mean) plus(seconds float64) mean { return mean{m.sum + max(0, seconds), m.n + 1} }

// kindsOf lists the kinds of a trial, the closest first.
func (p *Pace) kindsOf(t *spec.Trial) []kind {
	if known := p.kinds[t.ID]; known != nil {
		return known
	}
	settings := t.Cell.Settings()
	delete(settings, results.Seed)
	var parts []string
	for _, key := range words.SortedKeys(settings) {
		parts = append(parts, key+"="+settings[key])
	}
	all := []kind{kindOf(strings.Join(parts, "\n"))}
	if t.Cell.Model == spec.Trained || t.Cell.Model == spec.Untrained {
		all = append(all, kindOf("backbone "+t.Cell.Backbone))
	}
	if p.kinds == nil {
		p.kinds = map[string][]kind{}
	}
	p.kinds[t.ID] = all
	return all
}

func kindOf(text string) kind {
	sum := fnv.New64a()
	sum.Write([]byte(text))
	return kind(sum.Sum64())
}

// of returns the mean of the closest kind with a finished trial.
func of(known map[kind]mean, kinds []kind) (seconds float64, ok bool) {
	for _, kind := range kinds {
		if m := known[kind]; m.n > 0 {
			return m.sum / float64(m.n), true
		}
	}
	return 0, false
}

// Unfinished is a trial that is not done.
type Unfinished struct {
	Trial    *spec.Trial
	Progress engine.Progress // its last report; the zero value if it has not begun
	Trained  bool            // whether its weights exist, so that it only evaluates them
}

// Left estimates the time until the trials are done, several at a time: at least as long as the
// longest takes. unknown counts the trials without a finished trial of the same kind; the
// time does not include them, apart from the rest of a phase that has its own pace.
func (p *Pace) Left(all []Unfinished, atOnce int) (left time.Duration, unknown int) {
	sum, longest := 0.0, 0.0
	for _, u := range all {
		seconds, ok := p.remaining(u)
		if !ok {
			unknown++
		}
		sum, longest = sum+seconds, max(longest, seconds)
	}
	seconds := max(longest, sum/float64(max(atOnce, 1)))
	return time.Duration(seconds * float64(time.Second)).Round(time.Second), unknown
}

// remaining estimates the seconds that a trial still takes; ok is false if a part is unknown.
func (p *Pace) remaining(u Unfinished) (seconds float64, ok bool) {
	kinds := p.kindsOf(u.Trial)
	done := 0.0
	if u.Progress.Total > 0 {
		done = min(1, float64(u.Progress.Done)/float64(u.Progress.Total))
	}
	own, _ := u.Progress.Left()
	other, ok := of(p.other, kinds)
	if u.Progress.Phase == PhaseSave {
		return 0, true
	}
	if u.Progress.Phase == PhaseEvaluate {
		if !ok {
			return own.Seconds(), own > 0
		}
		return other * (1 - done), true
	}
	if u.Trial.Cell.Model != spec.Trained || u.Trained {
		return other, ok
	}
	training, known := of(p.training, kinds)
	switch u.Progress.Phase {
	case "", PhaseStart, StoppedPhase: // nothing is trained
	case PhaseTrain:
		if !known {
			return own.Seconds() + other, ok && own > 0
		}
		training *= 1 - done
	default: // PhaseOpen, or a sentence on the shards that are ranked after it
		return other, ok
	}
	return training + other, ok && known
}

// LeftWords formats the result of Left; "" if all is unknown or nothing is left.
func LeftWords(left time.Duration, unknown int) string {
	switch {
	case left == 0:
		return ""
	case unknown > 0:
		return fmt.Sprintf("over %v left (%s of a kind that has not finished)", left, words.Plural(unknown, "trial", "trials"))
	}
	return fmt.Sprintf("about %v left", left)
}
