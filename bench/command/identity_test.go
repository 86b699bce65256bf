package command

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"infbench/internal/usage"
	"infbench/runners/engine"
	"infbench/runners/results"
	"infbench/runners/runs"
	"infbench/runners/trial"
)

// otherBEIR has the queries of tinyBEIR and a corpus that BM25 ranks wrong.
func otherBEIR() map[string]string {
	return without(map[string]string{
		"corpus.jsonl": `{"_id":"d1","title":"","text":"a blue whale"}` + "\n" + `{"_id":"d2","title":"","text":"a red fox"}` + "\n",
	})
}

// called moves a folder into another one, under a name.
func called(t *testing.T, name, folder string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), name)
	if err := os.Rename(folder, to); err != nil {
		t.Fatal(err)
	}
	return to
}

// twoBEIR evaluates BM25 on two collections of the same name, with nDCG@10 of 1 and less.
func twoBEIR(t *testing.T) (one, two string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for i, files := range []map[string]string{tinyBEIR, otherBEIR()} {
		verbOutput(t, "evaluate", "--model", "bm25", "--data", called(t, "sci", writeFiles(t, files)), "--out", fmt.Sprint("out", i), "--measure", "nDCG@10")
	}
	return "out0", "out1"
}

func TestCollectionsOfOneName(t *testing.T) {
	one, two := twoBEIR(t)
	csv := verbOutput(t, "report", one, two, "--format", "csv")
	if got := len(regexp.MustCompile(`sci @[0-9a-f]{12},`).FindAllString(csv, -1)); got < 2 {
		t.Errorf("%d columns of sci are named apart in\n%s", got, csv)
	}
	for _, text := range []string{verbOutput(t, "report", one, two), csv} {
		if strings.Contains(text, "(2)") || strings.Contains(text, "±") {
			t.Errorf("two collections are averaged:\n%s", text)
		}
	}
	wantIn(t, verbOutput(t, "diff", one, two), "data revision: sci/test documents: ", "other data")
	if out := verbOutput(t, "diff", one, two); !strings.Contains(out, "qrels") || regexp.MustCompile(`(?m)^same: .*data revision`).MatchString(out) {
		t.Error(out)
	}
}

// networksAtOnePath makes two encoders at one path, one after the other.
func networksAtOnePath(t *testing.T) (one, two string) {
	t.Helper()
	t.Chdir(t.TempDir())
	data := called(t, "zoo", writeFiles(t, zoo))
	for _, text := range []string{"first", "second"} {
		if err := os.RemoveAll("net"); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(writeEncoder(t, fmt.Sprintf(`{"query": "%s {query} {instruction}"}`, text)), "net"); err != nil {
			t.Fatal(err)
		}
		verbOutput(t, "evaluate", "--model", "net", "--data", data, "--out", text, "--measure", "RR")
	}
	return "first", "second"
}

func TestNetworksAtOnePath(t *testing.T) {
	one, two := networksAtOnePath(t)
	csv := verbOutput(t, "report", one, two, "--format", "csv")
	labels := map[string]bool{}
	for _, label := range regexp.MustCompile(`net weights=[0-9a-f]{12}`).FindAllString(csv, -1) {
		labels[label] = true
	}
	if len(labels) != 2 {
		t.Errorf("two networks have the rows %v:\n%s", labels, csv)
	}
	out := verbOutput(t, "diff", one, two)
	wantIn(t, out, "model and training: weights: ")
	if regexp.MustCompile(`(?m)^same: .*(model and training|weights)`).MatchString(out) {
		t.Error(out)
	}
	if out := verbOutput(t, "diff", one, one); !regexp.MustCompile(`(?m)^same: data revision, qrels, instruction text.*model and training.*weights`).MatchString(out) {
		t.Error(out)
	}
}

// A value that older evaluations did not record never counts as the same.
func TestUnrecordedIsNeverTheSame(t *testing.T) {
	one, two := networksAtOnePath(t)
	forgetIdentity(t, one)
	forgetIdentity(t, two)
	out := verbOutput(t, "diff", one, one)
	for _, cause := range []string{"data revision", "qrels", "model and training", "weights"} {
		if !regexp.MustCompile(`(?m)^not recorded: .*`+cause).MatchString(out) || regexp.MustCompile(`(?m)^same: .*`+cause).MatchString(out) {
			t.Errorf("%s: \n%s", cause, out)
		}
	}
	wantIn(t, verbOutput(t, "report", one), "Data and weights not recorded: net")
	wantIn(t, verbOutput(t, "report", one, two, "--format", "csv"), "net (first),", "net (second),")
	wantIn(t, verbOutput(t, "verify", one), "not checked: values on zoo")
}

