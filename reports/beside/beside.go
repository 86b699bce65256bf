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

// Section compares measured numbers with the published numbers of some boards.
func Section(found []Counterpart, boards []*Board) section.Section {
	s := section.Section{ID: "beside", Title: "Comparison with published numbers", Nav: "Comparison with published numbers", Source: section.Source{From: section.FromElsewhere}}
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

// Quantity is a measured number that others publish too.
type Quantity struct {
	scores.Number
	Source string // source of the data: a benchmark's own name
	As     string // the measure's name in publications
	Names  []published.Name

	Imported bool // a folder of the user's with the name of a published data set
}

// IsOf reports whether a published number is of that quantity, and returns its published
// name.
func (q Quantity) IsOf(cell *published.Cell) (published.Name, bool) {
	for _, name := range q.Names {
		if name.Covers(cell) && cell.Measure == q.As && cell.Side == q.Side {
			return name, true
		}
	}
	return published.Name{}, false
}

// Quantities lists the quantities of a view that may have published counterparts.
// Generated data has none, whatever its name.
func Quantities(v *scores.Set) []Quantity {
	var out []Quantity
	for _, display := range v.BenchmarkNames() {
		b := v.Benchmarks[display]
		if b.Synthetic {
			continue
		}
		for _, s := range v.Slots {
			names, imported := published.Names(b.Name, s.Task), false
			if len(names) == 0 {
				names, imported = published.BEIRNames(b.Name, s.Task)
			}
			if s.Benchmark == display && len(names) > 0 {
				out = append(out, Quantity{s.Column(), b.Name, s.Measure, names, imported})
			}
		}
		for _, c := range v.Columns(display).Combinations() {
			out = append(out, Quantity{c.Number, b.Name, c.As.Measure, []published.Name{c.As.Name}, false})
		}
	}
	return out
}

// Identities returns the names of a system's network: the configured one and the
// repository that it stands for.
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

// about lists the published cells of a system, in the order of their sources.
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

// besideTable compares each measured number with its published counterparts. It returns
// nil if there are none. The sentence counts the verdicts.
func besideTable(found []Counterpart) (*table.Table, string) {
	if len(found) == 0 {
		return nil, "No measured number has a published counterpart: the published numbers cover no task and model of these runs."
	}
	t := &table.Table{
		ID: "beside-published", Title: "Comparison with published numbers",
		Caption: "Values ×100. Delta is the measured value minus the published one. The tolerance is half a unit of the last published digit. " +
			"The published number of a trained system comes from one run. It is compared with the 95% prediction interval for one more training run on the same queries (mean ± t(k−1)·s·√(1+1/k) of k runs, plus the tolerance). Untrained systems must match up to rounding. " +
			"Numbers with different settings or conventions are not compared.",
		Columns: []table.Column{{Name: "system"}, {Name: "test"}, {Name: "scoring"}, {Name: "measured", Number: true}, {Name: "runs", Number: true},
			{Name: "published", Number: true}, {Name: "by"}, {Name: "delta", Number: true}, {Name: "tolerance", Number: true}, {Name: "verdict"}, {Name: "a further run", Number: true, Best: table.NoBest}, {Name: "ties"}},
	}
	for _, c := range found {
		t.Rows = append(t.Rows, c.row(c.Verdict()))
	}
	t.Notes = t.Remarks()
	if slices.ContainsFunc(found, func(c Counterpart) bool { return c.System.Loss != "" && c.Other.IsPaper() }) {
		t.Notes = append(t.Notes, "The paper and its code do not state the following, so this comparison cannot check it: "+strings.Join(published.LeftOpen(), "; ")+".")
	}
	for _, c := range found {
		note := fmt.Sprintf("%s is an imported folder with the name of MTEB's %s. A different number may come from different texts or judgments.", c.Quantity.Source, c.Other.Task)
		if c.Quantity.Imported && !slices.Contains(t.Notes, note) {
			t.Notes = append(t.Notes, note)
		}
	}
	return t, counted(found)
}

// row formats a counterpart with the digits of the published number. The delta has one
// more digit, so that it shows a difference just above the tolerance.
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

// By names the source of the published number.
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

// DigitsOf returns the number of digits after the point for a value ×100 of that
// tolerance, or six if the source gives all digits.
func DigitsOf(tolerance float64) int {
	if tolerance <= 0 {
		return 6
	}
	return max(0, int(math.Round(-math.Log10(200*tolerance))))
}
