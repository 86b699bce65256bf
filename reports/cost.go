package reports

import (
	"fmt"
	"strings"

	"infbench/reports/scores"
	"infbench/reports/section"
	"infbench/reports/table"
	"infbench/reports/words"
)

// costSections set what systems cost beside what they score.
func costSections(b *Board, _ Options) ([]section.Section, error) {
	return []section.Section{{ID: b.ID + "-costs", Title: "Cost beside quality", Nav: "Cost", Folded: true, Tables: section.Listed(costTable(b.Set, b.ID+"-costs-table", b.Numbers)), Source: section.Source{From: section.FromRuns}}}, nil
}

// costTable sets what systems cost beside what they score; nil where no trial
// recorded a time.
func costTable(v *scores.Set, id string, columns []scores.Number) *table.Table {
	t := &table.Table{ID: id, Title: "Cost",
		Caption: "Quality ×100 beside wall-clock seconds and peak memory of one training run, means over the runs that recorded them. Times of different machines do not compare.",
		Columns: []table.Column{{Name: "system"}}}
	for _, c := range columns {
		t.Columns = append(t.Columns, c.Heading())
	}
	t.Columns = append(t.Columns, table.Column{Name: "train s", Number: true}, table.Column{Name: "evaluate s", Number: true}, table.Column{Name: "peak MiB", Number: true}, table.Column{Name: "machine"})
	any := false
	for _, s := range v.Systems {
		row := table.Row{Kind: s.Kind, Entries: []table.Entry{{Text: s.Label}}}
		for _, c := range columns {
			row.Entries = append(row.Entries, v.Cell(s, c).Entry())
		}
		train, evaluate := meanSeconds(s, "train"), meanSeconds(s, "evaluate")
		memory := meanOver(s, func(t *scores.Trial) (float64, bool) {
			return float64(t.Provenance.PeakRSS) / (1 << 20), t.Provenance.PeakRSS > 0
		}, 0)
		any = any || train.Sort != nil || evaluate.Sort != nil || memory.Sort != nil
		row.Entries = append(row.Entries, train, evaluate, memory, table.Entry{Text: machines(s)})
		t.Rows = append(t.Rows, row)
	}
	if !any {
		return nil
	}
	dropAlike(t, len(t.Columns)-1)
	t.Notes = append(t.Notes, "Energy and money were not measured.")
	return t
}

// dropAlike turns the last column into a note where all rows say the same.
func dropAlike(t *table.Table, last int) {
	for _, r := range t.Rows {
		if r.Entries[last].Text != t.Rows[0].Entries[last].Text {
			return
		}
	}
	t.Notes = append(t.Notes, fmt.Sprintf("All of one %s: %s.", t.Columns[last].Name, t.Rows[0].Entries[last].Text))
	t.Columns = t.Columns[:last]
	for i := range t.Rows {
		t.Rows[i].Entries = t.Rows[i].Entries[:last]
	}
}

// meanSeconds is the mean duration of a phase over the trials that had it.
func meanSeconds(s *scores.System, phase string) table.Entry {
	return meanOver(s, func(t *scores.Trial) (float64, bool) {
		seconds, ok := t.Provenance.Seconds[phase]
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
