package beside

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/reports/contrast"
	"infbench/reports/published"
	"infbench/reports/scores"
	"infbench/reports/section"
	"infbench/reports/table"
	"infbench/runners/results"
)

// Section sets measured numbers beside those that others published on some boards.
func Section(found []Counterpart, boards []*Board) section.Section {
	s := section.Section{ID: "beside", Title: "Beside published numbers", Nav: "Beside published numbers", Source: section.Source{From: section.FromElsewhere}}
	var names []string
	for _, b := range boards {
		names = words.AddNew(names, b.Source.Name)
		s.Source.Absent = s.Source.Absent || b.Source.Absent
	}
	s.Source.Name = words.Listed(names)
	t, counted := besideTable(found)
	if s.Intro, s.Tables = counted, section.Listed(t); t == nil {
		s.Intro, s.Notes = "", []string{counted}
	}
	return s
}

// Quantity is something measured that others publish too.
type Quantity struct {
	scores.Number
	Source string // of the data: a benchmark by its own name
	As     string // what others call the measure
	Names  []published.Name
}

// IsOf reports whether a published number is of that quantity, and the name that it
// is known by.
func (q Quantity) IsOf(cell *published.Cell) (published.Name, bool) {
	for _, name := range q.Names {
		if name.Covers(cell) && cell.Measure == q.As && cell.Side == q.Side {
			return name, true
		}
	}
	return published.Name{}, false
}

// Quantities lists what of a view may have published counterparts. Generated
// data has none, whatever its name.
func Quantities(v *scores.Set) []Quantity {
	var out []Quantity
	for _, display := range v.BenchmarkNames() {
		b := v.Benchmarks[display]
		if b.Synthetic {
			continue
		}
		for _, s := range v.Slots {
			if names := published.Names(b.Name, s.Task); s.Benchmark == display && len(names) > 0 {
				out = append(out, Quantity{s.Column(), b.Name, s.Measure, names})
			}
		}
		for _, c := range v.Columns(display).Combinations() {
			out = append(out, Quantity{c.Number, b.Name, c.As.Measure, []published.Name{c.As.Name}})
		}
	}
	return out
}

// Identities are the names by which a system's network is known: what the
// configuration says, and the repository that it stands for.
func Identities(s *scores.System, repositories map[string]string) []string {
	name := s.Model
	if backbone := s.Config()[results.Backbone]; s.Kind == table.Trained || s.Model == contrast.DefaultReference {
		name = cmp.Or(backbone, name)
	}
	names := []string{name}
	if repository := repositories[name]; repository != "" {
		names = append(names, repository)
	}
	return names
}

// about lists the published cells that are of a system, in the order of their
// sources.
func about(s *scores.System, training published.Training, collections []*published.Collection, repositories map[string]string) []*published.Cell {
	if s.Kind == table.Null {
		return nil
	}
	same := map[string]bool{}
	for _, c := range collections {
		for _, model := range c.Models() {
			same[model] = slices.ContainsFunc(Identities(s, repositories), func(name string) bool { return published.SameModel(name, model) })
		}
	}
	var out []*published.Cell
	for _, c := range collections {
		for i := range c.Cells {
			if cell := &c.Cells[i]; same[cell.Model] && cell.TrainedAs(training) {
				out = append(out, cell)
			}
		}
	}
	return out
}

// besideTable sets each measured number beside its published counterparts; it is
// nil where there are none. The sentence counts the verdicts.
func besideTable(found []Counterpart) (*table.Table, string) {
	if len(found) == 0 {
		return nil, "No measured number has a published counterpart: no task and model of the runs is among those published."
	}
	t := &table.Table{
		ID: "beside-published", Title: "Beside published numbers",
		Caption: "Values ×100. Delta is measured less published. The tolerance is half a unit of the last digit published. " +
			"The published number of something trained is one run: it is held to the 95% interval of one further training run on the same queries (mean ± t(k−1)·s·√(1+1/k) of k runs, and the tolerance). Rounding alone decides only where the same run is meant. " +
			"Numbers of different settings or conventions are not compared.",
		Columns: []table.Column{{Name: "system"}, {Name: "test"}, {Name: "scoring"}, {Name: "measured", Number: true}, {Name: "runs", Number: true},
			{Name: "published", Number: true}, {Name: "by"}, {Name: "delta", Number: true}, {Name: "tolerance", Number: true}, {Name: "verdict"}, {Name: "a further run", Number: true, Best: table.NoBest}, {Name: "ties"}},
	}
	for _, c := range found {
		t.Rows = append(t.Rows, c.row(c.Verdict()))
	}
	t.Notes = t.Remarks()
	if slices.ContainsFunc(found, func(c Counterpart) bool { return c.System.Loss != "" && c.Other.IsPaper() }) {
		t.Notes = append(t.Notes, "The paper and its code leave open, so that nothing here tells: "+strings.Join(published.LeftOpen(), "; ")+".")
	}
	return t, counted(found)
}

// row words a counterpart, to the digits that the published number has; the
// delta to one more, so that it shows where it is above the tolerance.
func (c Counterpart) row(verdict string) table.Row {
	digits := DigitsOf(c.Other.Tolerance)
	value := func(v float64, decimals int) table.Entry { return table.Number(words.Fixed(100*v, decimals), v) }
	delta := table.Entry{}
	if d, ok := c.Delta(); ok {
		delta = value(d, digits+1)
	}
	further := table.Entry{}
	if low, high, ok := c.Range.Get(); ok {
		further = table.Number(fmt.Sprintf("[%s, %s]", words.Fixed(100*low, digits+1), words.Fixed(100*high, digits+1)), low)
	}
	theirs := value(c.Other.Value, digits)
	theirs.Text = asPrinted(c.Other, theirs.Text)
	theirs.Remark = words.Clean(strings.Join(c.Other.Footnotes, "; "))
	return table.Row{Kind: c.System.Kind, Entries: []table.Entry{
		{Text: c.System.Label}, {Text: c.Quantity.Test()}, {Text: c.Quantity.Scoring()},
		value(c.Measured.Value, digits), table.Number(fmt.Sprint(c.Measured.Trials), float64(c.Measured.Trials)),
		theirs, {Text: c.By()}, delta, value(c.Other.Tolerance, digits+1), {Text: verdict}, further, {Text: c.TiesText()},
	}}
}

// By says whose number it is.
func (c Counterpart) By() string {
	parts := []string{c.Other.Source, c.Other.Model}
	if c.Other.Config != "" {
		parts[1] += " " + c.Other.Config
	}
	if c.Other.Revision != "" {
		parts[1] += " @" + words.Shorten(c.Other.Revision)
	}
	if c.Other.Conventions.Version != "" {
		parts = append(parts, c.Other.Conventions.Version)
	}
	return words.Clean(strings.Join(parts, ", "))
}

// DigitsOf is the number of digits after the point that a value ×100 of that
// tolerance has; six where the source gives all.
func DigitsOf(tolerance float64) int {
	if tolerance <= 0 {
		return 6
	}
	return max(0, int(math.Round(-math.Log10(200*tolerance))))
}
