package reports

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/metrics/stats"
	"infbench/reports/chart"
	"infbench/reports/scores"
	"infbench/reports/section"
	"infbench/reports/table"
	"infbench/runners/results"
)

// ProbeSection is the suffix of the section ID for the effects of replaced instructions on
// a board.
const ProbeSection = "-probe"

// probeSections shows the effects of replaced instructions.
func probeSections(b *Board, _ Options) ([]section.Section, error) {
	s, err := instructionUseSection(b.ID+ProbeSection, b.Set)
	return []section.Section{s}, err
}

// instructionUseSection shows whether the probed systems use their instructions: the
// tested effects of replaced instructions, by kind of replacement and type of instruction.
// It is empty if no system was probed. Package runners/probe records the questions and the
// changes of rankings.
func instructionUseSection(id string, v *scores.Set) (section.Section, error) {
	s := section.Section{ID: id, Title: "Are instructions used?", Nav: "Instructions", Source: section.TestsOfRuns()}
	subjects := subjectsOf(v)
	if len(subjects) == 0 {
		return s, nil
	}
	t := probeTable(id+"-table", len(subjects) > 1)
	var data []chart.Datum
	for _, of := range subjects {
		all, byType := of.effects([]string{everyType}), of.effects(results.InstructionTypes())
		of.rows(t, all)
		of.rows(t, byType)
		s.Terms = append(s.Terms, of.term(all, byType))
		data = append(data, of.data(all)...)
		t.Notes = append(t.Notes, of.notes(all)...)
	}
	s.Tables = []*table.Table{t}
	if len(data) == 0 {
		return s, nil
	}
	f, err := probeFigure(id+"-figure", data)
	s.Figures = []*chart.Figure{f}
	return s, err
}

// subjectsOf lists the probed subjects, by system, then benchmark.
func subjectsOf(v *scores.Set) []*probedSubject {
	var out []*probedSubject
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
	for _, s := range out {
		if len(out) > 1 {
			s.name = s.system
		}
		if slices.ContainsFunc(out, func(o *probedSubject) bool { return o.benchmark != s.benchmark }) {
			s.name += " on " + s.benchmark
		}
	}
	return out
}

// probeTable returns the table of effects without rows.
func probeTable(id string, several bool) *table.Table {
	t := &table.Table{ID: id, Title: "Effects of replaced instructions",
		Caption: fmt.Sprintf("Each query is asked with its own instruction and with replacements: none; %s. "+
			"Values ×100 use the judgments of the own instruction. The change is tested by t over queries within their tasks. Tasks have equal weight, or for one type a weight by queries; the queries of a pair count once. "+
			"p is corrected by Holm over the kinds of a system, or over its kinds and types; intervals are simultaneous over the same family. An effect counts as none if two one-sided t tests show that it is inside ±%s (Holm as well). "+
			"Moved is 1 − rank-biased overlap with the ranking under the own instruction (extrapolated, p = .9: Webber, Moffat and Zobel 2010). "+
			"± is the standard deviation over several instructions of a kind, within a query.", kindWords(), words.Fixed(100*probeBand, 0))}
	if several {
		t.Columns = append(t.Columns, table.Column{Name: "system"})
	}
	number := func(group, name string) table.Column {
		return table.Column{Group: group, Name: name, Number: true, Best: table.NoBest}
	}
	t.Columns = append(t.Columns, table.Column{Name: "instructions"}, table.Column{Name: "asked with"}, number("", "n"), number("", "own"), number("", "replaced"), number("", "change"), number("", "interval"),
		table.Column{Name: "verdict"}, number("", "p (Holm)"), number("", "p inside (Holm)"), number("", "±"), number("ranking", "moved"), number("ranking", "interval"))
	return t
}

// kindWords describes each kind.
func kindWords() string {
	var out []string
	for _, k := range results.Askings() {
		if k.Name != results.AskedNone {
			out = append(out, k.Name+": "+k.Means)
		}
	}
	return strings.Join(out, "; ")
}

// rows adds a row for each effect, or one row for all effects of a type with too few
// queries.
func (s *probedSubject) rows(t *table.Table, all []*probeEffect) {
	for i, e := range all {
		short := e.ofType != everyType && !e.tested
		if short && i > 0 && all[i-1].ofType == e.ofType && !all[i-1].tested {
			continue
		}
		var row []table.Entry
		if s.name != "" {
			row = append(row, table.Entry{Text: s.name})
		}
		row = append(row, table.Entry{Text: e.ofType}, table.Entry{Text: e.kind.Name}, table.Number(words.Group(e.n), float64(e.n)))
		if short {
			row[len(row)-2].Text = "others"
		}
		t.Rows = append(t.Rows, table.Row{Entries: append(row, s.numbers(e)...)})
	}
}

// numbers returns the entries of an effect, including its verdict.
func (s *probedSubject) numbers(e *probeEffect) []table.Entry {
	if !e.tested {
		entries := make([]table.Entry, 10)
		entries[4] = e.verdict()
		return entries
	}
	spread := table.Entry{}
	if variance, ok := s.spreadOf(e.kind.Name, e.ofType); ok {
		spread = percentEntry(math.Sqrt(variance))
	}
	return []table.Entry{percentEntry(e.own), percentEntry(e.asked), table.Number(words.Signed(e.change.Value), e.change.Value), table.Number(words.Interval(e.interval.Get()), e.interval.Low),
		e.verdict(), table.Number(words.PValue(e.p), e.p), table.Number(words.PValue(e.within), e.within),
		spread, percentEntry(e.moved.Value), table.Number(between(e.movedInterval), e.movedInterval.Low)}
}

// between formats an interval of a value without a sign.
func between(i stats.Interval) string {
	low, high, ok := i.Get()
	if !ok {
		return words.UndefinedMark
	}
	return "[" + words.Fixed(100*low, 1) + ", " + words.Fixed(100*high, 1) + "]"
}

func percentEntry(v float64) table.Entry { return table.Number(words.Fixed(100*v, 1), v) }

// data returns the intervals of the chart.
func (s *probedSubject) data(all []*probeEffect) []chart.Datum {
	var out []chart.Datum
	for _, e := range all {
		low, high, ok := e.interval.Get()
		if !e.tested || !ok {
			continue
		}
		name := e.kind.Name
		if s.name != "" {
			name = s.name + ": " + name
		}
		out = append(out, chart.Datum{Name: name, X: words.Scaled(e.change.Value), Low: words.Scaled(low), High: words.Scaled(high), Hollow: !e.shown(),
			Tip: fmt.Sprintf("%s, %s\n%s %s", s.system, e.kind.Means, words.Signed(e.change.Value), words.Interval(e.interval.Get()))})
	}
	return out
}

// probeFigure draws the changes of all types together.
func probeFigure(id string, data []chart.Datum) (*chart.Figure, error) {
	f := &chart.Figure{ID: id, Title: "Effects of replaced instructions", X: chart.Axis{Title: "change of the measure ×100", Zero: true},
		Caption: "Change of the measure ×100 from each query's own instruction, with intervals that are simultaneous for a system. Hollow: not significant.",
		Alt:     "Intervals of the change of the measure for each kind of instruction; the table next to it has the numbers."}
	f.Y, f.Marks, f.Table = chart.Rows(data), []chart.Mark{{Shape: chart.Interval, Data: data}}, chart.IntervalTable(id+"-table", f.Title, [4]string{"asked with", "change ×100", "from", "to"}, data)
	return f.Drawn()
}
