package reports

import (
	"fmt"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/reports/scores"
	"infbench/reports/section"
	"infbench/reports/table"
	"infbench/runners/results"
)

// costSections set what systems cost beside what they score.
func costSections(b *Board, o Options) ([]section.Section, error) {
	return []section.Section{{ID: b.ID + "-costs", Title: "Cost beside quality", Nav: "Cost", Folded: true, Tables: section.Listed(costTable(b.Set, b.ID+"-costs-table", b.Numbers, o.Room)), Source: section.OfRuns()}}, nil
}

// costTable sets what systems cost beside what they score; nil where no trial
// recorded a time.
func costTable(v *scores.Set, id string, columns []scores.Number, room int) *table.Table {
	t := &table.Table{ID: id, Title: "Cost",
		Caption: "Quality ×100 beside the processor seconds (of all cores together) and the peak memory of one training run, means over the runs that recorded them. Times of different machines do not compare.",
		Columns: []table.Column{{Name: "system"}}}
	for _, c := range columns {
		t.Columns = append(t.Columns, c.Heading())
	}
	clock := clockOf(v)
	if clock.why != "" {
		t.Caption = "Quality ×100 beside wall-clock seconds, which grow with what else the machine did, and the peak memory of one training run, means over the runs that recorded them. " + clock.why + " Times of different machines do not compare."
	}
	t.Columns = append(t.Columns, table.Column{Name: "train " + clock.unit, Number: true}, table.Column{Name: "evaluate " + clock.unit, Number: true}, table.Column{Name: "peak MiB", Number: true})
	cost, on := make([][]table.Entry, len(v.Systems)), make([]string, len(v.Systems))
	for i, s := range v.Systems {
		cost[i], on[i] = clock.costs(s), machines(s)
	}
	if !slices.ContainsFunc(slices.Concat(cost...), func(e table.Entry) bool { return e.Sort != nil }) {
		return nil
	}
	if alike := slices.Compact(slices.Clone(on)); len(alike) > 1 {
		t.Columns = append(t.Columns, table.Column{Name: "machine"})
		for i := range cost {
			cost[i] = append(cost[i], table.Entry{Text: on[i]})
		}
	} else {
		t.Notes = append(t.Notes, fmt.Sprintf("All of one machine: %s.", on[0]))
	}
	for i, s := range v.Systems {
		t.Add(room, func() table.Row {
			row := table.Row{Kind: s.Kind, Entries: []table.Entry{{Text: s.Label}}}
			for _, c := range columns {
				row.Entries = append(row.Entries, v.Cell(s, c).Entry())
			}
			row.Entries = append(row.Entries, cost[i]...)
			return row
		})
	}
	t.Notes = append(t.Notes, "Energy and money were not measured.")
	return t
}

// costs are the times and the memory of a system.
func (c clock) costs(s *scores.System) []table.Entry {
	memory := meanOver(s, func(t *scores.Trial) (float64, bool) {
		return float64(t.Provenance.PeakRSS) / (1 << 20), t.Provenance.PeakRSS > 0
	}, 0)
	return []table.Entry{c.mean(s, "train"), c.mean(s, "evaluate"), memory}
}

// clock is what times are told by.
type clock struct {
	unit string // of a column
	of   func(results.Provenance) map[string]float64
	why  string // it is not that of processors, as a sentence
}

// clockOf is processor time where all that recorded a time recorded that and no
// accelerator computed, else wall-clock time: the two do not compare.
func clockOf(v *scores.Set) clock {
	wall := clock{unit: "wall s", of: func(p results.Provenance) map[string]float64 { return p.Seconds }}
	for _, s := range v.Systems {
		for _, t := range s.Trials {
			p := t.Provenance
			switch {
			case !t.Finished() || len(p.Seconds) == 0:
			case len(p.CPUSeconds) == 0:
				wall.why = "Processor seconds were not recorded of all of them."
				return wall
			case strings.Contains(p.Backend, "cuda"):
				wall.why = "Processor seconds leave out what an accelerator computed."
				return wall
			}
		}
	}
	return clock{unit: "CPU s", of: func(p results.Provenance) map[string]float64 { return p.CPUSeconds }}
}

// mean is that of a phase over the trials that had it.
func (c clock) mean(s *scores.System, phase string) table.Entry {
	return meanOver(s, func(t *scores.Trial) (float64, bool) {
		seconds, ok := c.of(t.Provenance)[phase]
		return seconds, ok && (phase != "train" || s.Kind == table.Trained)
	}, 1)
}

// meanOver averages what of the finished trials is known; empty where nothing is.
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
