package command

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"infbench/internal/usage"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// queryList is the output of query --format json for several queries.
type queryList struct {
	A, B    string
	Of      int
	Queries []struct {
		Query, ID, Measure, Text, Instruction, Changed string
		A, B, Difference                               *float64
	}
}

func listQueries(t *testing.T, args ...string) (l queryList) {
	t.Helper()
	if err := json.Unmarshal([]byte(verbOutput(t, append([]string{"query"}, append(args, "--format", "json")...)...)), &l); err != nil {
		t.Fatal(err)
	}
	return l
}

// queryOne is the output of query --format json for one query.
type queryOne struct {
	Query, Text  string
	Instructions map[string]string
	Systems      []struct{ Label, Trial string }
	Values       []struct {
		Measure, Side    string
		A, B, Difference *float64
	}
	Documents []struct {
		ID, Title, Text string
		Moved           bool
		Judged          map[string]int
		Ranks           []map[string]int
	}
	Lacking []string
}

func oneQuery(t *testing.T, args ...string) (q queryOne) {
	t.Helper()
	if err := json.Unmarshal([]byte(verbOutput(t, append([]string{"query"}, append(args, "--format", "json")...)...)), &q); err != nil {
		t.Fatal(err)
	}
	return q
}

// baselinesRun is a sweep of baselines on a benchmark with pairs of instructions.
func baselinesRun(t *testing.T) string {
	t.Helper()
	t.Chdir(t.TempDir())
	writeFile(t, "b.yaml", "name: b\nbase: {train: {steps: 1}}\nbaselines: [bm25, random]\nmatrix: {seed: [1, 2]}\nevaluate: [{mini-followir: [headline, negation]}]\n")
	verbOutput(t, "sweep", "b.yaml")
	return "runs/b"
}

// valuesByQuery returns the values of a trial by query, for one measure on one task.
func valuesByQuery(t *testing.T, run, model, task, measure, side string) map[string]float64 {
	t.Helper()
	exp, err := runs.At(run).Reader().Load()
	if err != nil {
		t.Fatal(err)
	}
	sum, n := map[string]float64{}, 0.0
	for _, trial := range exp.Trials {
		if trial.Config[results.Model] != model {
			continue
		}
		n++
		for _, r := range trial.Results {
			if r.Task == task && r.Measure == measure && string(r.Side) == side && r.Value != nil {
				sum[r.Query] += *r.Value
			}
		}
	}
	for q := range sum {
		sum[q] /= n
	}
	return sum
}

