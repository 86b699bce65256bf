package export

import (
	"encoding/csv"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/reports"
	"infbench/reports/scores"
	"infbench/runners/results"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestGolden(t *testing.T) {
	r := build(t, reports.Options{}, reportstest.Small())
	for format, name := range map[string]string{"terminal": "report.txt", "markdown": "report.md", "latex": "report.tex", "csv": "report.csv"} {
		got := written(t, r, format)
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s differs from %s (go test ./reports/export -update, then read the change):\n%s", format, path, got)
		}
	}
}

// TestTerminalIsPlain checks that no control byte reaches a terminal.
func TestTerminalIsPlain(t *testing.T) {
	out := written(t, build(t, reports.Options{}, reportstest.HostileExperiment()), "terminal")
	for i, r := range out {
		if r != '\n' && (r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u202e') {
			t.Fatalf("control character %q at byte %d", r, i)
		}
	}
}

// TestMarkdownRows checks that no text breaks a table row or opens a tag.
func TestMarkdownRows(t *testing.T) {
	width := 0
	for line := range strings.SplitSeq(written(t, build(t, reports.Options{}, reportstest.HostileExperiment()), "markdown"), "\n") {
		bars := strings.Count(line, "|") - strings.Count(line, `\|`)
		switch {
		case strings.Contains(line, "<"):
			t.Errorf("unescaped tag in %q", line)
		case !strings.HasPrefix(line, "|"):
			width = 0
		case width == 0:
			width = bars
		case bars != width:
			t.Errorf("%d cells beside rows of %d: %q", bars-1, width-1, line)
		}
	}
}

// TestCSVGuard checks that no cell is a formula, and that the file parses.
func TestCSVGuard(t *testing.T) {
	lines, err := csv.NewReader(strings.NewReader(written(t, build(t, reports.Options{}, reportstest.HostileExperiment()), "csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	guarded := false
	for _, line := range lines {
		for j, cell := range line {
			number := lines[0][j] == "value" || lines[0][j] == "number"
			if cell != "" && !number && strings.ContainsAny(cell[:1], "=+-@") {
				t.Errorf("%s %q would run as a formula", lines[0][j], cell)
			}
			guarded = guarded || strings.HasPrefix(cell, "'=HYPERLINK")
		}
	}
	if !guarded {
		t.Error("the hostile cell is not there: the test tests nothing")
	}
}

func TestJSON(t *testing.T) {
	var out struct {
		Cells []struct {
			Keys  map[string]string
			Value *float64
			State string
		}
		Comparisons []struct {
			System   string
			Measure  string
			P        *float64
			Holm     *float64 `json:"p_holm"`
			Untested string
		}
	}
	if err := json.Unmarshal([]byte(written(t, build(t, reports.Options{}, reportstest.Small()), "json")), &out); err != nil {
		t.Fatal(err)
	}
	missing := 0
	for _, c := range out.Cells {
		if (c.Value == nil) != (c.State == "missing") {
			t.Errorf("%v: value %v with state %s", c.Keys, c.Value, c.State)
		}
		if c.State == "missing" {
			missing++
		}
	}
	if missing != 3 || len(out.Cells) != 12 || len(out.Comparisons) != 9 {
		t.Errorf("%d missing of %d cells, %d comparisons; want 3 of 12, 9", missing, len(out.Cells), len(out.Comparisons))
	}
	for _, c := range out.Comparisons {
		if (c.Holm == nil) != (c.System == "uni(I)") || (c.Untested == "") != (c.Holm != nil) {
			t.Errorf("%s on %s: p %v, untested %q", c.System, c.Measure, c.Holm, c.Untested)
		}
	}
}

// TestProjected checks that a projection replaces the leaderboard.
func TestProjected(t *testing.T) {
	o := reports.Options{}
	o.Projection = &scores.Projection{Row: []string{"loss"}, Col: []string{"task"},
		Filters: []scores.Filter{{Key: "measure", Values: []string{"p-MRR"}}, {Key: "loss", Values: []string{"uni(P)", "multi(P,I)"}}}}
	tables := build(t, o, reportstest.Fixture(1)).Tables()
	if len(tables) != 1 || len(tables[0].Rows) != 2 || len(tables[0].Columns) != 5 {
		t.Fatalf("tables = %+v", tables)
	}
	o.Projection.Filters = []scores.Filter{{Key: "measure", Values: []string{"nothing"}}}
	if _, err := reports.Build([]*results.Experiment{reportstest.Fixture(1)}, o); err == nil {
		t.Error("an empty projection is no error")
	}
	if err := Write(&strings.Builder{}, build(t, reports.Options{}, reportstest.Small()), "htlm"); err == nil || !strings.Contains(err.Error(), `did you mean "html"?`) {
		t.Errorf("unknown format: %v", err)
	}
}
