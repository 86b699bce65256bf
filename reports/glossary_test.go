package reports

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/reports/section"
	"infbench/runners/results"
)

// TestGlossaryIsThatOfDocs: pages and docs/glossary.md explain a word alike, and the words are in order.
func TestGlossaryIsThatOfDocs(t *testing.T) {
	text, err := os.ReadFile("../docs/glossary.md")
	if err != nil {
		t.Fatal(err)
	}
	links := regexp.MustCompile(` \(\[[^)]*\)\)`)
	of := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if parts := strings.Split(strings.Trim(line, "| \n"), " | "); len(parts) == 2 {
			of[parts[0]] = strings.ReplaceAll(links.ReplaceAllString(parts[1], ""), "`", "")
		}
	}
	for i, g := range glossary {
		if of[g.Name] != g.Text {
			t.Errorf("%s: docs %q, pages %q", g.Name, of[g.Name], g.Text)
		}
		if i > 0 && g.Name < glossary[i-1].Name {
			t.Errorf("%s is out of order", g.Name)
		}
	}
}

// TestGlossary: the report explains its measures, in the headings of boards, too, and gives the
// addresses of registered data, not of data that is generated or unknown.
func TestGlossary(t *testing.T) {
	e := reportstest.Small()
	e.Trials = append(e.Trials, reportstest.TrialOf("x", map[string]string{"model": "bm25", "data": "msmarco + inf-ir"},
		reportstest.At("followir", "core17", "", "p-MRR", "1", .1), reportstest.At("ours", "x", "", "own score", "1", .1)))
	e.Trials[len(e.Trials)-1].Provenance.Benchmarks = []results.Benchmark{{Name: "followir"}, {Name: "ours"}}
	r := build(t, Options{}, e)
	names := func(id string) (out []string) {
		for _, term := range r.Section(id).Terms {
			out = append(out, term.Name)
		}
		return out
	}
	if got := names("glossary-measures"); !slices.Contains(got, "p-MRR") || !slices.Contains(got, "AP@1000") || slices.Contains(got, "own score") {
		t.Errorf("measures %v", got)
	}
	if got := names("glossary-sources"); !slices.Equal(got, []string{"followir", "msmarco", "inf-ir"}) {
		t.Errorf("sources %v", got)
	}
	followir := r.Section("glossary-sources").Terms[0]
	if !strings.Contains(followir.Text, "Weller et al. 2024") || len(followir.Links) != 4 || followir.Links[0] != (section.Link{Name: "paper", Address: "https://arxiv.org/abs/2403.15246"}) {
		t.Errorf("%+v", followir)
	}
	for _, c := range r.Boards[0].Leaderboard.Columns[1:] {
		if c.Help == "" && c.Name != "own score" {
			t.Errorf("%s is not explained", c.Flat())
		}
	}
}
