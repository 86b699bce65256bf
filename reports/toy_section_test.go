package reports_test

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/reports"
	"infbench/reports/export"
	"infbench/reports/page"
	"infbench/reports/section"
	"infbench/reports/table"
	"infbench/reports/verify"
)

// toySections counts systems. A new section needs only this function and a line in the
// list.
func toySections(b *reports.Board, _ reports.Options) ([]section.Section, error) {
	n := len(b.Set.Systems)
	t := &table.Table{ID: b.ID + "-toys-table", Title: "Toys of a board", Columns: []table.Column{{Name: "what"}, {Name: "count", Number: true}}}
	t.Rows = []table.Row{{Entries: []table.Entry{{Text: "toy systems"}, table.Number(fmt.Sprint(n), float64(n))}}}
	return []section.Section{{ID: b.ID + "-toys", Title: "Toys", Nav: "Toys", Intro: "Counted for a test.", Tables: []*table.Table{t}}}, nil
}

// toyReportSections is a section of a report that depends on run folders.
func toyReportSections(*reports.Report) ([]section.Section, error) {
	return []section.Section{{ID: "plays", Title: "Plays", Notes: []string{"played for a test"}, Source: section.OfRuns()}}, nil
}

// TestToySection checks that a new section is a function and a line: every format shows
// it, and verify checks it against its sources.
func TestToySection(t *testing.T) {
	board, whole := *reports.BoardSections, *reports.ReportSections
	defer func() { *reports.BoardSections, *reports.ReportSections = board, whole }()
	*reports.BoardSections = append(slices.Clone(board), toySections)
	*reports.ReportSections = append(slices.Clone(whole), toyReportSections)

	exps := reportstest.TwoSystems()
	r, err := reports.Build(exps, reports.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range export.Formats() {
		var b strings.Builder
		if err := export.Write(&b, r, format); err != nil {
			t.Fatal(err)
		}
		wants := []string{"Toys", "Counted for a test.", "toy systems", "Plays", "played for a test"}
		if format == "csv" {
			wants = wants[:3] // equal numbers give equal bytes
		}
		for _, want := range wants {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s lacks %q", format, want)
			}
		}
	}
	var html strings.Builder
	if err := page.Write(&html, r); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		old, by, found string // place of the difference
		runs           bool
	}{
		{"", "", "", false},
		{"", "", "", true},
		{`data-sort="3">3<`, `data-sort="4">4<`, "toys-table: toy systems, count", false},
		{"Counted for a test.", "Counted twice.", "-toys", false},
		{"played for a test", "played for money", "", false},
		{"played for a test", "played for money", "plays", true},
		{"<li>played for a test", `<li class="n">played for a test`, "section plays", false},
	} {
		o := verify.Options{}
		if test.runs {
			o.Runs = exps
		}
		v, err := verify.Page([]byte(resealed(t, strings.Replace(html.String(), test.old, test.by, 1))), o)
		if err != nil {
			t.Fatal(err)
		}
		found := slices.ContainsFunc(v.Differ, func(f verify.Finding) bool { return strings.Contains(f.Where, test.found) })
		if found != (test.found != "") || !found && len(v.Differ) > 0 {
			t.Errorf("%q for %q: %v", test.by, test.old, v.Differ)
		}
		if unchecked := slices.ContainsFunc(v.Unchecked, func(s string) bool { return strings.HasPrefix(s, "Plays:") }); unchecked == test.runs {
			t.Errorf("%q for %q: unchecked %v", test.by, test.old, v.Unchecked)
		}
	}
}

// resealed returns a page with a new seal.
func resealed(t *testing.T, html string) string {
	t.Helper()
	var b strings.Builder
	err := reports.WriteSealed(&b, func(w io.Writer) error {
		_, err := io.WriteString(w, html[:strings.LastIndex(html, reports.SealStart)])
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
