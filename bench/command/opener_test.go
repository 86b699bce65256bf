package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"infbench/datasets"
	"infbench/datasets/format"
	"infbench/internal/testkit"
	"infbench/internal/usage"
	"infbench/metrics/trec"
	"infbench/runners"
	"infbench/runners/catalog"
	"infbench/runners/device"
	"infbench/runners/results"
	"infbench/training/encoder"
	"infbench/training/tokenizer"
)

// vocabulary is the vocabulary of the tests' models.
const vocabulary = "a red fox blue whale green heron bear crime wide narrow because one two three four find doc of other"

// wordTokenizer knows the tests' words.
func wordTokenizer(t *testing.T) *tokenizer.Tokenizer {
	t.Helper()
	tok, err := tokenizer.BuildWordPiece(slices.Values([]string{vocabulary}), 200)
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

// writeEncoder saves a tiny random bi-encoder, with an infbench.json if given.
func writeEncoder(t *testing.T, own string) string {
	t.Helper()
	backend, err := device.OpenBackend(device.GoDevice)
	if err != nil {
		t.Fatal(err)
	}
	enc, err := encoder.New(encoder.TinyBERT(), wordTokenizer(t), 1, backend)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "tiny")
	if err := enc.Save(dir); err != nil {
		t.Fatal(err)
	}
	if own != "" {
		if err := os.WriteFile(filepath.Join(dir, "infbench.json"), []byte(own), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// goldenTokens is a length that a golden model with absolute positions can read.
func goldenTokens(t *testing.T, name string) int {
	t.Helper()
	path := filepath.Join(testkit.Shared(), "goldens", name, "config.json")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Skipf("SKIP: shared data absent at %s", path)
	}
	var config struct {
		Positions int `json:"max_position_embeddings"`
		Pad       int `json:"pad_token_id"`
	}
	if err := json.Unmarshal(data, &config); err != nil {
		t.Fatal(err)
	}
	if config.Pad == 1 { // RoBERTa and similar models count from 2
		config.Positions -= 2
	}
	if config.Positions < 1 {
		return 48
	}
	return min(48, config.Positions)
}

// goldenModel copies one of the shared models, current or older, and adds a tokenizer and
// files.
func goldenModel(t *testing.T, name string, files map[string]string) string {
	t.Helper()
	source := filepath.Join(testkit.Shared(), "goldens-today", name)
	if _, err := os.Stat(source); err != nil {
		source = filepath.Join(testkit.Shared(), "goldens", name)
	}
	if _, err := os.Stat(source); err != nil {
		t.Skipf("SKIP: shared data absent at %s", source)
	}
	dir := filepath.Join(t.TempDir(), name)
	if err := os.CopyFS(dir, os.DirFS(source)); err != nil {
		t.Fatal(err)
	}
	all := map[string]string{"tokenizer.json": string(wordTokenizer(t).JSON())}
	for file, content := range files {
		all[file] = content
	}
	for file, content := range all {
		path := filepath.Join(dir, filepath.FromSlash(file))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// evaluated runs evaluate and returns the ranking of each query by task.
func evaluated(t *testing.T, args ...string) map[string]trec.Run {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	verbOutput(t, append([]string{"evaluate", "--out", out}, args...)...)
	return savedRuns(t, out)
}

// savedRuns reads the run files of an evaluation by task.
func savedRuns(t *testing.T, out string) map[string]trec.Run {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(out, results.RunsDir, "*.trec.gz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("run files %v, %v", files, err)
	}
	runs := map[string]trec.Run{}
	for _, file := range files {
		run, _, err := format.OpenRun(file, trec.Options{})
		if err != nil {
			t.Fatal(err)
		}
		_, task, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".trec.gz"), ".")
		runs[task] = run
	}
	return runs
}

// ranked lists the documents of a ranking.
func ranked(r trec.Ranking) string {
	var docs []string
	for _, s := range r {
		docs = append(docs, s.Doc)
	}
	return strings.Join(docs, " ")
}

// zoo is a collection in which the query shares a word with two documents.
var zoo = map[string]string{
	"corpus.jsonl": `{"_id":"d1","title":"","text":"a red fox"}` + "\n" + `{"_id":"d2","title":"","text":"a blue whale"}` + "\n" +
		`{"_id":"d3","title":"whale","text":"green"}` + "\n" + `{"_id":"d4","title":"","text":"heron"}` + "\n",
	"queries.jsonl":  `{"_id":"q1","text":"whale"}` + "\n",
	"qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td2\t1\n",
}

func TestListShowsModels(t *testing.T) {
	listed := strings.Fields(verbOutput(t, "list", "models"))
	for _, name := range append(runners.BM25Variants(), "document-order") {
		if !slices.Contains(listed, name) {
			t.Errorf("list models lacks %s: %q", name, listed)
		}
	}
	for _, name := range listed { // every listed name works
		evaluated(t, "--model", name, "--data", writeFiles(t, zoo))
	}
}

// A cross-encoder orders the documents of the first stage by its own scores.
func TestEvaluateCrossEncoder(t *testing.T) {
	dir, data := goldenModel(t, "cross_bert_1label", nil), writeFiles(t, zoo)
	run := evaluated(t, "--model", dir, "--first", "bm25", "--depth", "2", "--data", data)["test"]["q1"]
	backend, err := device.OpenBackend(device.GoDevice)
	if err != nil {
		t.Fatal(err)
	}
	model, err := encoder.OpenCrossEncoder(dir, backend)
	if err != nil {
		t.Fatal(err)
	}
	want := make([]float32, 2)
	err = model.Score(context.Background(), []string{"whale", "whale"}, []string{"", ""}, []string{"", "whale"}, []string{"a blue whale", "green"}, want)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, s := range run {
		got[s.Doc] = s.Score
	}
	if len(got) != 2 || got["d2"] != float64(want[0]) || got["d3"] != float64(want[1]) {
		t.Errorf("reranked %v, want d2 %g and d3 %g", run, want[0], want[1])
	}
	verbFails(t, usage.ExitUsage, "scores pairs, but task", "evaluate", "--model", dir, "--data", data, "--out", t.TempDir())
	verbFails(t, usage.ExitUsage, "name a model that finds documents", "evaluate", "--model", dir, "--first", dir, "--data", data)
	verbFails(t, usage.ExitUsage, `unknown model "bm52"`, "evaluate", "--model", dir, "--first", "bm52", "--data", data)
}

// A language model with a judge section scores pairs; without one it is an encoder and is
// refused for scoring pairs.
func TestEvaluateJudge(t *testing.T) {
	judge := `{"judge":{"prompt":"{document} {query}","yes":"one","no":"two"}}`
	for name, own := range map[string]string{"judge": judge, "encoder": `{"max_query_tokens":16,"max_document_tokens":16}`} {
		dir := goldenModel(t, "mistral_causal", map[string]string{"infbench.json": own})
		var opener catalog.Opener
		opener.ModelOptions = catalog.ModelOptions{Model: dir, Depth: 1, Options: device.Options{Device: device.GoDevice}}
		r, err := opener.Open()
		if err != nil {
			t.Fatal(err)
		}
		if _, reranks := r.(*runners.Rerank); reranks != (name == "judge") || opener.Candidates != reranks {
			t.Errorf("%s: opened as %T", name, r)
		}
		if name == "encoder" {
			verbFails(t, usage.ExitUsage, "language models with a judge section in infbench.json (prompt with {query} and {document}, yes, no)",
				"evaluate", "--model", dir, "--first", "bm25", "--data", writeFiles(t, zoo), "--out", filepath.Join(t.TempDir(), "out"))
		}
	}
}

// Without a first stage, exactly each query's candidates are scored.
func TestCandidatesOnly(t *testing.T) {
	opener := catalog.Opener{ModelOptions: catalog.ModelOptions{Model: goldenModel(t, "cross_bert_2labels", nil), Depth: 1, Options: device.Options{Device: device.GoDevice}}}
	r, err := opener.Open()
	if err != nil {
		t.Fatal(err)
	}
	task := datasets.Task{
		Name:       "zoo",
		Corpus:     datasets.MemoryCorpus{{ID: "d1", Text: "a red fox"}, {ID: "d2", Text: "a blue whale"}, {ID: "d3", Text: "heron"}},
		Queries:    []datasets.Query{{ID: "q", Text: "whale", Instruction: "find two"}},
		Candidates: map[string][]string{"q": {"d1", "d3"}},
	}
	if err := opener.CheckTasks(&datasets.Benchmark{Tasks: []datasets.Task{task}}); err != nil {
		t.Error(err)
	}
	run, err := r.Retrieve(t.Context(), &task, 10)
	if err != nil {
		t.Fatal(err)
	}
	if docs := strings.Fields(ranked(run["q"])); len(docs) != 2 || slices.Contains(docs, "d2") {
		t.Errorf("ranked %q, want d1 and d3", docs)
	}
}

// By hand: bm25 finds d3 (shorter) before d2, document-order ranks d1 d2 d3 d4, so d2 and d3
// score 1/62 + 1/62 and 1/61 + 1/63, d1 1/61, d4 1/64.
func TestEvaluateFuses(t *testing.T) {
	run := evaluated(t, "--model", "bm25", "--fuse", "document-order", "--data", writeFiles(t, zoo))["test"]["q1"]
	if got, want := ranked(run), "d3 d2 d1 d4"; got != want {
		t.Errorf("ranked %q, want %q", got, want)
	}
	if want := 1.0/61 + 1.0/63; run[0].Score-want > 1e-6 || want-run[0].Score > 1e-6 {
		t.Errorf("d3 scores %v, want %v", run[0].Score, want)
	}
}

func TestEvaluateModelErrors(t *testing.T) {
	data := writeFiles(t, zoo)
	broken := writeFiles(t, map[string]string{"config.json": "{"})
	for _, c := range []struct {
		code int
		want string
		args []string
	}{
		{usage.ExitUsage, `unknown model "untrained"`, []string{"--model", "untrained"}},
		{usage.ExitUsage, `did you mean "bm25-okapi-candidates"?`, []string{"--model", "bm25-okapi-candidate"}},
		{usage.ExitUsage, "bm25 finds documents by itself", []string{"--model", "bm25", "--first", "bm25"}},
		{usage.ExitUsage, "--depth 0: want at least 1", []string{"--model", "bm25", "--depth", "0"}},
		{usage.ExitUsage, `--fuse: unknown model "bm52"`, []string{"--model", "bm25", "--fuse", "bm52"}},
		{usage.ExitUsage, `unknown similarity "dod"; did you mean "dot"?`, []string{"--model", "bm25", "--similarity", "dod"}},
		{exitFailure, "config.json: unexpected end of JSON input", []string{"--model", broken}},
	} {
		verbFails(t, c.code, c.want, append([]string{"evaluate", "--data", data, "--out", filepath.Join(t.TempDir(), "out")}, c.args...)...)
	}
}

// Every setting that changes the numbers is among those that reports show.
func TestEvaluateSettings(t *testing.T) {
	dir, out := writeEncoder(t, ""), filepath.Join(t.TempDir(), "out")
	verbOutput(t, "evaluate", "--model", dir, "--fuse", "bm25-mair", "--similarity", "dot", "--data", writeFiles(t, zoo), "--out", out)
	data, err := os.ReadFile(filepath.Join(out, results.SettingsFile))
	if err != nil {
		t.Fatal(err)
	}
	var settings map[string]string
	if err := json.Unmarshal(data, &settings); err != nil {
		t.Fatal(err)
	}
	if sum := settings["weights"]; len(sum) != 64 {
		t.Errorf("weights %q, want a SHA-256", sum)
	}
	delete(settings, "weights")
	want := fmt.Sprint(map[string]string{"model": dir, "fuse": "bm25-mair", "similarity": "dot", "seed": "1", "world": "1"})
	if got := fmt.Sprint(settings); got != want {
		t.Errorf("settings %s, want %s", got, want)
	}
}

// A folder's own similarity applies unless a flag overrides it; if it has none, one must be
// given.
func TestFolderSimilarity(t *testing.T) {
	dir, data := writeEncoder(t, ""), writeFiles(t, zoo)
	file := filepath.Join(dir, "config_sentence_transformers.json")
	settings := func(name string, args ...string) string {
		t.Helper()
		if err := os.WriteFile(file, []byte(`{"similarity_fn_name": `+name+`}`), 0o644); err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(t.TempDir(), "out")
		verbOutput(t, append([]string{"evaluate", "--model", dir, "--data", data, "--out", out}, args...)...)
		text, err := os.ReadFile(filepath.Join(out, results.SettingsFile))
		if err != nil {
			t.Fatal(err)
		}
		return regexp.MustCompile(` *"weights": .*\n`).ReplaceAllString(string(text), "") // hashes the file written here
	}
	dot, cosine := settings(`"cosine"`, "--similarity", "dot"), settings("null")
	if dot == cosine || !strings.Contains(dot, `"dot"`) {
		t.Errorf("settings %s and %s", dot, cosine)
	}
	if got := settings(`"dot"`); got != cosine {
		t.Errorf("a folder with a Normalize module whose inner products are cosines: settings %s, want %s", got, cosine)
	}
	modules, err := os.ReadFile(filepath.Join(withoutNormalize(t, dir), "modules.json"))
	if err = errors.Join(err, os.WriteFile(filepath.Join(dir, "modules.json"), modules, 0o644)); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{`"dot"`: dot, `"cosine"`: cosine} {
		if got := settings(name); got != want {
			t.Errorf("a folder with %s: settings %s, want %s", name, got, want)
		}
	}
	if got := settings(`"euclidean"`, "--similarity", "cosine"); got != cosine {
		t.Errorf("the flag over the folder: settings %s, want %s", got, cosine)
	}
	verbFails(t, usage.ExitUsage, `unknown similarity "euclidean" (known: cosine, dot); choose one by --similarity`,
		"evaluate", "--model", dir, "--data", data, "--out", filepath.Join(t.TempDir(), "out"))
}