// forgetIdentity turns an evaluation into one from before data and weights were recorded.
func forgetIdentity(t *testing.T, dir string) {
	t.Helper()
	forget := func(name string, edit func(map[string]any)) {
		var object map[string]any
		if err := json.Unmarshal(mustRead(t, filepath.Join(dir, name)), &object); err != nil {
			t.Fatal(err)
		}
		edit(object)
		text, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		rewrite(t, filepath.Join(dir, name), text)
		rehash(t, dir, name)
	}
	forget(results.SettingsFile, func(config map[string]any) { delete(config, "weights") })
	forget(results.ProvenanceFile, func(p map[string]any) {
		delete(p, "inputs")
		for _, b := range p["benchmarks"].([]any) {
			delete(b.(map[string]any), "content")
			delete(b.(map[string]any), "path")
		}
	})
}

// outputFolder returns the output folder that evaluate names.
func outputFolder(t *testing.T, output string) string {
	t.Helper()
	_, dir, found := strings.Cut(output, "rankings and per-query values: ")
	if !found {
		t.Fatal(output)
	}
	return strings.TrimSpace(dir)
}

func TestDefaultFolders(t *testing.T) {
	t.Chdir(t.TempDir())
	seen := map[string]bool{}
	for i := range 2 {
		id := fmt.Sprintf("0123456789abcde%d", i)
		model := filepath.Join("runs", "demo", "trials", id, "model")
		if err := os.MkdirAll(filepath.Dir(model), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(writeEncoder(t, ""), model); err != nil {
			t.Fatal(err)
		}
		for _, files := range []map[string]string{tinyBEIR, otherBEIR()} {
			dir := outputFolder(t, verbOutput(t, "evaluate", "--model", model, "--data", called(t, "sci", writeFiles(t, files))))
			if !strings.HasPrefix(dir, filepath.Join("runs", "evaluate", id+"-sci-")) || seen[dir] {
				t.Errorf("output folder %s; seen %v", dir, seen)
			}
			seen[dir] = true
		}
	}
	if csv := verbOutput(t, append([]string{"report", "--format", "csv"}, slices.Collect(maps.Keys(seen))...)...); strings.Count(csv, "nDCG@10") < 4 {
		t.Errorf("a folder was written over:\n%s", csv)
	}
}

// Another run on the same inputs keeps the earlier measures.
func TestEarlierMeasuresStay(t *testing.T) {
	t.Chdir(t.TempDir())
	data := writeFiles(t, tinyBEIR)
	evaluate := func(args ...string) string {
		return outputFolder(t, verbOutput(t, append([]string{"evaluate", "--model", "bm25", "--data", data}, args...)...))
	}
	dir := evaluate("--measure", "RR", "--measure", "P@1")
	if again := evaluate("--measure", "R@100"); again != dir {
		t.Errorf("other measures of the same inputs are in %s, first in %s", again, dir)
	}
	want := []string{"P@1", "R@100", "RR"}
	if got := means(t, dir); len(got) != len(want) || got["RR"] != 1 || got["P@1"] != 1 {
		t.Errorf("measures %v, want %v", got, want)
	}
	if out := verbOutput(t, "verify", dir); !strings.Contains(out, "3 values scored again, 0 differences") || strings.Contains(out, "not checked") {
		t.Error(out)
	}
	named := evaluate("--measure", "RR", "--out", "named")
	evaluate("--measure", "P@1", "--out", "named")
	if got := means(t, named); len(got) != 2 {
		t.Errorf("measures %v in a folder that was named", got)
	}
}

// Output of other inputs is never overwritten.
func TestOtherInputsAreRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	data := called(t, "sci", writeFiles(t, tinyBEIR))
	evaluate := func(model, data string) []string {
		return []string{"evaluate", "--model", model, "--data", data, "--out", "out", "--measure", "RR"}
	}
	verbOutput(t, evaluate("bm25", data)...)
	before := fileText(t, filepath.Join("out", results.ScoresFile))
	verbFails(t, usage.ExitUsage, `contains another evaluation: model "bm25", now "random"`, evaluate("random", data)...)
	verbFails(t, usage.ExitUsage, "contains another evaluation: documents of sci/test", evaluate("bm25", called(t, "sci", writeFiles(t, otherBEIR())))...)
	forgetIdentity(t, "out")
	verbFails(t, usage.ExitUsage, "contains an evaluation that did not record its data", evaluate("bm25", data)...)
	if fileText(t, filepath.Join("out", results.ScoresFile)) != before {
		t.Error("the scores were touched")
	}
	verbOutput(t, "verify", "out")
}

func fileText(t *testing.T, path string) string {
	t.Helper()
	return string(mustRead(t, path))
}

