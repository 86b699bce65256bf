package reports

import (
	"fmt"
	"strings"
)

// costTable sets what systems cost beside what they score; nil where no trial
// recorded a time.
func (v *view) costTable(id string, columns []column) *Table {
	t := &Table{ID: id, Title: "Cost",
		Caption: "Quality ×100 beside wall-clock seconds and peak memory of one training run, means over the runs that recorded them. Times of different machines do not compare.",
		Columns: []Column{{Name: "system"}}}
	for _, c := range columns {
		t.Columns = append(t.Columns, c.heading())
	}
	t.Columns = append(t.Columns, Column{Name: "train s", Number: true}, Column{Name: "evaluate s", Number: true}, Column{Name: "peak MiB", Number: true}, Column{Name: "machine"})
	any := false
	for _, s := range v.systems {
		row := Row{Kind: s.kind, Entries: []Entry{{Text: s.label}}}
		for _, c := range columns {
			row.Entries = append(row.Entries, v.cell(s, c).entry())
		}
		train, evaluate := meanSeconds(s, "train"), meanSeconds(s, "evaluate")
		memory := meanOver(s, func(t *trial) (float64, bool) {
			return float64(t.Provenance.PeakRSS) / (1 << 20), t.Provenance.PeakRSS > 0
		}, 0)
		any = any || train.Sort != nil || evaluate.Sort != nil || memory.Sort != nil
		row.Entries = append(row.Entries, train, evaluate, memory, Entry{Text: machines(s)})
		t.Rows = append(t.Rows, row)
	}
	if !any {
		return nil
	}
	t.dropAlike(len(t.Columns) - 1)
	t.Notes = append(t.Notes, "Energy and money were not measured.")
	return t
}

// dropAlike turns the last column into a note where all rows say the same.
func (t *Table) dropAlike(last int) {
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
func meanSeconds(s *system, phase string) Entry {
	return meanOver(s, func(t *trial) (float64, bool) {
		seconds, ok := t.Provenance.Seconds[phase]
		return seconds, ok && (phase != "train" || s.kind == Trained)
	}, 1)
}

// meanOver averages what of the finished trials is known; empty where nothing is.
func meanOver(s *system, of func(*trial) (float64, bool), decimals int) Entry {
	sum, n := 0.0, 0.0
	for _, t := range s.trials {
		if v, ok := of(t); ok && t.finished() {
			sum += v
			n++
		}
	}
	if n == 0 {
		return Entry{}
	}
	return number(fixed(sum/n, decimals), sum/n)
}

// machines names the processors and devices that a system ran on.
func machines(s *system) string {
	var names []string
	for _, t := range s.trials {
		if p := t.Provenance; p.CPU != "" {
			names = addNew(names, clean(strings.TrimSpace(fmt.Sprintf("%s, %s, %s", p.CPU, plural(p.Cores, "core", "cores"), p.Backend))))
		}
	}
	return listed(names)
}
