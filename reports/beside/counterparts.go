package beside

import (
	"fmt"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/metrics"
	"infbench/metrics/stats"
	"infbench/reports/contrast"
	"infbench/reports/published"
	"infbench/reports/scores"
)

// The verdicts on a measured number and its published counterpart.
const (
	verdictEqual    = "equal"
	verdictWithin   = "within the range of a further run"
	verdictDiffers  = "differs"
	verdictUnjudged = "not judged"
	verdictSettings = "not comparable for settings"
	verdictData     = "not comparable" // only the training data differ
	verdictApart    = "not compared"
	verdictPartial  = verdictApart + ": the measured mean is partial"
	besideTolerance = 1e-9 // for sums in another order; far below any printed digit
)

// Counterpart is a measured number paired with a published one.
type Counterpart struct {
	System   *scores.System
	Quantity Quantity
	Measured scores.Cell
	Other    *published.Cell
	Range    stats.Interval // prediction interval for one more training run; undefined for systems that are not trained
	runs     int            // number of runs behind the range
	ties     tied
	others   published.Differences // differences between the trainings
	differ   []string              // differences of conventions, as text
}

// Counterparts pairs measured with published numbers, ordered by system, then quantity,
// then the order of the source. If a system has the settings of a published number,
// systems with other settings are not paired with it. If two benchmarks measure the same
// number, the one with the same conventions is used.
func Counterparts(v *scores.Set, collections []*published.Collection, repositories map[string]string) []Counterpart {
	var found []Counterpart
	quantities := Quantities(v)
	for _, s := range v.Systems {
		training, records := published.Training{Loss: s.Loss, Config: s.Config()}, recordsOf(s)
		about := about(s, training, collections, repositories)
		for _, q := range quantities {
			m := v.Cell(s, q.Number)
			if !m.State.Valued() {
				continue
			}
			for _, cell := range about {
				if name, ok := q.IsOf(cell); ok {
					found = append(found, newCounterpart(v, s, q, m, cell, name, cell.OtherSettings(training, records)))
				}
			}
		}
	}
	return closest(found)
}

// newCounterpart pairs a measured number with a published one. The order of ties counts as
// a difference only if its effect is not known.
func newCounterpart(v *scores.Set, s *scores.System, q Quantity, m scores.Cell, cell *published.Cell, name published.Name, others published.Differences) Counterpart {
	c := Counterpart{System: s, Quantity: q, Measured: m, Other: cell, others: others}
	ours := published.Ours(q.Source, name, q.Side)
	if q.Measure == (metrics.PMRR{}).String() && ours.Ties != cell.Conventions.Ties {
		if c.ties = tiesOf(s, q); c.ties.known {
			ours.Ties = cell.Conventions.Ties
		}
	}
	c.differ = ours.Differ(cell.Conventions, q.As)
	if s.Loss != "" {
		runs := v.Runs(s, q.Number)
		if c.runs = len(runs); c.runs >= contrast.LeastRuns {
			c.Range = rangeOf(runs)
		}
	}
	return c
}

// rangeOf returns the prediction interval for one more training run. Two runs have one
// degree of freedom, which is too few for a useful interval.
func rangeOf(runs []float64) stats.Interval { return stats.Prediction(runs, contrast.Level) }

// closest keeps, for each published number, the pairs with systems of its settings, if
// there are any, and for each system the pair with the closest conventions.
func closest(found []Counterpart) []Counterpart {
	alike := map[*published.Cell]bool{}
	type pair struct {
		*scores.System
		*published.Cell
	}
	least := map[pair]int{}
	for _, c := range found {
		alike[c.Other] = alike[c.Other] || !c.others.Any()
		key := pair{c.System, c.Other}
		if n, known := least[key]; !known || c.distance() < n {
			least[key] = c.distance()
		}
	}
	return slices.DeleteFunc(found, func(c Counterpart) bool {
		return alike[c.Other] && c.others.Any() || c.distance() > least[pair{c.System, c.Other}]
	})
}

// distance orders benchmarks that measure a number by the differences of their conventions
// from those of the published number.
func (c Counterpart) distance() int {
	n := 2 * len(c.differ)
	if !c.Other.Conventions.MeasuredLike(c.Quantity.Source) {
		n++
	}
	return n
}

// tied is the effect on a number of the order of documents with equal scores.
type tied struct {
	known       bool
	pairs, tied int
	low, high   float64
}

// tiesOf returns the effect of ties on a system's p-MRR, a mean over its tasks and runs.
// It is known if the rankings of all of them were examined.
func tiesOf(s *scores.System, q Quantity) tied {
	out := tied{known: true}
	slots := q.Slots()
	n := 0.0
	for _, t := range s.Trials {
		for _, at := range slots {
			if _, has := t.Scores[at]; !has {
				continue
			}
			found := false
			for _, x := range t.Ties {
				if x.Task == at.Task && t.Shown[x.Benchmark] == at.Benchmark {
					found = true
					n++
					out.pairs, out.tied, out.low, out.high = out.pairs+x.Pairs, out.tied+x.Tied, out.low+x.Low, out.high+x.High
				}
			}
			out.known = out.known && found
		}
	}
	if out.low, out.high = out.low/max(n, 1), out.high/max(n, 1); n == 0 {
		out.known = false
	}
	return out
}

