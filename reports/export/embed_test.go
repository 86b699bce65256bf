package export

import (
	"reflect"
	"slices"
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/metrics"
	"infbench/reports"
	"infbench/reports/section"
	"infbench/reports/table"
)

// TestDataRebuilds checks that the data in a page reproduce its tables, for an experiment with
// seeds, a failed trial and hostile texts.
func TestDataRebuilds(t *testing.T) {
	e := reportstest.HostileExperiment()
	for i := range e.Trials {
		e.Trials[i].Marker = "0123"
	}
	r := build(t, reports.Options{}, e)
	d, err := reports.ReadData([]byte(written(t, r, "html")))
	if err != nil {
		t.Fatal(err)
	}
	again := build(t, d.BuildOptions(), d.Experiments()...)
	want, got := carriedTables(r), carriedTables(again)
	if len(got) != len(want) {
		t.Fatalf("%d tables, want %d", len(got), len(want))
	}
	for i := range want {
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Errorf("table %s differs:\n%+v\n%+v", want[i].ID, got[i], want[i])
		}
	}
	if d.Trials[0].Marker != "0123" || len(d.Left) != 0 {
		t.Errorf("marker %q, left %v", d.Trials[0].Marker, d.Left)
	}
}

// carriedTables lists the tables that follow from the values in a page.
func carriedTables(r *reports.Report) []*table.Table {
	var out []*table.Table
	section.Each(r.Sections, func(s *section.Section, _ int) {
		if s.Source.From == section.FromValues {
			out = append(out, tablesOf(s)...)
		}
	})
	return out
}

// TestDataLinks checks that a link leads to the values of its number: the mean of each leaderboard
// cell, computed from the page alone.
func TestDataLinks(t *testing.T) {
	r := build(t, reports.Options{}, reportstest.Fixture(2))
	d, err := reports.ReadData([]byte(written(t, r, "html")))
	if err != nil {
		t.Fatal(err)
	}
	board := r.Boards[0].Leaderboard
	for _, row := range board.Rows {
		for j, e := range row.Entries[1:] {
			l, err := table.ParseLink(e.From.String())
			if err != nil || l.Stat != table.StatMean {
				t.Fatalf("link %q: %v", e.From, err)
			}
			if got := metrics.Percent(d.Slots[l.Slots[0]].Measure, meanOf(d, l)); got != table.Unmarked(e.Text) {
				t.Errorf("%s, %s: %s from the page's data, shown %s", row.Entries[0].Text, board.Columns[j+1].Flat(), got, e.Text)
			}
		}
	}
}

// meanOf computes the plain mean over queries, slots and trials.
func meanOf(d *reports.Data, l table.Link) float64 {
	trials := 0.0
	for _, t := range l.Trials {
		slots := 0.0
		for _, v := range d.Trials[t].Values {
			if slices.Contains(l.Slots, v.Slot) {
				sum := 0.0
				for _, x := range v.Values {
					sum += x
				}
				slots += sum / float64(len(v.Values))
			}
		}
		trials += slots / float64(len(l.Slots))
	}
	return trials / float64(len(l.Trials))
}
