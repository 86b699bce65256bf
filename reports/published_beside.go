package reports

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"infbench/reports/published"
)

// The verdicts on a measured number beside a published one.
const (
	verdictEqual    = "equal"
	verdictDiffers  = "differs"
	verdictApart    = "not compared"
	verdictPartial  = verdictApart + ": the measured mean is partial"
	besideTolerance = 1e-9 // of sums in another order, far below any digit printed
)

// quantity is something measured that others publish too: the unweighted mean of
// its columns, of which most have one.
type quantity struct {
	benchmark     string // as the source of the data names it
	test          string
	task          string // or what it is a mean of
	side, measure string
	columns       []column
	names         []published.Name
}

// quantities lists what of a view may have published counterparts. Generated
// data has none, whatever its name.
func (v *view) quantities() []quantity {
	var out []quantity
	for _, display := range v.benchmarkNames() {
		b := v.benchmarks[display]
		if b.Synthetic {
			continue
		}
		known := map[slot]bool{}
		for _, s := range v.slots {
			known[s] = true
			names := published.Names(b.Name, s.Task)
			if s.Benchmark != display || len(names) == 0 {
				continue
			}
			out = append(out, quantity{b.Name, s.test(), s.Task, s.Side, s.Measure, []column{{display, s.Side, s.Measure, []string{s.Task}}}, names})
		}
		for _, c := range published.Combinations(b.Name) {
			mean := "mean of " + plural(len(c.Parts), "task", "tasks")
			q := quantity{benchmark: b.Name, test: display + ", " + mean, task: mean, side: c.Side, measure: c.Measure, names: []published.Name{c.Name}}
			for _, p := range c.Parts {
				if known[slot{display, p.Task, p.Side, p.Measure}] {
					q.columns = append(q.columns, column{display, p.Side, p.Measure, []string{p.Task}})
				}
			}
			if len(q.columns) == len(c.Parts) {
				out = append(out, q)
			}
		}
	}
	return out
}

// measured is the number of a system for a quantity; it is whole only where all
// of its parts are.
func (v *view) measured(s *system, q quantity) Cell {
	var mean Cell
	for i, c := range q.columns {
		part := v.cell(s, c)
		if !part.State.Valued() {
			return part
		}
		if i == 0 {
			mean = Cell{State: Whole, Trials: part.Trials}
		}
		if part.State == Partial || part.Trials != mean.Trials {
			mean.State = Partial
		}
		mean.Value += part.Value / float64(len(q.columns))
	}
	return mean
}

// identities are the names by which a system's network is known: what the
// configuration says, and the repository that it stands for.
func (s *system) identities(o Options) []string {
	name := s.model
	if backbone := s.config()[backboneKey]; s.kind == Trained || s.model == defaultReference {
		name = cmp.Or(backbone, name)
	}
	names := []string{name}
	if repository := o.Repositories[name]; repository != "" {
		names = append(names, repository)
	}
	return names
}

// about lists the published cells that are of a system, in the order of their
// sources.
func (s *system) about(o Options) []*published.Cell {
	if s.kind == Null {
		return nil
	}
	training := published.Training{Loss: s.loss, Config: s.config()}
	same := map[string]bool{}
	for _, c := range o.Published {
		for _, model := range c.Models() {
			same[model] = slices.ContainsFunc(s.identities(o), func(name string) bool { return published.SameModel(name, model) })
		}
	}
	var out []*published.Cell
	for _, c := range o.Published {
		for i := range c.Cells {
			if cell := &c.Cells[i]; same[cell.Model] && cell.TrainedAs(training) {
				out = append(out, cell)
			}
		}
	}
	return out
}

// comparison is a measured number beside a published one.
type comparison struct {
	system   *system
	quantity quantity
	measured Cell
	other    *published.Cell
	differ   []string // conventions, in words
}

// comparisons pairs what was measured with what was published, by system, then
// quantity, then the order of the source.
func (v *view) comparisons(o Options) []comparison {
	var out []comparison
	quantities := v.quantities()
	for _, s := range v.systems {
		about := s.about(o)
		for _, q := range quantities {
			m := v.measured(s, q)
			if !m.State.Valued() {
				continue
			}
			for _, cell := range about {
				for _, name := range q.names {
					if name.Covers(cell) && cell.Measure == q.measure && cell.Side == q.side {
						ours := published.Ours(q.benchmark, name, q.side)
						out = append(out, comparison{s, q, m, cell, ours.Differ(cell.Conventions, q.measure)})
					}
				}
			}
		}
	}
	return out
}

