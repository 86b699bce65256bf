package command

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"infbench/datasets"
	"infbench/runners/results"
)

// mairAverages writes five tasks of MAIR, of three domains, with one to seven splits of one
// to nine queries each, whose IDs repeat from split to split. It returns the published domain
// of each task.
func mairAverages(t *testing.T, r *rand.Rand) map[string]string {
	t.Helper()
	source, err := datasets.FindSource("mair")
	if err != nil {
		t.Fatal(err)
	}
	domains := map[string]string{"SciFact": "Academic", "CQADupStack": "Web", "IFEval": "Web", "DD_2015": "Web", "FiQA": "Finance"}
	queries, docs := map[string][]row{}, map[string][]row{}
	for task := range domains {
		splits := 1 + r.IntN(7)
		for i := range splits {
			at := task + "/"
			if splits > 1 {
				at += fmt.Sprintf("part__%d_", i)
			}
			for j := range 1 + r.IntN(9) {
				queries[at+"queries"] = append(queries[at+"queries"], row{"qid": fmt.Sprint("q", j), "instruction": "find", "query": fmt.Sprint("word", r.IntN(6)),
					"labels": []row{{"id": fmt.Sprint("d", r.IntN(6)), "score": 1 + r.IntN(2)}, {"id": fmt.Sprint("d", 6+r.IntN(3)), "score": 1}}})
			}
			for j := range 12 {
				docs[at+"docs"] = append(docs[at+"docs"], row{"id": fmt.Sprint("d", j), "doc": fmt.Sprintf("word%d word%d", j%6, r.IntN(6))})
			}
		}
	}
	writeSnapshots(t, source.Repos[0], queries)
	writeSnapshots(t, source.Repos[1], docs)
	return domains
}

// averagesByHand computes MAIR's averages from the values in an evaluation's folder.
func averagesByHand(t *testing.T, out string, domains map[string]string) map[string]float64 {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(out, results.ScoresFile))
	if err != nil {
		t.Fatal(err)
	}
	sum, n := map[string]float64{}, map[string]float64{}
	all, queries := 0.0, 0.0
	for line := range strings.Lines(string(data)) {
		var r results.Result
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		task, _, _ := strings.Cut(r.Task, "/")
		sum[task], n[task], all, queries = sum[task]+*r.Value, n[task]+1, all+*r.Value, queries+1
	}
	of, count, mean := map[string]float64{}, map[string]int{}, 0.0
	for task, total := range sum {
		mean += total / n[task] / float64(len(sum))
		of[domains[task]] += total / n[task]
		count[domains[task]]++
	}
	want := map[string]float64{fmt.Sprintf("mean of %d tasks", len(sum)): mean, "mean by queries": all / queries}
	for domain, total := range of {
		name := fmt.Sprintf("%s, %d tasks", domain, count[domain])
		if count[domain] == 1 {
			name = domain + ", 1 task"
		}
		want[name] = total / float64(count[domain])
	}
	return want
}

// MAIR's averages through the command: the output of evaluate, of report in every format, of
// a view and of a projection is compared with sums written out here.
func TestMAIRAverages(t *testing.T) {
	for seed := range uint64(3) {
		t.Chdir(t.TempDir())
		t.Setenv("HF_HUB_CACHE", "hub")
		domains := mairAverages(t, rand.New(rand.NewPCG(seed, 5)))
		data := []string{"evaluate", "--data", "mair"}
		for task := range domains {
			data = append(data, "--task", task)
		}
		printed := verbOutput(t, append(data, "--model", "bm25", "--out", "a")...)
		verbOutput(t, append(data, "--model", "random", "--out", "b")...)
		want := averagesByHand(t, "a", domains)
		page := verbOutput(t, "report", "a", "b", "--format", "html")
		if err := os.WriteFile("page.html", []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
		if said := verbOutput(t, "verify", "page.html", "--runs", "a", "--runs", "b"); !strings.Contains(said, " 0 differ") {
			t.Errorf("seed %d: verify says %s", seed, said)
		}
		latex := verbOutput(t, "report", "a", "b", "--format", "latex")
		values := projected(t, verbOutput(t, "report", "a", "--row", "system", "--col", "number", "--format", "csv"))
		view := verbOutput(t, "report", "a", "b", "--view", "baselines", "--format", "csv")
		if len(values) != len(want) {
			t.Errorf("seed %d: %d numbers, want %d: %v", seed, len(values), len(want), values)
		}
		for name, v := range want {
			if got, ok := values[name]; !ok || math.Abs(got-v) > 1e-12 {
				t.Errorf("seed %d: %s is %v (%v), want %v", seed, name, got, ok, v)
			}
			shown := "mair (" + name + ")"
			if !strings.Contains(strings.Join(strings.Fields(printed), " "), fmt.Sprintf("%s nDCG@10 %.2f", shown, 100*v)) {
				t.Errorf("seed %d: evaluate prints no %s of %.2f:\n%s", seed, shown, 100*v, printed)
			}
			for what, text := range map[string]string{"page": page, "latex": latex, "view": view} {
				if !strings.Contains(text, name) {
					t.Errorf("seed %d: the %s lacks %s", seed, what, name)
				}
			}
		}
	}
}

// projected reads the values of a projection by its column.
func projected(t *testing.T, text string) map[string]float64 {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]float64{}
	for _, row := range rows[1:] {
		if v, err := strconv.ParseFloat(row[2], 64); err == nil && row[1] != "" {
			out[row[1]] = v
		}
	}
	return out
}

// FollowIR's score and mean p-MRR through the command. By hand: constant ranks d3, d2, d1, so
// AP is (1/2 + 2/3)/2 on two tasks, and nDCG@5 (1/log2(3) + 1/2)/(1 + 1/log2(3)) on the
// third.
func TestFollowIRScore(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("HF_HUB_CACHE", "hub")
	writeFollowIRMini(t)
	printed := verbOutput(t, "evaluate", "--model", "constant", "--data", "followir", "--out", "a")
	want := (2*(1.0/2+2.0/3)/2 + (1/math.Log2(3)+.5)/(1+1/math.Log2(3))) / 3
	wantIn(t, strings.Join(strings.Fields(printed), " "), fmt.Sprintf("followir (mean of 3 tasks) original FollowIR score %.2f 3", 100*want), "followir (mean of 3 tasks) p-MRR 0.00 3")
	rows, err := csv.NewReader(strings.NewReader(verbOutput(t, "report", "a", "--row", "system", "--col", "number,side,measure", "--format", "csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, row := range rows {
		v, err := strconv.ParseFloat(row[4], 64)
		if row[1] == "mean of 3 tasks" && row[3] == "FollowIR score" {
			found = err == nil && math.Abs(v-want) < 1e-12
		}
	}
	if !found {
		t.Errorf("the projection lacks FollowIR's score of %v: %v", want, rows)
	}
	verbOutput(t, "evaluate", "--model", "bm25", "--data", "followir", "--out", "b")
	for _, args := range [][]string{{"--format", "html"}, {"--format", "latex"}, {"--format", "json"}, {"--view", "baselines"}} {
		if text := verbOutput(t, append([]string{"report", "a", "b"}, args...)...); !strings.Contains(text, "FollowIR score") {
			t.Errorf("%v shows no FollowIR score", args)
		}
	}
	verbOutput(t, "export", "a", "--format", "json", "--out", "exported")
	if text, err := os.ReadFile("exported/results.json"); err != nil || !strings.Contains(string(text), `"measure": "FollowIR score"`) {
		t.Errorf("the export has no FollowIR score: %v", err)
	}
}
