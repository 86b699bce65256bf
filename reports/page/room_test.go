package page

import (
	"bytes"
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/reports"
	"infbench/runners/results"
)

// TestRoom checks that a report with the row limit of a page gives the same page as one
// with all rows, byte by byte.
func TestRoom(t *testing.T) {
	e := reportstest.Large(3*(RowsAtMost+20), 40)
	pages := map[int][]byte{}
	for _, room := range []int{0, RowsAtMost} {
		r, err := reports.Build([]*results.Experiment{e}, reports.Options{Room: room})
		if err != nil {
			t.Fatal(err)
		}
		left := 0
		for _, s := range r.Sections {
			for _, table := range s.AllTables() {
				left += table.Left
			}
		}
		if (left > 0) != (room > 0) {
			t.Errorf("room for %d rows: %d are left", room, left)
		}
		var b bytes.Buffer
		if err := Write(&b, r); err != nil {
			t.Fatal(err)
		}
		pages[room] = b.Bytes()
	}
	if !bytes.Equal(pages[0], pages[RowsAtMost]) {
		t.Errorf("pages of %d and %d bytes differ", len(pages[0]), len(pages[RowsAtMost]))
	}
}

// TestTaken checks that a report that releases the values of its trials is the same.
func TestTaken(t *testing.T) {
	var pages [][]byte
	for _, taken := range []bool{false, true} {
		e := reportstest.Large(30, 40)
		r, err := reports.Build([]*results.Experiment{e}, reports.Options{Taken: taken})
		if err != nil {
			t.Fatal(err)
		}
		if got := e.Trials[0].Results == nil; got != taken {
			t.Errorf("taken %v: values are gone: %v", taken, got)
		}
		var b bytes.Buffer
		if err := Write(&b, r); err != nil {
			t.Fatal(err)
		}
		pages = append(pages, b.Bytes())
	}
	if !bytes.Equal(pages[0], pages[1]) {
		t.Error("the page of values that were taken is another")
	}
}
