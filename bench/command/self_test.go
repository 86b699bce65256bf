package command

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/datasets"
	"infbench/internal/usage"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// selfQrels and selfRun: q1's own document is judged relevant, q2's is tied with the relevant
// one, q3 ranks only its own document.
const (
	selfQrels = "q1 0 q1 1\nq1 0 d1 1\nq1 0 d2 2\nq2 0 d3 1\nq3 0 d1 1\n"
	selfRun   = "q1 Q0 q1 1 9 s\nq1 Q0 d1 2 8 s\nq1 Q0 d3 3 7 s\nq1 Q0 d2 4 6 s\n" +
		"q2 Q0 d3 1 5 s\nq2 Q0 q2 2 5 s\nq2 Q0 d1 3 4 s\nq3 Q0 q3 1 1 s\n"
)

// writeTexts writes files below a new folder and makes it the working folder.
func writeTexts(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestScoreDropSelf: the numbers are those of beir 2.2.0's EvaluateRetrieval.evaluate over
// pytrec_eval, with ignore_identical_ids=True and =False, rounded by it to five digits.
func TestScoreDropSelf(t *testing.T) {
	writeTexts(t, map[string]string{"qrels": selfQrels, "run": selfRun, "other": "q1 Q0 d1 1 1 s\nq2 Q0 d3 1 1 s\nq3 Q0 d1 1 1 s\n"})
	measures := []string{"nDCG@1", "nDCG@2", "nDCG@10", "AP@2", "AP@10", "R@2", "R@10", "P@1", "P@2"}
	for _, c := range []struct {
		flag, run, said string
		want            []float64 // nil: not compared
	}{
		{"--drop-self", "run", "", []float64{0.5, 0.46003, 0.54626, 0.44444, 0.51852, 0.44444, 0.55556, 0.66667, 0.33333}},
		{"--drop-self=false", "run", "infbench: run: 2 of 3 queries rank a document with their own ID", []float64{0.16667, 0.41695, 0.47565, 0.38889, 0.47222, 0.55556, 0.66667, 0.33333, 0.5}},
		{"--drop-self", "other", "infbench: other: --drop-self changes nothing", nil},
		{"--drop-self=false", "other", "", nil},
	} {
		args := []string{"--qrels", "qrels", "--run", c.run, c.flag, "--format", "csv"}
		for _, m := range measures {
			args = append(args, "--measure", m)
		}
		out, errs := scoreOut(t, exitOK, args...)
		if c.said == "" && errs != "" || !strings.Contains(errs, c.said) {
			t.Errorf("score %s of %s says %q, want %q", c.flag, c.run, errs, c.said)
		}
		for i, want := range c.want {
			if line := fmt.Sprintf("all,%s,%.5f", measures[i], want); !strings.Contains(roundedCSV(t, out), line) {
				t.Errorf("score %s: no %q in\n%s", c.flag, line, roundedCSV(t, out))
			}
		}
	}
	for _, c := range []struct{ flag, said, mean string }{
		{"--drop-self", "", "54.63"},
		{"--drop-self=false", "infbench: run: 2 of 3 queries rank a document with their own ID", "47.56"},
	} {
		var out, errs bytes.Buffer
		if code := run([]string{"compare", "other", "run", "--qrels", "qrels", c.flag}, &out, &errs); code != exitOK || !strings.Contains(out.String(), c.mean) {
			t.Errorf("compare %s: exit %d, no %s in\n%s", c.flag, code, c.mean, &out)
		}
		if c.said == "" && strings.Contains(errs.String(), "own ID") && !strings.Contains(errs.String(), "other: --drop-self changes nothing") || !strings.Contains(errs.String(), c.said) {
			t.Errorf("compare %s says %q", c.flag, &errs)
		}
	}
}

// roundedCSV rounds the values of score's CSV to five digits: all,measure,value.
func roundedCSV(t *testing.T, csv string) string {
	t.Helper()
	var out strings.Builder
	for line := range strings.Lines(csv) {
		fields := strings.Split(strings.TrimSpace(line), ",")
		var value float64
		if _, err := fmt.Sscan(fields[len(fields)-1], &value); err == nil {
			fields[len(fields)-1] = fmt.Sprintf("%.5f", value)
		}
		out.WriteString(strings.Join(fields, ",") + "\n")
	}
	return out.String()
}

// arguana is a collection in which each query is a document: BM25 finds it first.
var arguana = map[string]string{
	"corpus.jsonl": `{"_id": "a", "text": "is the earth round"}
{"_id": "b", "text": "what is the shape of the earth round or flat"}
{"_id": "c", "text": "how to bake bread"}
`,
	"queries.jsonl":  "{\"_id\": \"a\", \"text\": \"is the earth round\"}\n{\"_id\": \"b\", \"text\": \"what is the shape of the earth round or flat\"}\n",
	"qrels/test.tsv": "query-id\tcorpus-id\tscore\na\tb\t1\nb\ta\t1\n",
}

// nDCG returns the nDCG@10 of the queries of the only trial in a folder.
func nDCG(t *testing.T, dir string) (values []float64) {
	t.Helper()
	for _, r := range scoresOf(t, dir) {
		if r.Measure == "nDCG@10" {
			values = append(values, *r.Value)
		}
	}
	return values
}

const (
	foundFirst  = 1.0
	foundSecond = 0.6309297535714574 // 1/log2(3)
)

// TestDropSelf evaluates and imports collections in which queries are documents: suites whose
// evaluator drops them, their repositories, and the user's own collections with and without
// the flag. Each verifies.
func TestDropSelf(t *testing.T) {
	files := map[string]string{
		"own.run":     "a Q0 a 1 9 s\na Q0 b 2 8 s\nb Q0 b 1 9 s\nb Q0 a 2 8 s\n",
		"own.qrels":   "a 0 b 1\nb 0 a 1\n",
		"preds.json":  `{"mteb_model_meta": {"model_name": "o/m", "revision": "r"}, "default": {"test": {"a": {"a": 9.0, "b": 8.0}, "b": {"b": 9.0, "a": 8.0}}}}`,
		"pairs/empty": "",
	}
	const commit = "c22ab2a51041ffd869aaddef7af8d8215647e41a"
	for name, text := range arguana {
		files["hub/datasets--mteb--arguana/snapshots/"+commit+"/"+name], files["own/"+name], files["plain/"+name] = text, text, strings.NewReplacer(`"a"`, `"q1"`, `"b"`, `"q2"`).Replace(text)
	}
	files["hub/datasets--mteb--arguana/refs/main"] = commit
	files["plain/corpus.jsonl"] = arguana["corpus.jsonl"]
	files["plain/qrels/test.tsv"] = "query-id\tcorpus-id\tscore\nq1\tb\t1\nq2\ta\t1\n"
	writeTexts(t, files)
	t.Setenv("HF_HUB_CACHE", "hub")
	verbOutput(t, "data", "import", "own", "--name", "dropped", "--drop-self")
	const counted, idle = "2 of 2 queries", "--drop-self changes nothing"
	for _, c := range []struct {
		name, args string
		want       float64
		says       string
	}{
		{"suite", "evaluate --model bm25 --data beir-arguana", foundFirst, ""},
		{"suite, asked again", "evaluate --model bm25 --data beir-arguana --drop-self", foundFirst, idle},
		{"suite, a run", "evaluate --model own.run --data beir-arguana", foundFirst, ""},
		{"repository", "evaluate --model bm25 --data mteb/arguana", foundFirst, ""},
		{"own", "evaluate --model bm25 --data own", foundSecond, counted},
		{"own, flag", "evaluate --model bm25 --data own --drop-self", foundFirst, ""},
		{"own, a run", "evaluate --model own.run --data own --drop-self", foundFirst, ""},
		{"registered", "evaluate --model bm25 --data dropped", foundFirst, ""},
		{"no query is a document", "evaluate --model bm25 --data plain", foundSecond, ""},
		{"no query is a document, flag", "evaluate --model bm25 --data plain --drop-self", foundSecond, idle},
		{"import of a suite", "import own.run --as trec --data beir-arguana --model o/m", foundFirst, ""},
		{"import of predictions", "import preds.json --data beir-arguana --model o/m", foundFirst, ""},
		{"import of own", "import own.run --data own --model o/m", foundSecond, counted},
		{"import of own, flag", "import own.run --data own --model o/m --drop-self", foundFirst, ""},
		{"import with judgments", "import own.run --qrels own.qrels --measure nDCG@10 --model o/m", foundSecond, counted},
		{"import with judgments, flag", "import own.run --qrels own.qrels --measure nDCG@10 --model o/m --drop-self", foundFirst, ""},
	} {
		dir := filepath.Join("out", strings.ReplaceAll(c.name, " ", "-"))
		var out, errs bytes.Buffer
		if code := run(append(strings.Fields(c.args), "--out", dir), &out, &errs); code != exitOK {
			t.Errorf("%s: exit %d: %s", c.name, code, &errs)
			continue
		}
		if c.says == "" && errs.Len() > 0 || !strings.Contains(errs.String(), c.says) {
			t.Errorf("%s says %q, want %q", c.name, &errs, c.says)
		}
		for _, v := range nDCG(t, dir) {
			if v != c.want {
				t.Errorf("%s: nDCG@10 %v, want %v", c.name, v, c.want)
			}
		}
		if out := verbOutput(t, "verify", dir); !strings.Contains(out, "0 differences") || strings.Contains(out, "not checked") {
			t.Errorf("%s: %s", c.name, out)
		}
	}
}

// TestDropSelfApart: systems that ranked the queries' own documents are separate from systems
// that dropped them, and results of builds that did not drop them verify unchanged.
func TestDropSelfApart(t *testing.T) {
	files := map[string]string{}
	for name, text := range arguana {
		files["own/"+name] = text
	}
	writeTexts(t, files)
	verbOutput(t, "evaluate", "--model", "bm25", "--data", "own", "--out", "kept")
	verbOutput(t, "evaluate", "--model", "bm25", "--data", "own", "--out", "dropped", "--drop-self")
	verbOutput(t, "report", "kept", "dropped", "--format", "html", "--out", "page.html")
	for _, want := range []string{"Doubtful data: own", "2 of 2 queries", "63.1", "100.0"} {
		if out := verbOutput(t, "report", "kept", "dropped"); !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if out := verbOutput(t, "verify", "page.html", "--runs", "kept", "--runs", "dropped"); strings.Contains(out, "not checked") {
		t.Error(out)
	}
	verbFails(t, usage.ExitUsage, "output folder", "evaluate", "--model", "bm25", "--data", "own", "--out", "kept", "--drop-self")
	ids := map[string]bool{}
	for _, dir := range []string{"kept", "dropped"} {
		exp, err := runs.At(dir).Reader().Load()
		if err != nil {
			t.Fatal(err)
		}
		p := exp.Trials[0].Provenance.Benchmarks
		if p[0].DropSelf != (dir == "dropped") {
			t.Errorf("%s: %+v", dir, p[0])
		}
		ids[results.Identity(exp.Trials[0].Config, p)] = true
	}
	if len(ids) != 2 {
		t.Errorf("one identity for two numbers: %v", ids)
	}
	if w := datasets.SelfWarning(1, 2); !strings.HasPrefix(w, "1 of 2 queries rank") {
		t.Error(w)
	}
}
