package paperview

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/metrics"
	"infbench/reports/chart"
	"infbench/reports/scores"
	"infbench/reports/section"
	"infbench/reports/table"
	"infbench/runners/results"
)

// unfiltered is the suffix of a training set with all records. The set without the suffix
// has the records that a judge approved.
const unfiltered = "-unfiltered"

// nobody is the name of the judge that keeps all records of a curated corpus.
const nobody = "none"

// filtering is one training method, applied to the approved records and to all records.
type filtering struct {
	label         string
	at            string // the equal quantity: epochs or steps
	approved, all *scores.System
}

// name identifies a filtering.
func (f filtering) name() string { return f.label + ", equal " + f.at }

// quality is the paper's Figure 6: a row for each training method at equal epochs, as in
// the paper, and at equal steps, because all records make more steps in an epoch. Each
// number has three columns: on all records, on those that the judge approved, and the
// gain. The chart shows p-MRR of both side by side.
func (b *builder) quality() ([]section.Section, error) {
	found := filterings(b.set.Trained())
	if len(found) == 0 {
		return nil, nil
	}
	title := "quality: " + b.about + ", as the paper's " + b.shows
	s := section.Section{ID: "view-1", Title: title}
	t := &table.Table{ID: "view-1-table-1", Title: title, Caption: "Values ×100, means over queries, then tasks, then training runs; the gain is approved minus all. Nothing is tested here.",
		Columns: []table.Column{{Name: "trained"}, {Name: "at equal"}}}
	numbers := b.numbersOf(found)
	for _, n := range numbers {
		head := n.Heading()
		for _, what := range []string{"all records", "approved", "gain"} {
			t.Columns = append(t.Columns, table.Column{Group: head.Group + " " + head.Name, Name: what, Number: true, Best: table.NoBest})
		}
	}
	for _, f := range found {
		row := table.Row{Entries: []table.Entry{{Text: f.label}, {Text: f.at}}}
		for _, n := range numbers {
			row.Entries = append(row.Entries, b.pairOf(f, n)...)
		}
		t.Rows = append(t.Rows, row)
	}
	t.Notes = append(t.Remarks(), oneSided(found)...)
	s.Tables = []*table.Table{t}
	for _, n := range numbers {
		if !metrics.IsShift(n.Measure) {
			continue
		}
		drawn, err := b.qualityChart(fmt.Sprintf("view-quality-%d", len(s.Figures)+1), found, n)
		if err != nil {
			return nil, err
		}
		s.Figures = append(s.Figures, drawn)
	}
	return []section.Section{s}, nil
}

// oneSided names a missing comparison: at equal epochs or at equal steps.
func oneSided(found []filtering) []string {
	for _, at := range []string{equalEpochs, equalSteps} {
		if !slices.ContainsFunc(found, func(f filtering) bool { return f.at == at }) {
			return []string{fmt.Sprintf("Nothing was compared at equal %s (train.steps_of): all records make more steps in an epoch, and the claim needs both.", at)}
		}
	}
	return nil
}

// The quantity that is equal for two training methods.
const (
	equalEpochs = "epochs"
	equalSteps  = "steps"
)

