package command

import (
	"slices"
	"strings"
	"testing"

	"infbench/internal/usage"
)

// TestPagesAsRuns gives report, query and claims a page in place of its run folder.
func TestPagesAsRuns(t *testing.T) {
	run := baselinesRun(t)
	verbOutput(t, "report", run, "--format", "html", "--out", "page.html")
	claim := inFile(t, "claims.yaml", "paper: {title: T}\nsweep: b.yaml\nclaims:\n  - {id: better, says: BM25 follows instructions better, where: table 1, test: better, measure: p-MRR, on: mini-followir, system: {model: bm25}, against: {model: random}}\n")

	t.Run("the numbers are those of the folder", func(t *testing.T) {
		for _, args := range [][]string{
			{"report", "RUN", "--format", "csv"},
			{"report", "RUN", "--row", "system", "--col", "task,side,measure", "--format", "latex"},
			{"report", "RUN", "--picture", "leaderboard"},
			{"report", "RUN:bm25", "--row", "system", "--col", "measure", "--filter", "side=changed", "--filter", "task=negation", "--format", "markdown"},
			{"claims", claim, "RUN", "--format", "json"},
			{"claims", claim, "RUN", "--format", "markdown"},
			{"query", "RUN", "--task", "headline", "--systems", "bm25,random", "--format", "csv"},
			{"query", "RUN", "--search", "only", "--systems", "random,bm25", "--sort", "A", "--format", "csv"},
		} {
			with := func(run string) string {
				return verbOutput(t, strings.Split(strings.ReplaceAll(strings.Join(args, "\x00"), "RUN", run), "\x00")...)
			}
			of, on := with(run), with("page.html")
			lines := slices.DeleteFunc(strings.Split(of, "\n"), func(line string) bool { // machines
				return strings.HasPrefix(line, ",,,,,,,,,,,,5 trials,") || strings.HasPrefix(line, ",,,,,,,,,,,,Libraries,")
			})
			for i, line := range slices.DeleteFunc(strings.Split(on, "\n"), func(line string) bool { return strings.Contains(line, "Made from an HTML report") }) {
				if i >= len(lines) || line != lines[i] {
					t.Errorf("%v: line %d is %q, of the folder %q", args, i+1, line, lines[min(i, len(lines)-1)])
					break
				}
			}
		}
	})
	t.Run("a page and a folder together", func(t *testing.T) {
		verbOutput(t, "report", run, "page.html", "--format", "csv")
	})
	t.Run("one query", func(t *testing.T) {
		of, on := oneQuery(t, run, "headline-002", "--systems", "bm25,random"), oneQuery(t, "page.html", "headline-002", "--systems", "bm25,random")
		if on.Text == "" || on.Instructions["changed"] == "" || len(on.Values) != len(of.Values) || len(on.Lacking) != 1 || !strings.Contains(on.Lacking[0], "the run folder of b has the rest") {
			t.Fatalf("%+v", on)
		}
		ranks := map[string][]map[string]int{}
		for _, d := range of.Documents {
			ranks[d.ID] = d.Ranks
		}
		for _, d := range on.Documents {
			if !d.Moved || d.Text == "" {
				t.Errorf("%+v", d)
			}
			for i, by := range ranks[d.ID] {
				for side, at := range by {
					if d.Ranks[i][side] != at {
						t.Errorf("%s: rank %d under the %s instruction, in the folder %d", d.ID, d.Ranks[i][side], side, at)
					}
				}
			}
		}
		if len(on.Documents) == 0 {
			t.Error("no document")
		}
		wantIn(t, verbOutput(t, "query", "page.html", "--task", "headline"), "to see one query: infbench query page.html ")
		wantIn(t, verbOutput(t, "query", "page.html", "headline-002"), "note: missing: full rankings")
	})
	t.Run("a page of a page is verified", func(t *testing.T) {
		verbOutput(t, "report", "page.html", "--format", "html", "--out", "again.html")
		wantIn(t, verbOutput(t, "verify", "again.html"), " 0 differences")
		again := string(mustRead(t, "again.html"))
		wantIn(t, again, "Made from an HTML report, which carries no times", `id="query-browser"`, `id="queries-movers-table"`)
		for _, absent := range []string{`id="trials"`, `id="machines"`, `id="board-1-costs"`} {
			if strings.Contains(again, absent) {
				t.Errorf("the page of a page has %s", absent)
			}
		}
		wantIn(t, verbOutput(t, "report", "page.html"), "the run folder of b has them")
	})
	t.Run("what a page lacks is named", func(t *testing.T) {
		verbOutput(t, "report", "--published", "paper", "--format", "html", "--out", "printed.html")
		for want, args := range map[string][]string{
			"page.html: training: nothing to draw: a page carries no times":           {"report", "page.html", "--picture", "training"},
			"page.html carries no ties of rankings":                                   {"report", "page.html", "--published", "paper"},
			`did you mean "bm25"?`:                                                    {"report", "page.html:bm52"},
			"shows numbers of others":                                                 {"report", "printed.html"},
			"printed.html carries no measured values":                                 {"query", "printed.html"},
			"printed.html carries no measured values: it shows numbers of others, wh": {"claims", claim, "printed.html"},
			"page.html is read by the same command":                                   {"report", "page.html", "--format", "html", "--out", "page.html"},
		} {
			verbFails(t, usage.ExitUsage, want, args...)
		}
	})
}