// verdict says whether the numbers are equal as far as the published one has
// digits; different conventions are named, and nothing is compared.
func (c comparison) verdict() string {
	switch {
	case len(c.differ) > 0:
		return verdictApart + ": " + strings.Join(c.differ, "; ")
	case c.measured.State == Partial:
		return verdictPartial
	case math.Abs(c.measured.Value-c.other.Value) <= c.other.Tolerance+besideTolerance:
		return verdictEqual
	}
	return verdictDiffers
}

// besideTable sets each measured number beside its published counterparts; it is
// nil where there are none. The sentence counts the verdicts.
func besideTable(found []comparison) (*Table, string) {
	if len(found) == 0 {
		return nil, "No measured number has a published counterpart: no task and model of the runs is among those published."
	}
	t := &Table{
		ID: "beside-published", Title: "Beside published numbers",
		Caption: "Values ×100. Delta is measured less published. The tolerance is half a unit of the last digit published, and nothing for chance: whether a difference is more than chance cannot be tested without per-query values. " +
			"Numbers of different conventions are not compared.",
		Columns: []Column{{Name: "system"}, {Name: "test"}, {Name: "scoring"}, {Name: "measured", Number: true}, {Name: "runs", Number: true},
			{Name: "published", Number: true}, {Name: "by"}, {Name: "delta", Number: true}, {Name: "tolerance", Number: true}, {Name: "verdict"}},
	}
	counts := map[string]int{}
	for _, c := range found {
		verdict := c.verdict()
		kind, _, _ := strings.Cut(verdict, ":")
		counts[kind]++
		t.Rows = append(t.Rows, c.row(verdict))
	}
	t.Notes = t.remarks()
	return t, fmt.Sprintf("%s: %d equal as far as the published digits go, %d differ, %d not compared.",
		plural(len(found), "pair of a measured and a published number", "pairs of a measured and a published number"),
		counts[verdictEqual], counts[verdictDiffers], counts[verdictApart])
}

// row words a comparison, to the digits that the published number has; the
// delta to one more, so that it shows where it is above the tolerance.
func (c comparison) row(verdict string) Row {
	digits := digitsOf(c.other.Tolerance)
	value := func(v float64, decimals int) Entry { return number(fixed(100*v, decimals), v) }
	delta := Entry{}
	if d, ok := c.delta(); ok {
		delta = value(d, digits+1)
	}
	theirs := value(c.other.Value, digits)
	theirs.Remark = clean(strings.Join(c.other.Footnotes, "; "))
	return Row{Kind: c.system.kind, Entries: []Entry{
		{Text: c.system.label}, {Text: c.quantity.test}, {Text: slot{Side: c.quantity.side, Measure: c.quantity.measure}.scoring()},
		value(c.measured.Value, digits), number(fmt.Sprint(c.measured.Trials), float64(c.measured.Trials)),
		theirs, {Text: c.by()}, delta, value(c.other.Tolerance, digits+1), {Text: verdict},
	}}
}

// delta is the measured number less the published one, where the two compare.
func (c comparison) delta() (value float64, ok bool) {
	kind, _, _ := strings.Cut(c.verdict(), ":")
	return c.measured.Value - c.other.Value, kind != verdictApart
}

// by says whose number it is.
func (c comparison) by() string {
	words := []string{c.other.Source, c.other.Model}
	if c.other.Config != "" {
		words[1] += " " + c.other.Config
	}
	if c.other.Revision != "" {
		words[1] += " @" + shorten(c.other.Revision)
	}
	if c.other.Conventions.Version != "" {
		words = append(words, c.other.Conventions.Version)
	}
	return clean(strings.Join(words, ", "))
}

// digitsOf is the number of digits after the point that a value ×100 of that
// tolerance has; six where the source gives all.
func digitsOf(tolerance float64) int {
	if tolerance <= 0 {
		return 6
	}
	return max(0, int(math.Round(-math.Log10(200*tolerance))))
}