// filterings pairs systems that differ in the filtering of their data, and possibly in the
// setting that makes training on all records equally long.
func filterings(trained []*scores.System) []filtering {
	var out []filtering
	for _, s := range trained {
		for _, other := range trained {
			if at := alikeBut(s.Config(), other.Config()); at != "" {
				out = append(out, filtering{at: at, approved: s, all: other})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b filtering) int { return strings.Compare(a.at, b.at) })
	for i, f := range out {
		label := f.approved.Loss
		for _, key := range words.SortedKeys(f.approved.Config()) {
			if !slices.Contains([]string{results.Loss, results.Seed, results.Data, results.Weights, results.StepsOf}, key) && slices.ContainsFunc(out, func(g filtering) bool {
				return g.approved.Config()[key] != f.approved.Config()[key]
			}) {
				label += ", " + key + "=" + f.approved.Config()[key]
			}
		}
		out[i].label = words.Clean(label)
	}
	return out
}

// alikeBut returns the quantity that is equal for training on approved records and on all
// of them; "" if they are not such a pair.
func alikeBut(approved, all map[string]string) string {
	of, judge := approved[results.Data], approved[results.Judge]
	byName := all[results.Data] == of+unfiltered && all[results.Judge] == judge
	byJudge := all[results.Data] == of && all[results.Judge] == nobody && judge != nobody
	if !byName && !byJudge || !maps.Equal(withoutData(approved), withoutData(all)) {
		return ""
	}
	switch measured := all[results.StepsOf]; {
	case measured != approved[results.StepsOf] && (measured != of || approved[results.StepsOf] != ""):
		return ""
	case measured != "" || all[results.Steps] != "":
		return equalSteps
	}
	return equalEpochs
}

// withoutData returns a configuration without its data, its length and its seed.
func withoutData(c map[string]string) map[string]string {
	out := maps.Clone(c)
	for _, key := range []string{results.Data, results.Judge, results.StepsOf, results.Seed} {
		delete(out, key)
	}
	return out
}

// numbersOf returns the numbers that the paired systems have.
func (b *builder) numbersOf(found []filtering) []scores.Number {
	var out []scores.Number
	for _, name := range b.set.BenchmarkNames() {
		for _, n := range b.set.Columns(name).Main() {
			if slices.ContainsFunc(found, func(f filtering) bool {
				return b.set.Cell(f.approved, n).State != scores.Unplanned || b.set.Cell(f.all, n).State != scores.Unplanned
			}) {
				out = append(out, n)
			}
		}
	}
	return out
}

// pairOf formats a number on all records, on the approved ones, and the gain.
func (b *builder) pairOf(f filtering, n scores.Number) []table.Entry {
	all, approved := b.set.Cell(f.all, n), b.set.Cell(f.approved, n)
	gain := lacking()
	if all.State.Valued() && approved.State.Valued() {
		d := approved.Value - all.Value
		gain = table.Number(words.Signed(d), d)
	}
	return []table.Entry{all.Entry(), approved.Entry(), gain}
}

// qualityChart draws both values of each training method on one line.
func (b *builder) qualityChart(id string, found []filtering, n scores.Number) (*chart.Figure, error) {
	title := fmt.Sprintf("Trained on approved and on all records: %s on %s", n.Scoring(), n.Test())
	f := &chart.Figure{ID: id, Title: title, Caption: "Circles: trained on the records that the judge approved; diamonds: on all.",
		X: chart.Axis{Title: n.Scoring() + " ×100", Zero: true}, Table: &table.Table{ID: id + "-table", Title: title,
			Columns: []table.Column{{Name: "trained"}, {Name: "approved", Number: true, Best: table.NoBest}, {Name: "all records", Number: true, Best: table.NoBest}}}}
	marks := []chart.Mark{{Shape: chart.Circle, Name: "approved"}, {Shape: chart.Diamond, Name: "all records", Colour: chart.Series[1]}}
	for i, pair := range found {
		f.Y.Names = append(f.Y.Names, pair.name())
		row := []table.Entry{{Text: pair.name()}}
		for k, s := range []*scores.System{pair.approved, pair.all} {
			c := b.set.Cell(s, n)
			row = append(row, c.Entry())
			if c.State.Valued() {
				marks[k].Data = append(marks[k].Data, chart.Datum{X: words.Scaled(c.Value), Y: float64(i), Tip: strings.TrimSpace(pair.name() + "\n" + marks[k].Name + " " + c.Entry().Text)})
			}
		}
		f.Table.Rows = append(f.Table.Rows, table.Row{Entries: row})
	}
	f.Marks, f.Height = marks, 70+26*len(found)
	f.Alt = fmt.Sprintf("%s of %d training methods, on approved and on all records; the table below holds the numbers.", cmp.Or(n.Scoring(), "values"), len(found))
	return f.Drawn()
}