// text describes the effect of ties; "" if it is not known.
func (t tied) text(digits int) string {
	switch {
	case !t.known:
		return ""
	case t.tied == 0:
		return "ties have no effect"
	}
	return fmt.Sprintf("affect %d of %d pairs: between %s and %s by their order", t.tied, t.pairs, words.Fixed(100*t.low, digits), words.Fixed(100*t.high, digits))
}

// TiesText describes the effect of the order of documents with equal scores; "" if it is
// not known or the number does not depend on it.
func (c Counterpart) TiesText() string { return c.ties.text(DigitsOf(c.Other.Tolerance) + 1) }

// Verdict compares the two numbers. A published number of an untrained system must be
// equal to the last published digit. A published number of a trained system is one run: it
// must lie within the prediction interval for one more run, and is not judged with fewer
// than 3 runs. A number that depends on the order of ties is not judged, either. Numbers
// with different settings or conventions are not compared; the verdict names the
// differences.
func (c Counterpart) Verdict() string {
	retrained := c.System.Loss != ""
	switch {
	case len(c.others.Settings) > 0:
		return verdictSettings + ": " + strings.Join(slices.Concat(c.others.Data, c.others.Settings), "; ")
	case len(c.others.Data) > 0:
		return verdictData + ": " + strings.Join(c.others.Data, "; ")
	case len(c.differ) > 0:
		return verdictApart + ": " + strings.Join(c.differ, "; ")
	case c.Measured.State == scores.Partial:
		return verdictPartial
	case retrained && c.runs < contrast.LeastRuns:
		return fmt.Sprintf("%s: %s, but a prediction needs %d", verdictUnjudged, words.Plural(c.runs, "training run", "training runs"), contrast.LeastRuns)
	case retrained && c.holds(c.Range.Low, c.Range.High):
		return verdictWithin
	case !retrained && c.holds(c.Measured.Value, c.Measured.Value):
		return verdictEqual
	case c.tiesDecide():
		return verdictUnjudged + ": the order of ties decides"
	}
	return verdictDiffers
}

// kind returns the verdict without its reasons.
func (c Counterpart) kind() string {
	kind, _, _ := strings.Cut(c.Verdict(), ":")
	return kind
}

// holds reports whether the published number is between low and high, within its printed
// precision.
func (c Counterpart) holds(low, high float64) bool {
	slack := c.Other.Tolerance + besideTolerance
	return low-slack <= c.Other.Value && c.Other.Value <= high+slack
}

// tiesDecide reports whether some order of ties would make the measured number match the
// published one.
func (c Counterpart) tiesDecide() bool {
	if !c.ties.known || c.ties.tied == 0 {
		return false
	}
	low, high := c.Measured.Value, c.Measured.Value
	if c.System.Loss != "" {
		low, high = c.Range.Low, c.Range.High
	}
	return c.holds(low-max(0, c.Measured.Value-c.ties.low), high+max(0, c.ties.high-c.Measured.Value))
}

// Delta returns the measured number minus the published one, if the two are comparable.
func (c Counterpart) Delta() (value float64, ok bool) {
	return c.Measured.Value - c.Other.Value, !c.others.Any() && c.kind() != verdictApart
}

// counted formats the numbers of pairs by verdict.
func counted(found []Counterpart) string {
	counts := map[string]int{}
	for _, c := range found {
		counts[c.kind()]++
	}
	settings := counts[verdictSettings] + counts[verdictData]
	apart := settings + counts[verdictApart]
	text := fmt.Sprintf("%s: %d equal to the last published digit, %d within the range of a further training run, %d not judged (fewer than %d training runs, or ties decide), %d differ, %d not compared. %s compared, %d not comparable for settings",
		words.Plural(len(found), "pair of a measured and a published number", "pairs of a measured and a published number"),
		counts[verdictEqual], counts[verdictWithin], counts[verdictUnjudged], contrast.LeastRuns, counts[verdictDiffers], apart,
		words.Plural(len(found)-apart, "pair", "pairs"), settings)
	if n := counts[verdictData]; n > 0 {
		text += fmt.Sprintf(", %d of them only because of the training data", n)
	}
	return text + "."
}

// recordsOf returns the number of training records of each run of a system; 0 if not
// recorded.
func recordsOf(s *scores.System) []int {
	var out []int
	for _, run := range s.Trials {
		n := 0
		if run.Provenance.Trained != nil {
			n = run.Provenance.Trained.Records
		}
		out = append(out, n)
	}
	return out
}