// TestQuery lists and shows queries of a sweep and checks every number against the files.
func TestQuery(t *testing.T) {
	run := baselinesRun(t)
	bm25, random := valuesByQuery(t, run, "bm25", "headline", "p-MRR", ""), valuesByQuery(t, run, "random", "headline", "p-MRR", "")
	t.Run("a list is sorted by the difference", func(t *testing.T) {
		l := listQueries(t, run, "--task", "headline", "--systems", "bm25,random")
		if l.A != "bm25" || l.B != "random" || len(l.Queries) != len(bm25) {
			t.Fatalf("%s against %s, %d queries of %d", l.A, l.B, len(l.Queries), len(bm25))
		}
		last := math.Inf(-1)
		for _, q := range l.Queries {
			if *q.A != bm25[q.ID] || *q.B != random[q.ID] || *q.Difference != *q.A-*q.B || *q.Difference < last || q.Measure != "p-MRR" {
				t.Errorf("%+v, want %v and %v", q, bm25[q.ID], random[q.ID])
			}
			last = *q.Difference
			if q.Text == "" || q.Instruction == "" || q.Changed == "" {
				t.Errorf("%s has no texts", q.ID)
			}
		}
		back := listQueries(t, run, "--task", "mini-followir/headline", "--systems", "random", "--systems", "bm25", "--limit", "1")
		if *back.Queries[0].Difference != -last || back.Of != len(bm25) {
			t.Errorf("the other way round the first is %v, want %v", *back.Queries[0].Difference, -last)
		}
		if again := listQueries(t, run, "--task", "headline", "--systems", "bm25,random", "--reverse"); *again.Queries[0].Difference != last {
			t.Errorf("reversed the first is %v, want %v", *again.Queries[0].Difference, last)
		}
	})
	t.Run("the query that it names is shown of the same systems", func(t *testing.T) {
		out := verbOutput(t, "query", run, "--task", "headline", "--systems", "random,bm25", "--limit", "1")
		_, hint, found := strings.Cut(out, "to see one query: infbench ")
		if !found || !strings.HasSuffix(hint, "headline/"+listQueries(t, run, "--task", "headline", "--systems", "random,bm25").Queries[0].ID+" --systems random,bm25\n") {
			t.Fatalf("no hint:\n%s", out)
		}
		wantIn(t, verbOutput(t, strings.Fields(hint)...), "A: random", "B: bm25")
	})
	t.Run("the other orders", func(t *testing.T) {
		for order, values := range map[string]map[string]float64{"A": bm25, "B": random} {
			l := listQueries(t, run, "--task", "headline", "--systems", "bm25,random", "--sort", order)
			if !slices.IsSortedFunc(l.Queries, func(a, b struct {
				Query, ID, Measure, Text, Instruction, Changed string
				A, B, Difference                               *float64
			}) int {
				if values[a.ID] < values[b.ID] {
					return -1
				}
				return 1
			}) && values[l.Queries[0].ID] > values[l.Queries[len(l.Queries)-1].ID] {
				t.Errorf("by %s the first is %v, the last %v", order, values[l.Queries[0].ID], values[l.Queries[len(l.Queries)-1].ID])
			}
		}
		l := listQueries(t, run, "--task", "headline", "--sort", "id")
		if l.Queries[0].ID != "headline-001" {
			t.Errorf("by id the first is %s", l.Queries[0].ID)
		}
	})
	t.Run("a search", func(t *testing.T) {
		want := strings.Fields(listQueries(t, run, "--task", "headline", "--sort", "id").Queries[0].Text)[2]
		l := listQueries(t, run, "--search", strings.ToUpper(want)+" headline")
		if len(l.Queries) == 0 || len(l.Queries) == len(bm25) {
			t.Errorf("%d queries have %q", len(l.Queries), want)
		}
		for _, q := range l.Queries {
			if text := strings.ToLower(q.Query + q.Text + q.Instruction + q.Changed); !strings.Contains(text, strings.ToLower(want)) || !strings.Contains(text, "headline") {
				t.Errorf("%s was found for %q: %s", q.Query, want, text)
			}
		}
		verbFails(t, usage.ExitFailure, `all words of "zyzzyva"`, "query", run, "--search", "zyzzyva")
	})
	t.Run("another measure and its side", func(t *testing.T) {
		want := valuesByQuery(t, run, "bm25", "negation", "AP@1000", "changed")
		for _, q := range listQueries(t, run, "--task", "negation", "--measure", "AP@1000 changed", "--systems", "bm25").Queries {
			if *q.A != want[q.ID] {
				t.Errorf("%s: %v, want %v", q.ID, *q.A, want[q.ID])
			}
		}
	})
	t.Run("csv has values from 0 to 1, a terminal ×100", func(t *testing.T) {
		rows, err := csv.NewReader(strings.NewReader(verbOutput(t, "query", run, "--task", "headline", "--measure", "AP@1000", "--systems", "bm25,random", "--format", "csv"))).ReadAll()
		if err != nil || len(rows) != len(bm25)+1 || rows[0][6] != "a" || strings.HasPrefix(rows[1][6], "-") || len(rows[1][6]) < 4 || rows[1][6][:2] != "0." {
			t.Errorf("%v, %v", rows[:2], err)
		}
		if out := verbOutput(t, "query", run, "--task", "headline", "--limit", "3"); !strings.Contains(out, "×100") || !strings.Contains(out, "3 of 80 queries") {
			t.Error(out)
		}
	})
	t.Run("one query", func(t *testing.T) { showsQuery(t, run) })
	t.Run("names", func(t *testing.T) { namesInQuery(t, run) })
	t.Run("one seed of several", func(t *testing.T) {
		l := listQueries(t, run, "--task", "headline", "--systems", "random seed=1,random seed=2")
		if l.A != "random seed=1" || l.B != "random seed=2" {
			t.Errorf("%s against %s", l.A, l.B)
		}
	})
}