// A collection that changed after its import no longer matches its name.
func TestChangedImport(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"corpus.jsonl", "queries.jsonl", "qrels/test.tsv"} {
		data := writeFiles(t, tinyBEIR)
		verbOutput(t, "data", "import", data, "--name", "mine")
		evaluate := []string{"evaluate", "--model", "bm25", "--data", "mine"}
		dir := outputFolder(t, verbOutput(t, evaluate...))
		wantIn(t, verbOutput(t, "verify", dir), "3 values scored again, 0 differences")
		path := filepath.Join(data, name)
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		changed := strings.NewReplacer("fox", "cat", "whale", "shark", "d2\t1", "d1\t1").Replace(fileText(t, path))
		rewrite(t, path, []byte(changed))
		if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
			t.Fatal(err)
		}
		verbFails(t, exitFailure, name, evaluate...)
		verbFails(t, exitFailure, "changed since data import", evaluate...)
		wantIn(t, verbOutput(t, "verify", dir), "0 values scored again", "not checked: values on mine/test", "changed")
		if err := os.RemoveAll(data); err != nil {
			t.Fatal(err)
		}
		wantIn(t, verbOutput(t, "verify", dir), "not checked: values on mine", "no such file")
	}
}

// The user's own data are scored again for a page, too.
func TestVerifyScoresOwnDataAgain(t *testing.T) {
	one, two := twoBEIR(t)
	verbOutput(t, "report", one, two, "--format", "html", "--out", "page.html")
	out := verbOutput(t, "verify", "page.html", "--runs", one, "--runs", two)
	wantIn(t, out, "2 values scored again")
	if strings.Contains(out, "not checked: values") {
		t.Error(out)
	}
}

// If the data or model named on a page is forged, the run folder reveals it.
func TestForgedIdentity(t *testing.T) {
	one, two := networksAtOnePath(t)
	verbOutput(t, "report", one, two, "--format", "html", "--out", "page.html")
	runs := []string{"verify", "page.html", "--runs", one, "--runs", two}
	wantIn(t, verbOutput(t, runs...), "0 differences")
	page := fileText(t, "page.html")
	for _, key := range []string{"documents", "queries", "judgments", "weights"} {
		sum := regexp.MustCompile(`"` + key + `":"([0-9a-f]{64})"`).FindStringSubmatch(page)
		if sum == nil {
			t.Errorf("the page lacks its %s", key)
			continue
		}
		forged := strings.Repeat("0", 64)
		rewrite(t, "page.html", []byte(strings.ReplaceAll(strings.ReplaceAll(page, sum[1], forged), sum[1][:12], forged[:12])))
		verbFails(t, exitFailure, "difference", runs...)
	}
}

// The trials of a sweep record their evaluation data, too.
func TestSweepRecordsItsData(t *testing.T) {
	t.Chdir(t.TempDir())
	verbOutput(t, "sweep", inFile(t, "quick.yaml", quickSweep), "--workers", "1")
	provenance, err := filepath.Glob(filepath.Join("runs", "quick", "trials", "*", results.ProvenanceFile))
	if err != nil || len(provenance) != 1 {
		t.Fatal(provenance, err)
	}
	if got := regexp.MustCompile(`"(documents|queries|judgments)": "[0-9a-f]{64}"`).FindAllString(fileText(t, provenance[0]), -1); len(got) < 3 {
		t.Errorf("%q in %s", got, provenance[0])
	}
	wantIn(t, verbOutput(t, "verify", filepath.Join("runs", "quick")), "0 differences")
}

// The user's own collection is pinned by the content that is read: if its judgments change
// between two cells of a sweep, the second stops and names the collection.
func TestPlanPinsCollections(t *testing.T) {
	t.Chdir(t.TempDir())
	beir := called(t, "sci", writeFiles(t, tinyBEIR))
	rewrite(t, "own.yaml", []byte("name: own\nbase: {train: {steps: 1}}\nbaselines: [bm25, random]\nevaluate: [own]\n"))
	verbOutput(t, "data", "import", beir, "--name", "own")
	verbOutput(t, "sweep", "own.yaml")
	plan, err := runs.At("runs/own").Plan()
	if err != nil {
		t.Fatal(err)
	}
	two := &plan.Trials[1]
	run := func() error {
		if err := os.RemoveAll(runs.At("runs/own").Trial(two.ID).Dir); err != nil {
			t.Fatal(err)
		}
		return trial.Run(t.Context(), runs.At("runs/own"), two, trial.Usual(&two.Cell, func(engine.Progress) {}))
	}
	judgments := filepath.Join(beir, "qrels", "test.tsv")
	was := fileText(t, judgments)
	rewrite(t, judgments, []byte(strings.Replace(was, "d2\t1", "d1\t1", 1)))
	verbOutput(t, "data", "import", beir, "--name", "own")
	if err := run(); err == nil || !strings.Contains(err.Error(), "own is at revision sha256:") {
		t.Errorf("a cell of other judgments: %v", err)
	}
	rewrite(t, judgments, []byte(was))
	rewrite(t, filepath.Join(beir, "note.txt"), []byte("mine")) // irrelevant
	verbOutput(t, "data", "import", beir, "--name", "own")
	if err := run(); err != nil {
		t.Error(err)
	}
}
