package published

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/internal/testkit"
)

// suiteTable writes a table.
func suiteTable(t *testing.T, rows ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "suites.csv")
	text := strings.Join(append([]string{"suite,task,system,measure,value,source"}, rows...), "\n") + "\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// One row of each kind of number.
func TestReadSuites(t *testing.T) {
	c, err := ReadSuites(suiteTable(t,
		`R2MED (mteb),R2MEDPMCClinicalRetrieval,org/model@ab12,ndcg_at_10,13.341,"embeddings-benchmark/results@f4cc6c8, mteb 1.38.20"`,
		`R2MED,PMC-Clinical,GritLM-7B,nDCG@10,37.08,R2MED/R2MED@62b7074 (authors' table)`,
		`BRIGHT-Pro,earth_science,BM25,alpha-nDCG@25,41.5,"draft paper, other data version than the release: Table 2"`,
		`BRIGHT-Pro (mteb),mean of tasks,mteb/baseline-bm25s@0_3_0,ndcg_at_10,23.5,computed here from the rows above`,
		`BRIGHT-Pro agentic adaptive,all,BM25,AER (0-5),3.1,x`,
		`FollowIR v2 (mteb),Core17InstructionRetrieval,org/model,og/map_at_1000,20,"results, mteb 2.1.0"`,
		`BrowseComp-Plus,gold,BM25,recall@5,1.4,arXiv 2508.06600 Table 2`,
		`BrowseComp-Plus (mteb),BrowseCompPlusRetrieval/gold_only,org/model,ndcg_at_10,6.662,"results, mteb 2.7.26 (older dataset revision)"`,
		`CRUMB,average of 8 tasks,best system,R@100,58.7,arXiv 2509.07253 abstract`,
		`IFIR (mteb),IFIRAila,GritLM/GritLM-7B,level_1,10,"results, mteb 1.38.21; DO NOT USE: the files are byte-equal"`,
	))
	if err != nil {
		t.Fatal(err)
	}
	type short struct {
		model, config, task, side, measure string
		value, tolerance                   float64
		note                               string
	}
	want := map[string]short{
		"13.341": {"org/model", "", "R2MEDPMCClinicalRetrieval", "", "nDCG@10", .13341, .000005, ""},
		"37.08":  {"GritLM-7B", "authors", "R2MEDPMCClinicalRetrieval", "", "nDCG@10", .3708, .00005, ""},
		"41.5":   {"BM25", "authors", "BrightProEarthScienceRetrieval", "", "aspect_nDCG@25", .415, .0005, "not a check: of another version"},
		"23.5":   {"mteb/baseline-bm25s", "", "BRIGHT-Pro", "", "nDCG@10", .235, .0005, "not a check: mteb's BM25"},
		"3.1":    {"BM25", "authors", "BRIGHT-Pro agentic adaptive all", "", "AER (0-5)", 3.1, .05, ""},
		"20":     {"org/model", "", "Core17InstructionRetrieval", "original", "AP@1000", .2, .005, ""},
		"1.4":    {"BM25", "authors", "BrowseComp-Plus gold", "", "R@5", .014, .0005, ""},
		"6.662":  {"org/model", "", "BrowseComp-Plus gold", "", "nDCG@10", .06662, .000005, "not a check: of an older revision"},
		"58.7":   {"best system", "authors", "CRUMB", "", "R@100", .587, .0005, ""},
		"10":     {"GritLM/GritLM-7B", "", "IFIRAila", "", "level_1", .1, .005, "not a check: the files are byte-equal"},
	}
	if len(c.Cells) != len(want) {
		t.Fatalf("%d cells, want %d", len(c.Cells), len(want))
	}
	for _, cell := range c.Cells {
		w := want[cell.Raw]
		note := strings.Join(cell.Footnotes, "; ")
		got := short{cell.Model, cell.Config, cell.Task, cell.Side, cell.Measure, w.value, w.tolerance, w.note}
		if got != w || math.Abs(cell.Value-w.value) > 1e-12 || math.Abs(cell.Tolerance-w.tolerance) > 1e-12 || !strings.HasPrefix(note, w.note) || w.note == "" && note != "" {
			t.Errorf("%s: %+v, want %+v", cell.Raw, cell, w)
		}
	}
}