// showsQuery checks the output for one query against the rankings.
func showsQuery(t *testing.T, run string) {
	q := oneQuery(t, run, "headline-002", "--systems", "bm25,random")
	if q.Query != "mini-followir/headline/headline-002" || q.Instructions["original"] == "" || q.Instructions["changed"] == "" || len(q.Lacking) > 0 || len(q.Values) != 5 {
		t.Fatalf("%+v", q)
	}
	moved, judged, tops := 0, 0, 0
	for i, s := range q.Systems {
		ranked, err := runs.At(run).Trial(s.Trial).Reader().Run("mini-followir", "headline")
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range q.Documents {
			for side, query := range map[string]string{"original": "headline-002-og", "changed": "headline-002-changed"} {
				at := 0
				for place, scored := range ranked[query] {
					if scored.Doc == d.ID {
						at = place + 1
					}
				}
				if d.Ranks[i][side] != at {
					t.Errorf("%s: rank of %s under the %s instruction is %d, in the file %d", s.Label, d.ID, side, d.Ranks[i][side], at)
				}
				if at == 1 {
					tops++
				}
			}
			if d.Text == "" {
				t.Errorf("%s has no text", d.ID)
			}
			if i == 0 && d.Moved {
				moved++
				if d.Judged["original"] == d.Judged["changed"] {
					t.Errorf("%s is marked as moved: %v", d.ID, d.Judged)
				}
			}
			if i == 0 && len(d.Judged) > 0 {
				judged++
			}
		}
	}
	if moved == 0 || judged <= moved || tops != 4 {
		t.Errorf("%d moved, %d judged documents, %d at a top", moved, judged, tops)
	}
	out := verbOutput(t, "query", run, "headline/headline-002", "--systems", "bm25,random")
	for _, want := range []string{"original instruction: ", "changed instruction: ", "judged", "one of 2 runs", "--full", q.Documents[0].ID + ": "} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if whole := verbOutput(t, "query", run, "headline-002", "--full"); len(whole) <= len(out) || strings.Contains(whole, "with --full") {
		t.Errorf("--full shows no more:\n%s", whole)
	}
}

// namesInQuery checks that unknown names are refused with the known and near ones.
func namesInQuery(t *testing.T, run string) {
	for want, args := range map[string][]string{
		`did you mean "bm25"? (known:`:                  {run, "--systems", "bm52"},
		`no system "nope"`:                              {run, "--systems", "bm25,nope"},
		`did you mean "headline"?`:                      {run, "--task", "headlin"},
		`did you mean "AP@1000 original"`:               {run, "--measure", "AP@1000 origina"},
		`did you mean "headline-001"? (known:`:          {run, "headline-0001"},
		"did you mean \"id\"":                           {run, "--sort", "idd"},
		`did you mean "json"`:                           {run, "--format", "jsonn"},
		"--limit -1: want 0 or more":                    {run, "--limit", "-1"},
		"want two":                                      {run, "--systems", "a", "--systems", "b", "--systems", "c"},
		"one query is shown as table or json":           {run, "headline-001", "--format", "csv"},
		`query "" `:                                     {run, ""},
		`system "s" is ambiguous`:                       nil,
		"accepts between 1 and 2 arg(s), received 3; s": {run, "a", "b"},
	} {
		if args != nil {
			verbFails(t, usage.ExitUsage, want, append([]string{"query"}, args...)...)
		}
	}
	verbFails(t, usage.ExitFailure, `did you mean "runs/b"? (known: runs/b)`, "query", "runs/c")
	writeFile(t, "page.html", "<html>")
	verbFails(t, usage.ExitFailure, "page.html: read report: it carries no data", "query", "page.html")
}

