package reports

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"infbench/internal/words"
	"infbench/metrics"
	"infbench/reports/contrast"
	"infbench/reports/scores"
	"infbench/reports/section"
	"infbench/reports/table"
)

// seedSections returns a folded section of the training runs.
func seedSections(b *Board, o Options) ([]section.Section, error) {
	s := section.Section{ID: b.ID + "-runs", Title: "Training runs", Folded: true, Tables: section.Listed(b.seeds)}
	if b.seeds != nil {
		s.Tables = append(s.Tables, section.Listed(detectableTable(b, o))...)
		s.Notes = replicationNotes(b)
	}
	return []section.Section{s}, nil
}

// replicationNotes describes how training runs vary, for each number.
func replicationNotes(b *Board) []string {
	var out []string
	for _, c := range b.Numbers {
		if words := contrast.ReplicationOf(b.Set, c).Words(); words != "" {
			out = append(out, fmt.Sprintf("%s on %s: %s.", c.Scoring(), c.Test(), words))
		}
	}
	return out
}

// detectableAtMost limits the systems for which this is computed: each takes milliseconds,
// and readers need few.
const detectableAtMost = 60

// detectableTable lists the smallest differences from the reference that the runs and
// queries could detect; nil if there is none.
func detectableTable(b *Board, o Options) *table.Table {
	t := &table.Table{ID: b.ID + "-detectable", Title: "Smallest detectable differences",
		Caption: fmt.Sprintf("The smallest true difference ×100 from %s that would be detected in %.0f%% of cases with these runs and queries, at level %v divided by the number of comparisons on the benchmark. "+
			"It depends on how much queries and seeds vary, not on the measured difference; more queries or more seeds make it smaller.", o.Reference, 100*chance, contrast.Significant),
		Columns: []table.Column{{Name: "system"}}}
	for _, c := range b.Numbers {
		head := c.Heading()
		head.Best = table.NoBest
		t.Columns = append(t.Columns, head)
	}
	for _, s := range b.Set.Trained() {
		if len(s.Trials) < 2 || contrast.Reference(b.Set, s, o.Reference) == nil {
			continue
		}
		if len(t.Rows) == detectableAtMost {
			t.Notes = []string{fmt.Sprintf("The first %d systems; infbench compare --power computes it for any two.", detectableAtMost)}
			break
		}
		row := table.Row{Kind: s.Kind, Entries: []table.Entry{{Text: s.Label}}}
		for _, c := range b.Numbers {
			row.Entries = append(row.Entries, detectableEntry(b.contrast(s, c), contrast.Significant/float64(b.comparisons(c))))
		}
		t.Rows = append(t.Rows, row)
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}

// chance is the power for which the smallest detectable difference is computed.
const chance = 0.8

// detectableEntry returns the smallest difference that the test of a contrast would detect
// at a level.
func detectableEntry(c *contrast.Contrast, level float64) table.Entry {
	if c != nil && c.Why == "" {
		if v, ok := c.Estimate.Smallest(chance, level).Get(); ok {
			return table.Number("±"+words.Fixed(100*v, 1), v)
		}
	}
	return table.Entry{Text: words.UndefinedMark, Tone: table.Absent}
}

// contrast returns the contrast of a system with its reference, nil if there is none.
func (b *Board) contrast(s *scores.System, c scores.Number) *contrast.Contrast {
	for _, f := range b.Families {
		if found := f.Of(s, c); found != nil {
			return found
		}
	}
	return nil
}

// comparisons returns the number of comparisons in the family of a number.
func (b *Board) comparisons(c scores.Number) int {
	for _, f := range b.Families {
		if f.Benchmark == c.Benchmark {
			return max(1, f.Tested())
		}
	}
	return 1
}

// seedSpread is the spread of a system's training runs in one column.
type seedSpread struct {
	runs  []float64 // mean of each run that has a value
	mean  float64
	half  float64 // half of the 95% interval of the mean over runs, with the variance that the tests use
	known bool    // half is known
}

// spread collects the runs of a system. ok is false for fewer than two runs, and for runs
// chosen by results, which are not tested.
func spread(v *scores.Set, s *scores.System, c scores.Number) (seedSpread, bool) {
	g := v.Gathered(s, c)
	var out seedSpread
	for _, t := range s.Trials {
		if m := g.Mean(t); m.Tests > 0 {
			out.runs = append(out.runs, m.Mean)
		}
	}
	if len(out.runs) < 2 || s.ChosenByResults() {
		return out, false
	}
	out.mean = stat.Mean(out.runs, nil)
	out.half, out.known = contrast.ReplicationOf(v, c).Half(s)
	return out, true
}

// spreadKey is the key of a number's spreads in a set.
type spreadKey string

// spreadsOf returns the spreads of the systems that have one, for the leaderboard and the
// table of runs.
func spreadsOf(v *scores.Set, c scores.Number) map[*scores.System]seedSpread {
	return v.Keep(spreadKey(c.Key()), func() any {
		out := map[*scores.System]seedSpread{}
		for _, s := range v.Systems {
			if found, ok := spread(v, s, c); ok {
				out[s] = found
			}
		}
		return out
	}).(map[*scores.System]seedSpread)
}

// words formats half the width of the interval: "±1.2"; "" if it is not known.
func (s seedSpread) words() string {
	if !s.known {
		return ""
	}
	return "±" + words.Fixed(100*s.half, 1)
}

// seedTable lists mean and interval over training runs; nil if no system has two runs.
func seedTable(v *scores.Set, id string, columns []scores.Number, room int) *table.Table {
	t := &table.Table{ID: id, Title: "Training runs",
		Caption: "Mean ×100 over training runs that differ in their seed, ± half of its 95% interval over such runs, and their number. " +
			"The variance of runs is the one that the tests use: pooled over all systems, or each system's own if systems differ. With fewer than three runs no ± is shown.",
		Columns: []table.Column{{Name: "system"}}}
	all := make([]map[*scores.System]seedSpread, len(columns))
	for i, c := range columns {
		t.Columns = append(t.Columns, c.Heading())
		all[i] = spreadsOf(v, c)
	}
	for _, s := range v.Systems {
		if slices.ContainsFunc(all, func(of map[*scores.System]seedSpread) bool { _, has := of[s]; return has }) {
			t.Add(room, func() table.Row { return seedRow(v, s, columns, all) })
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}

// seedRow returns the row of a system in the table of runs.
func seedRow(v *scores.Set, s *scores.System, columns []scores.Number, all []map[*scores.System]seedSpread) table.Row {
	row := table.Row{Kind: s.Kind, Entries: []table.Entry{{Text: s.Label}}}
	for i, c := range columns {
		e := table.Entry{}
		if found, ok := all[i][s]; ok {
			e = table.Number(strings.Join(strings.Fields(fmt.Sprintf("%s %s (%d)", metrics.Percent(c.Measure, found.mean), found.words(), len(found.runs))), " "), found.mean)
			e.From = v.LinkTo(table.StatRuns, s.Trials, c)
		}
		row.Entries = append(row.Entries, e)
	}
	return row
}
