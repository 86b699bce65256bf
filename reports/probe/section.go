package probe

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"infbench/bench/probe"
	"infbench/bench/results"
	"infbench/metrics/stats"
	"infbench/reports/chart"
	"infbench/reports/scores"
	"infbench/reports/section"
	"infbench/reports/table"
	"infbench/reports/words"
)

// Section shows what replacing instructions changed, of the systems that were probed;
// it is empty where none was.
func Section(id string, v *scores.Set) (section.Section, error) {
	s := section.Section{ID: id, Title: "Are instructions used", Nav: "Instructions", Source: section.Source{From: section.FromRuns}}
	subjects := subjectsOf(v)
	if len(subjects) == 0 {
		return s, nil
	}
	t := newTable(id + "-table")
	f := &chart.Figure{ID: id + "-figure", Title: "What replacing instructions changes", X: chart.Axis{Title: "change of the measure ×100", Zero: true},
		Caption: "Change of the measure ×100 against each query's own instruction, with intervals that hold together for a system; hollow where no change is shown.",
		Alt:     "Intervals of the change of the measure for each kind of instruction; the table beside has the numbers."}
	var data []chart.Datum
	for _, of := range subjects {
		all, byType := of.effects([]string{everyType}), of.effects(probe.Types())
		of.rows(t, all)
		of.rows(t, byType)
		s.Terms = append(s.Terms, of.term(all, byType))
		data = append(data, of.data(all, len(subjects) > 1)...)
		t.Notes = append(t.Notes, of.notes(all)...)
	}
	s.Tables = []*table.Table{t}
	if len(data) == 0 {
		return s, nil
	}
	f.Y, f.Marks = chart.Rows(data), []chart.Mark{{Shape: chart.Interval, Data: data}}
	f.Table = figureTable(f.ID, data)
	drawn, err := f.Drawn()
	s.Figures = []*chart.Figure{drawn}
	return s, err
}

// subjectsOf lists what was probed, by system, then benchmark.
func subjectsOf(v *scores.Set) []*subject {
	var out []*subject
	for _, name := range v.BenchmarkNames() {
		for _, s := range v.Systems {
			var runs [][]results.Probed
			for _, t := range s.Trials {
				lines := slices.DeleteFunc(slices.Clone(t.Probe), func(l results.Probed) bool { return words.Clean(l.Benchmark) != name })
				if len(lines) > 0 {
					runs = append(runs, lines)
				}
			}
			if len(runs) > 0 {
				out = append(out, newSubject(s.Label, name, runs))
			}
		}
	}
	return out
}

// newTable is the table without its rows.
func newTable(id string) *table.Table {
	t := &table.Table{ID: id, Title: "What replacing instructions changes",
		Caption: fmt.Sprintf("Each query is asked with its own instruction and with others: none; %s. "+
			"Values ×100 by the judgments of the own instruction. The change is tested by t over queries within their tasks (tasks weigh alike, of one type by their queries; the queries of a pair count once), "+
			"p by Holm over the kinds of a system, or over its kinds and types; intervals hold together likewise. An effect is as good as none where two one-sided t tests show it inside ±%s (Holm as well). "+
			"Moved is 1 − rank-biased overlap with the ranking under the own instruction (extrapolated, p = .9: Webber, Moffat and Zobel 2010). "+
			"± is the standard deviation over several instructions of the kind, within a query.", kindWords(), words.Fixed(100*band, 0))}
	for _, name := range []string{"system", "instructions", "asked with"} {
		t.Columns = append(t.Columns, table.Column{Name: name})
	}
	for _, name := range []string{"n", "own", "so", "change", "interval", "p (Holm)", "p inside (Holm)", "±", "moved", "interval"} {
		c := table.Column{Name: name, Number: true, Best: table.NoBest}
		t.Columns = append(t.Columns, c)
	}
	t.Columns[len(t.Columns)-1].Group, t.Columns[len(t.Columns)-2].Group = "ranking", "ranking"
	t.Columns = append(t.Columns, table.Column{Name: "verdict"})
	return t
}

// kindWords says what each kind is.
func kindWords() string {
	var out []string
	for _, k := range probe.Kinds() {
		if k.Name != probe.None {
			out = append(out, k.Name+": "+k.Means)
		}
	}
	return strings.Join(out, "; ")
}

// rows adds a row for each effect, one for all effects of a type with too few queries.
func (s *subject) rows(t *table.Table, all []*effect) {
	for i, e := range all {
		row := []table.Entry{{Text: s.system}, {Text: e.ofType}, {Text: e.kind.Name}, table.Number(words.Group(e.n), float64(e.n))}
		if e.ofType != everyType && !e.tested {
			if i == 0 || all[i-1].ofType != e.ofType || all[i-1].tested {
				row[2] = table.Entry{Text: "others"}
				t.Rows = append(t.Rows, table.Row{Entries: append(row, append(make([]table.Entry, 9), e.verdict())...)})
			}
			continue
		}
		t.Rows = append(t.Rows, table.Row{Entries: append(row, append(s.numbers(e), e.verdict())...)})
	}
}

// numbers are the entries of an effect.
func (s *subject) numbers(e *effect) []table.Entry {
	if !e.tested {
		return make([]table.Entry, 9)
	}
	spread := table.Entry{}
	if variance, ok := s.spreadOf(e.kind.Name, e.ofType); ok {
		spread = percent(math.Sqrt(variance))
	}
	return []table.Entry{percent(e.own), percent(e.asked), table.Number(words.Signed(e.change.Value), e.change.Value),
		table.Number(words.Interval(e.interval), e.interval.Low), table.Number(words.PValue(e.p), e.p), table.Number(words.PValue(e.within), e.within),
		spread, percent(e.moved.Value), table.Number(between(e.movedInterval), e.movedInterval.Low)}
}

// between prints the ends of an interval of what has no sign.
func between(i stats.Interval) string {
	low, high, ok := i.Get()
	if !ok {
		return words.UndefinedMark
	}
	return "[" + words.Fixed(100*low, 1) + ", " + words.Fixed(100*high, 1) + "]"
}

func percent(v float64) table.Entry { return table.Number(words.Fixed(100*v, 1), v) }

// data are the intervals of the chart.
func (s *subject) data(all []*effect, several bool) []chart.Datum {
	var out []chart.Datum
	for _, e := range all {
		low, high, ok := e.interval.Get()
		if !e.tested || !ok {
			continue
		}
		name := e.kind.Name
		if several {
			name = s.system + ": " + name
		}
		out = append(out, chart.Datum{Name: name, X: words.Scaled(e.change.Value), Low: words.Scaled(low), High: words.Scaled(high), Hollow: !e.shown(),
			Tip: fmt.Sprintf("%s, %s\n%s %s", s.system, e.kind.Means, words.Signed(e.change.Value), words.Interval(e.interval))})
	}
	return out
}

// figureTable is the chart in numbers.
func figureTable(id string, data []chart.Datum) *table.Table {
	t := &table.Table{ID: id + "-table", Title: "What replacing instructions changes",
		Columns: []table.Column{{Name: "asked with"}, {Name: "change ×100", Number: true, Best: table.NoBest}, {Name: "from", Number: true, Best: table.NoBest}, {Name: "to", Number: true, Best: table.NoBest}}}
	for _, d := range data {
		t.Rows = append(t.Rows, table.Row{Entries: []table.Entry{{Text: d.Name}, table.Number(words.Fixed(d.X, 2), d.X), table.Number(words.Fixed(d.Low, 2), d.Low), table.Number(words.Fixed(d.High, 2), d.High)}})
	}
	return t
}
