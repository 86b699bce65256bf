package command

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/datasets/format"
	"infbench/internal/testkit"
	"infbench/internal/usage"
	"infbench/metrics/trec"
	"infbench/runners/results"
)

// means averages the per-query values of an evaluation by measure.
func means(t *testing.T, dir string) map[string]float64 {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, results.ScoresFile))
	if err != nil {
		t.Fatal(err)
	}
	sums, counts := map[string]float64{}, map[string]float64{}
	for line := range strings.Lines(string(data)) {
		var r results.Result
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		if r.Value != nil {
			sums[r.Measure] += *r.Value
			counts[r.Measure]++
		}
	}
	for m := range sums {
		sums[m] /= counts[m]
	}
	return sums
}

// SciFact: Anserini's published values for BM25 (.6789, .9253); Vaswani: Lucene 8.7's MAP to
// depth 1,000 (.2857).
func TestEvaluateBM25OnRealCollections(t *testing.T) {
	for _, c := range []struct {
		data, measure string
		want          float64
	}{
		{"data/scifact/beir", "nDCG@10", 0.6789},
		{"data/scifact/beir", "R@100", 0.9253},
		{"data/vaswani/beir", "AP", 0.2857},
	} {
		t.Run(c.data+" "+c.measure, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			verbOutput(t, "evaluate", "--model", "bm25", "--data", testkit.SharedPath(t, c.data), "--out", out, "--measure", c.measure)
			if got := means(t, out)[c.measure]; math.Abs(got-c.want) > 0.0005 {
				t.Errorf("%s = %.4f, want %.4f", c.measure, got, c.want)
			}
			runs, err := filepath.Glob(filepath.Join(out, results.RunsDir, "*.trec.gz"))
			if err != nil || len(runs) != 1 {
				t.Fatalf("run files %v, %v; want one", runs, err)
			}
			if _, _, err := format.OpenRun(runs[0], trec.Options{}); err != nil {
				t.Errorf("the run file does not read back: %v", err)
			}
		})
	}
}

// tinyBEIR is the smallest complete collection.
var tinyBEIR = map[string]string{
	"corpus.jsonl":   `{"_id":"d1","title":"","text":"a red fox"}` + "\n" + `{"_id":"d2","title":"","text":"a blue whale"}` + "\n",
	"queries.jsonl":  `{"_id":"q1","text":"whale"}` + "\n",
	"qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td2\t1\n",
}

func TestEvaluateTinyCollection(t *testing.T) {
	dir := writeFiles(t, tinyBEIR)
	out := filepath.Join(t.TempDir(), "out")
	verbOutput(t, "evaluate", "--model", "bm25", "--data", dir, "--out", out, "--measure", "RR")
	if got := means(t, out)["RR"]; got != 1 {
		t.Errorf("RR = %v, want 1: only d2 holds the word", got)
	}
	// Its own run file as a model gives the same numbers.
	run, err := filepath.Glob(filepath.Join(out, results.RunsDir, "*"))
	if err != nil || len(run) != 1 {
		t.Fatal(run, err)
	}
	again := filepath.Join(t.TempDir(), "again")
	verbOutput(t, "evaluate", "--model", run[0], "--data", dir, "--out", again, "--measure", "RR")
	if got := means(t, again)["RR"]; got != 1 {
		t.Errorf("RR of the saved run = %v, want 1", got)
	}
}

// without returns tinyBEIR with some files replaced.
func without(changes map[string]string) map[string]string {
	files := map[string]string{}
	for name, content := range tinyBEIR {
		files[name] = content
	}
	for name, content := range changes {
		if content == "" {
			delete(files, name)
			continue
		}
		files[name] = content
	}
	return files
}

// Bad input gives one clear error, the right exit code, and no output folder.
func TestEvaluateBadInput(t *testing.T) {
	good := writeFiles(t, tinyBEIR)
	file := inFile(t, "plain.txt", "x")
	for _, c := range []struct {
		name string
		code int
		want string
		args []string
	}{
		{"no flags", usage.ExitUsage, "needs --model and --data", nil},
		{"unknown model", usage.ExitUsage, `unknown model "bm52"; did you mean "bm25"?`, []string{"--model", "bm52", "--data", good}},
		{"unknown benchmark", usage.ExitUsage, `unknown benchmark "mini-folowir"; did you mean "mini-followir"?`, []string{"--model", "bm25", "--data", "mini-folowir"}},
		{"unknown measure", usage.ExitUsage, `unknown measure "ndgc"; did you mean "nDCG"?`, []string{"--model", "bm25", "--data", good, "--measure", "ndgc@10"}},
		{"missing folder", exitFailure, "no such file", []string{"--model", "bm25", "--data", filepath.Join(good, "nowhere")}},
		{"missing model folder", exitFailure, "no such file", []string{"--model", filepath.Join(good, "nowhere"), "--data", good}},
		{"folder without a model", exitFailure, "model.safetensors", []string{"--model", good, "--data", good}},
		{"empty qrels", exitFailure, "test.tsv", []string{"--model", "bm25", "--data", writeFiles(t, without(map[string]string{"qrels/test.tsv": "query-id\tcorpus-id\tscore\n"}))}},
		{"malformed JSON line", exitFailure, "corpus.jsonl:2", []string{"--model", "bm25", "--data", writeFiles(t, without(map[string]string{"corpus.jsonl": `{"_id":"d1","text":"x"}` + "\n{\"_id\":\n"}))}},
		{"missing queries", exitFailure, "queries.jsonl", []string{"--model", "bm25", "--data", writeFiles(t, without(map[string]string{"queries.jsonl": ""}))}},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			verbFails(t, c.code, c.want, append([]string{"evaluate", "--out", out}, c.args...)...)
			if _, err := os.Stat(filepath.Join(out, results.DoneFile)); err == nil {
				t.Error("a failed evaluation left a complete folder")
			}
		})
	}
	t.Run("unwritable output", func(t *testing.T) {
		verbFails(t, exitFailure, "not a directory", "evaluate", "--model", "bm25", "--data", good, "--out", filepath.Join(file, "out"))
	})
	t.Run("output folder of something else", func(t *testing.T) {
		dir := writeFiles(t, map[string]string{"thesis.tex": "x"})
		verbFails(t, usage.ExitUsage, "thesis.tex, which is not a file of an evaluation", "evaluate", "--model", "bm25", "--data", good, "--out", dir)
		if _, err := os.Stat(filepath.Join(dir, "thesis.tex")); err != nil {
			t.Error("a stranger's file was removed")
		}
	})
}