func TestReadSuitesErrors(t *testing.T) {
	for row, want := range map[string]string{
		"R2MED,Biology,m,nDCG@10,high,s": `suites.csv:2: value "high" is not a number`,
		"R2MED,Biology,m,nDCG@10,NaN,s":  "is not a number",
		"R2MED,Biology,m,nDCG@10,120,s":  "suites.csv:2: value 120 of nDCG@10, over 100: nDCG@10 is 1.2, outside its range [0,1]",
		"R2MED,Biology":                  "wrong number of fields",
		"":                               "no numbers in this table",
	} {
		if _, err := ReadSuites(suiteTable(t, row)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", row, err, want)
		}
	}
	path := filepath.Join(t.TempDir(), "other.csv")
	if err := os.WriteFile(path, []byte("a,b\n1,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadSuites(path); err == nil || !strings.Contains(err.Error(), "other.csv:1: want a table with the columns suite,task") {
		t.Errorf("another table: %v", err)
	}
}

// Doubts about a table are reported: a duplicate number, and an unknown suite.
func TestSuiteDoubts(t *testing.T) {
	file := suiteTable(t, "R2MED,Biology,A,nDCG@10,20,s", "R2MED,Biology,A ,nDCG@10,30,s", "R2MED,Biology,A,nDCG@10,40,t", "R2MED (mteb),Biology,A,ndcg_at_10,20,s",
		"R2MED (mteb),Biology,A,nDCG@10,20,s", "R3MED,Biology,A,ndcg_at_20,20,s", "R2MED,Biology,A,nDCG@10,41,mteb 2.18.1", "R2MED,Biology,A,nDCG@10,20.04,another source")
	c, err := ReadSuites(file)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`:4: nDCG@10 of A on Biology is 40 here and 20 on line 2, by another source`, `:6: nDCG@10 of A on Biology is 20 here and 20 on line 5: the first counts`,
		`: unknown suite "R3MED"; did you mean "R2MED"?`,
	}
	doubts := strings.Join(c.Doubts, "\n")
	for _, text := range want {
		if !strings.Contains(doubts, text) {
			t.Errorf("doubts %s, want %s", doubts, text)
		}
	}
	if len(c.Doubts) != len(want) || len(c.Cells) != 7 {
		t.Errorf("%d doubts, %d cells: %s", len(c.Doubts), len(c.Cells), doubts)
	}
}

// The published table: every number counts, the doubtful ones are marked, and tasks of this
// program's suites are found by their names.
func TestPublishedSuites(t *testing.T) {
	c, err := ReadSuites(testkit.SharedPath(t, "published", "suites_published.csv"))
	if err != nil {
		t.Fatal(err)
	}
	notChecks, found := 0, map[string]int{}
	for i := range c.Cells {
		cell := &c.Cells[i]
		if len(cell.Footnotes) > 0 && strings.HasPrefix(cell.Footnotes[0], "not a check") {
			notChecks++
		}
		if benchmark, task, ok := (Name{Task: cell.Task}).Ours(); ok {
			found[benchmark]++
			if names := Names(benchmark, task); len(names) == 0 || !names[0].Covers(cell) {
				t.Errorf("%s is %s/%s, which has other names: %v", cell.Task, benchmark, task, names)
			}
		}
	}
	if len(c.Doubts) != 3 { // the documentation of BrowseComp-Plus has other recalls of Qwen3-Embedding-0.6B than its Table 2
		t.Errorf("doubts %q", c.Doubts)
	}
	if len(c.Cells) != 1103 || notChecks < 300 {
		t.Errorf("%d numbers, %d of them no checks", len(c.Cells), notChecks)
	}
	for benchmark, least := range map[string]int{"r2med": 184, "bright-pro": 500, "followir": 40, "browsecomp-plus": 56} {
		if found[benchmark] < least {
			t.Errorf("%s: %d numbers, want %d at least", benchmark, found[benchmark], least)
		}
	}
}
