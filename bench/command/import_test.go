package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/internal/testkit"
	"infbench/internal/usage"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// importedRun imports into a new folder and returns it.
func importedRun(t *testing.T, args ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "imported")
	verbOutput(t, append([]string{"import", "--out", dir}, args...)...)
	return dir
}

// scoresOf reads the values of the only trial of a run folder that import made.
func scoresOf(t *testing.T, dir string) []results.Result {
	t.Helper()
	exp, err := runs.At(dir).Reader().Load()
	if err != nil || len(exp.Trials) != 1 {
		t.Fatalf("%v, want one trial of %s", err, dir)
	}
	return exp.Trials[0].Results
}

// A ranking that evaluate saved and import reads has the same values bit for bit, on the same
// board, which is that of synthetic data.
func TestImportIsEvaluate(t *testing.T) {
	ours := runOn(t, "random")
	saved := filepath.Join(ours, "runs", "mini-bright.nature.trec.gz")
	theirs := importedRun(t, saved, "--data", "mini-bright", "--task", "nature", "--model", "team/old")
	want, err := runs.At(ours).Reader().Load()
	if err != nil {
		t.Fatal(err)
	}
	a, _ := json.Marshal(want.Trials[0].Results)
	b, _ := json.Marshal(scoresOf(t, theirs))
	if string(a) != string(b) {
		t.Errorf("imported\n%.300s\nevaluated\n%.300s", b, a)
	}
	out := verbOutput(t, "report", ours, theirs)
	for _, want := range []string{"Leaderboard, synthetic benchmarks", "Imported, not run by this program: team/old (trec)."} {
		if strings.Count(out, want) != 1 {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if out := verbOutput(t, "verify", theirs); !strings.Contains(out, "40 values scored again, 0 differences") || strings.Contains(out, "not checked") {
		t.Error(out)
	}
	verbFails(t, usage.ExitUsage, "contains imported results", "status", theirs)
	page := filepath.Join(t.TempDir(), "page.html")
	verbOutput(t, "report", theirs, "--format", "html", "--out", page)
	verbOutput(t, "verify", page, "--runs", theirs)
	plain := filepath.Join(t.TempDir(), "plain")
	verbOutput(t, "export", "--format", "trec", "--out", plain, theirs)
	gate := filepath.Join(t.TempDir(), "gate.yaml")
	rewrite(t, gate, []byte("rules: [{measure: nDCG@10, maximum_drop: 0}]"))
	again := importedRun(t, saved, "--data", "mini-bright", "--task", "nature", "--model", "team/old")
	verbOutput(t, "gate", "--baseline", theirs, "--rule", gate, again)
	one, err := os.ReadFile(filepath.Join(theirs, runs.ImportFile))
	if err != nil {
		t.Fatal(err)
	}
	if other, err := os.ReadFile(filepath.Join(again, runs.ImportFile)); err != nil || string(one) != string(other) {
		t.Errorf("imported twice it is not the same: %v", err)
	}
}

// Runs scored by trec_eval and imported with their judgments, in TREC's format and in ranx's,
// have its values to the printed digits.
func TestImportRuns(t *testing.T) {
	folder := testkit.SharedPath(t, "data/golden-runs")
	runs, err := filepath.Glob(filepath.Join(folder, "run.*.txt.gz"))
	if err != nil || len(runs) == 0 {
		t.Fatalf("%v: no run in %s", err, folder)
	}
	for _, run := range runs {
		name := strings.TrimPrefix(filepath.Base(run), "run.")
		collection, _, _ := strings.Cut(name, ".")
		golden := filepath.Join(folder, "trec_eval."+name)
		if _, err := os.Stat(golden); err != nil {
			continue // no output of trec_eval
		}
		qrels := filepath.Join(folder, "qrels."+collection+".trec")
		measures := []string{"--measure", "AP", "--measure", "nDCG@10"}
		dir := importedRun(t, append([]string{run, "--qrels", qrels}, measures...)...)
		values := importedRun(t, golden, "--qrels", qrels)
		if out := verbOutput(t, "verify", dir); !strings.Contains(out, " 0 differences") || strings.Contains(out, "not checked") {
			t.Error(out)
		}
		want := map[results.Result]float64{}
		for _, r := range scoresOf(t, values) {
			value := *r.Value
			r.Value = nil
			want[r] = value
		}
		compared := 0
		for _, r := range scoresOf(t, dir) {
			value := *r.Value
			r.Value = nil
			if printed, ok := want[r]; ok {
				compared++
				if d := value - printed; d > .00005000001 || d < -.00005000001 {
					t.Errorf("%s: %s of query %s is %v, trec_eval prints %v", name, r.Measure, r.Query, value, printed)
				}
			}
		}
		t.Logf("%s: %d values compared", name, compared)
		if compared < 100 {
			t.Errorf("%s: only %d values compared", name, compared)
		}
	}
}

// MTEB's files become a board of means with their numbers.
func TestImportMTEB(t *testing.T) {
	archive := testkit.SharedPath(t, "data/mteb-results/followir-200models.tar.gz")
	dir := importedRun(t, archive)
	out := verbOutput(t, "report", dir, "--published", archive)
	if !strings.Contains(out, " 0 differ, 0 not compared.") || !strings.Contains(out, "pairs of a measured and a published number: ") {
		t.Errorf("%.600s", out)
	}
	if out := verbOutput(t, "verify", dir); !strings.Contains(out, "200 trials, 0 values scored again, 0 differences") || !strings.Contains(out, "means that were imported") {
		t.Error(out)
	}
	var object struct {
		Trials []struct{ Scores []struct{ Aggregate bool } }
	}
	if err := json.Unmarshal([]byte(verbOutput(t, "export", "--format", "json", dir)), &object); err != nil || !object.Trials[0].Scores[0].Aggregate {
		t.Errorf("the export does not mark means: %v", err)
	}
	verbFails(t, exitFailure, "no rankings are saved", "export", "--format", "trec", "--out", filepath.Join(t.TempDir(), "x"), dir)
}

func TestImportMistakes(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		rewrite(t, path, []byte(text))
		return path
	}
	run, qrels := write("a.json", `{"q1":{"d":1}}`), write("q.json", `{"q1":{"d":1},"q2":{"d":1}}`)
	values, other := write("v.tsv", "q1\tAP\t0.5\n"), write("w.tsv", "q9\tAP\t0.5\n")
	tests := []struct {
		code int
		want string
		args []string
	}{
		{usage.ExitUsage, "needs a FILE", nil},
		{usage.ExitUsage, `did you mean "ranx"?`, []string{run, "--as", "rnax"}},
		{usage.ExitUsage, "give it with --data", []string{values}},
		{usage.ExitUsage, "unknown benchmark", []string{run, "--data", "nosuch"}},
		{usage.ExitUsage, "did you mean", []string{run, "--qrels", qrels, "--measure", "nDCQ@10"}},
		{exitFailure, `query "q9" is not in q/default`, []string{other, "--qrels", qrels}},
		{exitFailure, "both give AP of team/x", []string{values, write("v2.tsv", "q1\tAP\t0.5\n"), "--qrels", qrels, "--model", "team/x"}},
		{exitFailure, "none of its queries is in", []string{write("b.json", `{"zz":{"d":1}}`), "--qrels", qrels}},
		{usage.ExitUsage, "which is not a file of an import", []string{run, "--qrels", qrels, "--out", dir}},
		{exitFailure, "no such file", []string{filepath.Join(dir, "absent")}},
	}
	for _, tt := range tests {
		out := filepath.Join(dir, "out")
		verbFails(t, tt.code, tt.want, append([]string{"import", "--out", out}, tt.args...)...)
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%q leaves a folder", tt.args)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("left half done: %q", left)
	}
}
