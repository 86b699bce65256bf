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

// The verdicts on a measured number beside a published one.
const (
	verdictEqual    = "equal"
	verdictWithin   = "within the range of a further run"
	verdictDiffers  = "differs"
	verdictUnjudged = "not judged"
	verdictSettings = "not comparable for settings"
	verdictData     = "not comparable" // for what was trained on alone
	verdictApart    = "not compared"
	verdictPartial  = verdictApart + ": the measured mean is partial"
	besideTolerance = 1e-9 // of sums in another order, far below any digit printed
)

// Counterpart is a measured number beside a published one.
type Counterpart struct {
	System   *scores.System
	Quantity Quantity
	Measured scores.Cell
	Other    *published.Cell
	Range    stats.Interval // of one further training run; undefined where the same run is meant
	runs     int            // that the range is predicted from
	ties     tied
	others   published.Differences // between the trainings
	differ   []string              // conventions, in words
}

// Counterparts pairs what was measured with what was published, by system, then
// quantity, then the order of the source. Where a system has the settings of a
// published number, those that have others are no pair with it; and of two benchmarks
// that measure the same the one of the same conventions is.
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

// newCounterpart sets a measured number beside a published one. Where no tie decides, or
// what they can decide is known, their order is no difference.
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

// rangeOf is where a further training run would be; two runs have one degree of freedom,
// and tell nothing of it.
func rangeOf(runs []float64) stats.Interval { return stats.Prediction(runs, contrast.Level) }

// closest keeps of each published number the pairs with systems of its settings, where
// there are any, and of each system that with the conventions closest to it.
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

// distance orders the benchmarks that measure a number by how far they are from it.
func (c Counterpart) distance() int {
	n := 2 * len(c.differ)
	if !c.Other.Conventions.MeasuredLike(c.Quantity.Source) {
		n++
	}
	return n
}

// tied is what the order of documents of equal score decides of a number.
type tied struct {
	known       bool
	pairs, tied int
	low, high   float64
}

// tiesOf is what ties decide of a system's p-MRR, a mean over its tasks and runs;
// known where the rankings of all of them were looked at.
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

// text says what ties decide; "" where nothing is known of them.
func (t tied) text(digits int) string {
	switch {
	case !t.known:
		return ""
	case t.tied == 0:
		return "no tie decides"
	}
	return fmt.Sprintf("decide %d of %d pairs: between %s and %s by their order", t.tied, t.pairs, words.Fixed(100*t.low, digits), words.Fixed(100*t.high, digits))
}

// TiesText says what the order of documents of equal score decides; "" where nothing is
// known of it, or nothing depends on it.
func (c Counterpart) TiesText() string { return c.ties.text(DigitsOf(c.Other.Tolerance) + 1) }

// Verdict says whether the numbers are equal as far as the published one has digits. The
// published number of a retraining is one run: it is held to where a further run of the
// measured one would be, and not judged with fewer than 3 of these. Nor is what depends
// on how ties are ordered. Different settings and conventions are named, and nothing is
// compared.
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
		return fmt.Sprintf("%s: %s, and a further one is predicted from %d", verdictUnjudged, words.Plural(c.runs, "training run", "training runs"), contrast.LeastRuns)
	case retrained && c.holds(c.Range.Low, c.Range.High):
		return verdictWithin
	case !retrained && c.holds(c.Measured.Value, c.Measured.Value):
		return verdictEqual
	case c.tiesDecide():
		return verdictUnjudged + ": the order of ties decides"
	}
	return verdictDiffers
}

// kind is the verdict without its reasons.
func (c Counterpart) kind() string {
	kind, _, _ := strings.Cut(c.Verdict(), ":")
	return kind
}

// holds reports whether the published number is between two, as far as it has digits.
func (c Counterpart) holds(low, high float64) bool {
	slack := c.Other.Tolerance + besideTolerance
	return low-slack <= c.Other.Value && c.Other.Value <= high+slack
}

// tiesDecide reports whether some order of ties would bring the measured number to the
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

// Delta is the measured number less the published one, where the two compare.
func (c Counterpart) Delta() (value float64, ok bool) {
	return c.Measured.Value - c.Other.Value, !c.others.Any() && c.kind() != verdictApart
}

// counted says how many pairs have which verdict.
func counted(found []Counterpart) string {
	counts := map[string]int{}
	for _, c := range found {
		counts[c.kind()]++
	}
	settings := counts[verdictSettings] + counts[verdictData]
	apart := settings + counts[verdictApart]
	text := fmt.Sprintf("%s: %d equal as far as the published digits go, %d within the range of a further training run, %d not judged (fewer than %d training runs, or ties decide), %d differ, %d not compared. %s compared, %d not comparable for settings",
		words.Plural(len(found), "pair of a measured and a published number", "pairs of a measured and a published number"),
		counts[verdictEqual], counts[verdictWithin], counts[verdictUnjudged], contrast.LeastRuns, counts[verdictDiffers], apart,
		words.Plural(len(found)-apart, "pair", "pairs"), settings)
	if n := counts[verdictData]; n > 0 {
		text += fmt.Sprintf(", %d of them for the training data alone", n)
	}
	return text + "."
}

// recordsOf is how many records each run of a system was trained on; 0 where it does not
// record it.
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