// TestQueryOfOthers shows an evaluation and an import, with the data and after they are gone.
func TestQueryOfOthers(t *testing.T) {
	t.Chdir(t.TempDir())
	tinyData(t, ".")
	verbOutput(t, "evaluate", "--model", "bm25", "--data", "data", "--out", "runs/evaluation")
	saved, err := filepath.Glob("runs/evaluation/runs/*.trec.gz")
	if err != nil || len(saved) != 1 {
		t.Fatal(saved, err)
	}
	verbOutput(t, "import", saved[0], "--data", "data", "--model", "team/old", "--out", "runs/imported")
	writeFile(t, "qrels.txt", "q1 0 d2 1\nq1 0 d1 0\n")
	verbOutput(t, "import", saved[0], "--qrels", "qrels.txt", "--model", "team/older", "--out", "runs/judged")
	for _, run := range []string{"runs/evaluation", "runs/imported", "runs/judged"} {
		q := oneQuery(t, run, "q1")
		if len(q.Documents) == 0 || q.Documents[0].Ranks[0][""] != 1 || q.Documents[0].Judged == nil {
			t.Errorf("%s: %+v", run, q)
		}
		if at := strings.HasSuffix(run, "judged"); at != (q.Documents[0].Text == "") || at != (len(q.Lacking) > 0) {
			t.Errorf("%s: %+v", run, q)
		}
		if l := listQueries(t, run); len(l.Queries) == 0 || l.B != "" {
			t.Errorf("%s: %+v", run, l)
		}
	}
	if out := verbOutput(t, "diff", "runs/imported:team/old", "runs/judged:team/older"); !strings.Contains(out, "before: runs/imported:team/old") {
		t.Error(out)
	}
	verbFails(t, usage.ExitUsage, `did you mean "team/old"? (known: `, "diff", "runs/imported:team/odl", "runs/judged")
	if err := os.Rename("data", "elsewhere"); err != nil {
		t.Fatal(err)
	}
	q := oneQuery(t, "runs/evaluation", "q1")
	if len(q.Documents) == 0 || q.Documents[0].Ranks[0][""] != 1 || len(q.Lacking) != 1 || !strings.Contains(q.Lacking[0], "not available") {
		t.Errorf("without the data: %+v", q)
	}
	if out := verbOutput(t, "query", "runs/evaluation", "q1"); !strings.Contains(out, "note: missing: texts and judgments of data") {
		t.Error(out)
	}
	tinyData(t, ".")
	writeFile(t, "data/corpus.jsonl", `{"_id": "d1", "text": "something else"}`+"\n"+`{"_id": "d2", "text": "other"}`+"\n")
	if q := oneQuery(t, "runs/evaluation", "q1"); len(q.Lacking) == 0 || slices.ContainsFunc(q.Documents, func(d struct {
		ID, Title, Text string
		Moved           bool
		Judged          map[string]int
		Ranks           []map[string]int
	}) bool {
		return d.Text != ""
	}) {
		t.Errorf("of other data: %+v", q)
	}
}

// A pipe or a broken file in place of a file that query reads is refused by name.
func TestQueryRefusesBrokenFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	tinyData(t, ".")
	verbOutput(t, "evaluate", "--model", "bm25", "--data", "data", "--out", "runs/b")
	kept := t.TempDir()
	if err := os.CopyFS(kept, os.DirFS(".")); err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, pattern := range []string{"runs/b/queries/*.gz", "runs/b/runs/*.gz", "runs/b/done.json", "runs/b/scores.jsonl", "runs/b/provenance.json"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) != 1 {
			t.Fatal(pattern, found, err)
		}
		files = append(files, found...)
	}
	for _, path := range files {
		for kind, put := range map[string]func() error{
			"pipe":    func() error { return syscall.Mkfifo(path, 0o644) },
			"garbage": func() error { return os.WriteFile(path, []byte("garbage"), 0o644) },
			"folder":  func() error { return os.Mkdir(path, 0o755) },
		} {
			if err := os.RemoveAll(path); err != nil {
				t.Fatal(err)
			}
			if err := put(); err != nil {
				t.Fatal(err)
			}
			code, said := endsSoon(t, path+" is "+kind, "query", "runs/b", "q1")
			if code == 0 || !strings.Contains(said, filepath.Base(path)) {
				t.Errorf("%s is %s: exit %d, %s", path, kind, code, said)
			}
			if err := os.RemoveAll("runs"); err != nil {
				t.Fatal(err)
			}
			if err := os.CopyFS("runs", os.DirFS(filepath.Join(kept, "runs"))); err != nil {
				t.Fatal(err)
			}
		}
	}
}
