package reports

import (
	"fmt"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/metrics"
	"infbench/reports/scores"
	"infbench/reports/section"
	"infbench/reports/table"
	"infbench/runners/results"
)

// costSections shows the cost and the quality of systems.
func costSections(b *Board, o Options) ([]section.Section, error) {
	charts, err := costCharts(b.Set, b.ID+"-costs-chart", b.Numbers, o.Room)
	if err != nil {
		return nil, err
	}
	return []section.Section{{ID: b.ID + "-costs", Title: "Cost and quality", Nav: "Cost", Folded: true, Tables: section.Listed(costTable(b.Set, b.ID+"-costs-table", b.Numbers, o.Room)), Figures: charts, Grid: section.Paired, Source: section.OfRuns()}}, nil
}

// costTable lists the cost and the quality of systems; nil if no trial recorded a time.
func costTable(v *scores.Set, id string, columns []scores.Number, room int) *table.Table {
	t := &table.Table{ID: id, Title: "Cost",
		Caption: "Processor seconds (of all cores together) and peak memory of one training run: means over the runs that recorded them. Times of different machines are not comparable. " + qualityIs,
		Columns: []table.Column{{Name: "system"}}}
	clock := clockOf(v)
	if clock.why != "" {
		t.Caption = "Wall-clock seconds and peak memory of one training run: means over the runs that recorded them. Wall-clock time depends on the machine's other load. " + clock.why + " Times of different machines are not comparable. " + qualityIs
	}
	t.Columns = append(t.Columns, table.Column{Name: "train " + clock.unit, Number: true}, table.Column{Name: "evaluate " + clock.unit, Number: true}, table.Column{Name: "peak MiB", Number: true})
	cost, on := make([][]table.Entry, len(v.Systems)), make([]string, len(v.Systems))
	for i, s := range v.Systems {
		cost[i], on[i] = clock.costs(s), machines(s)
	}
	if !slices.ContainsFunc(slices.Concat(cost...), func(e table.Entry) bool { return e.Sort != nil }) {
		return nil
	}
	columns = qualities(columns)
	for _, c := range columns {
		t.Columns = append(t.Columns, c.Heading())
	}
	alike := len(slices.Compact(slices.Clone(on))) == 1
	if alike {
		t.Notes = append(t.Notes, fmt.Sprintf("All on one machine: %s.", on[0]))
	} else {
		t.Columns = append(t.Columns, table.Column{Name: "machine"})
	}
	for i, s := range v.Systems {
		t.Add(room, func() table.Row {
			row := table.Row{Kind: s.Kind, Entries: append([]table.Entry{{Text: s.Label}}, cost[i]...)}
			for _, c := range columns {
				row.Entries = append(row.Entries, v.Cell(s, c).Entry())
			}
			if !alike {
				row.Entries = append(row.Entries, table.Entry{Text: on[i]})
			}
			return row
		})
	}
	t.Notes = append(t.Notes, "Energy and money were not measured.")
	return t
}

// qualityIs explains the columns of quality.
const qualityIs = "Quality ×100 is the first number of each benchmark, p-MRR together with its retrieval; the board has all."

// qualities returns the numbers that a cost is set against: the first of each benchmark, and the
// retrieval quality that belongs to a shift.
func qualities(columns []scores.Number) (out []scores.Number) {
	for i, c := range columns {
		if !firstOfBenchmark(columns, i) {
			continue
		}
		out = append(out, c)
		if quality, ok := qualityBeside(columns, i); ok && metrics.IsShift(c.Measure) {
			out = append(out, quality)
		}
	}
	return out
}

// firstOfBenchmark reports whether a number is the first of its benchmark.
func firstOfBenchmark(columns []scores.Number, i int) bool {
	return !slices.ContainsFunc(columns[:i], func(c scores.Number) bool { return c.Benchmark == columns[i].Benchmark })
}

// costs returns the times and the memory of a system.
func (c clock) costs(s *scores.System) []table.Entry {
	memory := meanOver(s, func(t *scores.Trial) (float64, bool) {
		return float64(t.Provenance.PeakRSS) / (1 << 20), t.Provenance.PeakRSS > 0
	}, 0)
	return []table.Entry{c.mean(s, "train"), c.mean(s, "evaluate"), memory}
}

// clock is the clock of the shown times.
type clock struct {
	unit string // unit of a column
	of   func(results.Provenance) map[string]float64
	why  string // a sentence on why it is not processor time; "" if it is
}

// clockOf returns processor time if all trials that recorded a time recorded it and no
// accelerator was used, else wall-clock time: the two are not comparable.
func clockOf(v *scores.Set) clock {
	wall := clock{unit: "wall s", of: func(p results.Provenance) map[string]float64 { return p.Seconds }}
	for _, s := range v.Systems {
		for _, t := range s.Trials {
			p := t.Provenance
			switch {
			case !t.Finished() || len(p.Seconds) == 0:
			case len(p.CPUSeconds) == 0:
				wall.why = "Not all of them recorded processor seconds."
				return wall
			case strings.Contains(p.Backend, "cuda"):
				wall.why = "Processor seconds do not include the accelerator."
				return wall
			}
		}
	}
	return clock{unit: "CPU s", of: func(p results.Provenance) map[string]float64 { return p.CPUSeconds }}
}

// mean returns the mean of a phase over the trials that ran it.
func (c clock) mean(s *scores.System, phase string) table.Entry {
	return meanOver(s, func(t *scores.Trial) (float64, bool) {
		seconds, ok := c.of(t.Provenance)[phase]
		return seconds, ok && (phase != "train" || s.Kind == table.Trained)
	}, 1)
}

// meanOver averages the known values of the finished trials; empty if none are known.
func meanOver(s *scores.System, of func(*scores.Trial) (float64, bool), decimals int) table.Entry {
	sum, n := 0.0, 0.0
	for _, t := range s.Trials {
		if v, ok := of(t); ok && t.Finished() {
			sum += v
			n++
		}
	}
	if n == 0 {
		return table.Entry{}
	}
	return table.Number(words.Fixed(sum/n, decimals), sum/n)
}

// machines names the processors and devices that a system ran on.
func machines(s *scores.System) string {
	var names []string
	for _, t := range s.Trials {
		if p := t.Provenance; p.CPU != "" {
			names = words.AddNew(names, words.Clean(strings.TrimSpace(fmt.Sprintf("%s, %s, %s", p.CPU, words.Plural(p.Cores, "core", "cores"), p.Backend))))
		}
	}
	return words.Listed(names)
}
