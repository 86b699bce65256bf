package command

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"infbench/datasets"
	"infbench/internal/usage"
	"infbench/metrics/trec"
	"infbench/runners/device"
	"infbench/runners/results"
	"infbench/training/encoder"
)

// row is one line of a data file.
type row map[string]any

// writeSnapshots puts files, JSON Lines by path, into an empty hub cache as the repository of
// a benchmark.
func writeSnapshots(t *testing.T, repo datasets.Repo, files map[string][]row) {
	t.Helper()
	base := filepath.Join(os.Getenv("HF_HUB_CACHE"), "datasets--"+strings.ReplaceAll(repo.ID, "/", "--"))
	commit := repo.Revision
	if commit == "" {
		commit = strings.Repeat("0", 40)
		writeFile(t, filepath.Join(base, "refs", "main"), commit)
	}
	for path, rows := range files {
		var text strings.Builder
		for _, r := range rows {
			line, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			text.Write(append(line, '\n'))
		}
		writeFile(t, filepath.Join(base, "snapshots", commit, filepath.FromSlash(path)+"-00000-of-00001.jsonl"), text.String())
	}
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// protocolModel is a golden encoder whose vectors differ in length, with its own query
// template. It returns the folder and the vector of a text.
func protocolModel(t *testing.T) (dir string, vector func(text string) []float32) {
	t.Helper()
	dir = goldenModel(t, "bert", map[string]string{
		"modules.json": `[{"idx":0,"name":"0","path":"","type":"sentence_transformers.models.Transformer"},` +
			`{"idx":1,"name":"1","path":"1_Pooling","type":"sentence_transformers.models.Pooling"}]`,
		"1_Pooling/config.json": `{"pooling_mode_mean_tokens": true}`,
		"infbench.json":         fmt.Sprintf(`{"query":"find {instruction} because {query}","max_query_tokens":%[1]d,"max_document_tokens":%[1]d}`, goldenTokens(t, "bert")),
	})
	backend, err := device.OpenBackend(device.GoDevice)
	if err != nil {
		t.Fatal(err)
	}
	enc, err := encoder.Open(dir, backend)
	if err != nil {
		t.Fatal(err)
	}
	return dir, func(text string) []float32 {
		v := make([]float32, enc.Dim())
		if err := enc.EncodeDocuments(t.Context(), []string{""}, []string{text}, v); err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// similarityOf compares two vectors in float64.
func similarityOf(kind string, a, b []float32) float64 {
	ab, aa, bb := 0.0, 0.0, 0.0
	for i := range a {
		ab += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	if kind == "dot" {
		return ab
	}
	return ab / math.Sqrt(aa*bb)
}

// checkRanking compares a ranking with the vectors of the joined query and of exactly the
// documents it must have, by ID.
func checkRanking(t *testing.T, name string, got trec.Ranking, kind, query string, docs map[string]string, vector func(string) []float32) {
	t.Helper()
	if len(got) != len(docs) {
		t.Errorf("%s ranks %v, want %d documents", name, got, len(docs))
	}
	if !slices.IsSortedFunc(got, func(a, b trec.Scored) int { return int(math.Copysign(1, b.Score-a.Score)) }) {
		t.Errorf("%s is not sorted: %v", name, got)
	}
	q := vector(query)
	for _, s := range got {
		text, ok := docs[s.Doc]
		if !ok {
			t.Errorf("%s ranks %s, which it may not", name, s.Doc)
			continue
		}
		if want := similarityOf(kind, q, vector(text)); math.Abs(s.Score-want) > 1e-4*max(1, math.Abs(want)) {
			t.Errorf("%s, %s: %s scores %v, want %v", name, kind, s.Doc, s.Score, want)
		}
	}
}

// writeFollowIRMini writes the three repositories of FollowIR in mteb 2's layout.
func writeFollowIRMini(t *testing.T) {
	t.Helper()
	source, err := datasets.FindSource("followir")
	if err != nil {
		t.Fatal(err)
	}
	judged := func(query, doc string, score int) row {
		return row{"query-id": query, "corpus-id": doc, "score": score}
	}
	for _, repo := range source.Repos {
		writeSnapshots(t, repo, map[string][]row{
			"corpus/corpus": {{"_id": "d1", "title": "red", "text": "one fox"}, {"_id": "d2", "title": "", "text": "two blue whale"},
				{"_id": "d3", "title": "", "text": "three green heron"}, {"_id": "d4", "title": "", "text": "four bear"}},
			"queries/queries":         {{"_id": "301-og", "text": "crime"}, {"_id": "301-changed", "text": "crime"}},
			"instruction/instruction": {{"query-id": "301-og", "instruction": "wide"}, {"query-id": "301-changed", "instruction": "narrow"}},
			"data/test": {judged("301-og", "d1", 1), judged("301-og", "d2", 1), judged("301-og", "d3", 0),
				judged("301-changed", "d1", 1), judged("301-changed", "d2", 0), judged("301-changed", "d3", 0)},
			"top_ranked/top_ranked": {{"query-id": "301-og", "corpus-ids": []string{"d3", "d1", "d2"}}, {"query-id": "301-changed", "corpus-ids": []string{"d3", "d1", "d2"}}},
			"qrel_diff/qrel_diff":   {{"query-id": "301", "corpus-ids": []string{"d2"}}},
		})
	}
}

// FollowIR: exactly each query's candidates, with either similarity, and the two conventions
// of scoring as distinct names.
func TestFollowIREndToEnd(t *testing.T) {
	t.Setenv("HF_HUB_CACHE", t.TempDir())
	writeFollowIRMini(t)
	dir, vector := protocolModel(t)
	docs := map[string]string{"d1": "red one fox", "d2": "two blue whale", "d3": "three green heron"}
	for _, kind := range []string{"cosine", "dot"} {
		runs := evaluated(t, "--model", dir, "--data", "followir", "--similarity", kind)
		if len(runs) != 3 {
			t.Fatalf("%d tasks", len(runs))
		}
		for task, run := range runs {
			checkRanking(t, task+" 301-og", run["301-og"], kind, "find wide because crime", docs, vector)
			checkRanking(t, task+" 301-changed", run["301-changed"], kind, "find narrow because crime", docs, vector)
		}
	}
	// By hand: constant ranks d3, d2, d1, so the AP of the original query is (1/2 + 2/3)/2 by
	// its own judgments (d1, d2) and 1/3 by the changed ones (d1).
	for name, want := range map[string]float64{"followir": (1.0/2 + 2.0/3) / 2, "followir-mteb1": 1.0 / 3} {
		out := filepath.Join(t.TempDir(), "out")
		output := verbOutput(t, "evaluate", "--model", "constant", "--data", name, "--task", "robust04", "--out", out)
		got := means(t, out)
		if math.Abs(got["AP@1000"]-want) > 1e-9 || got["p-MRR"] != 0 {
			t.Errorf("%s: %v, want AP@1000 %v and p-MRR 0", name, got, want)
		}
		swapped := name == "followir-mteb1"
		p := readProvenance(t, out)
		if len(p.Benchmarks) != 1 || p.Benchmarks[0].Name != name || strings.Contains(p.Benchmarks[0].Tasks["robust04"], "changed judgments") != swapped {
			t.Errorf("%s: provenance names %+v", name, p.Benchmarks)
		}
		if !strings.Contains(output, name+"/robust04") || strings.Contains(output, "with the CHANGED judgments") != swapped {
			t.Errorf("%s: printed %s", name, output)
		}
	}
}

func readProvenance(t *testing.T, out string) (p results.Provenance) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(out, results.ProvenanceFile))
	if err == nil {
		err = json.Unmarshal(data, &p)
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// writeMAIRMini writes two tasks of MAIR, one of them in two splits.
func writeMAIRMini(t *testing.T) {
	t.Helper()
	source, err := datasets.FindSource("mair")
	if err != nil {
		t.Fatal(err)
	}
	queries, docs := map[string][]row{}, map[string][]row{}
	for i, split := range []string{"SciFact/", "IFEval/keywords__existence_7_", "IFEval/startend__quotation_1_"} {
		queries[split+"queries"] = []row{
			{"qid": "q1", "instruction": "find one", "query": "fox", "labels": []row{{"id": "a", "score": 2}, {"id": "b", "score": 0}}},
			{"qid": "q2", "instruction": "", "query": "two whale", "labels": []row{{"id": "b", "score": 1}}}}
		docs[split+"docs"] = []row{{"id": "a", "doc": []string{"red fox", "one", "blue"}[i]}, {"id": "b", "doc": "other"}}
	}
	writeSnapshots(t, source.Repos[0], queries)
	writeSnapshots(t, source.Repos[1], docs)
}

// MAIR: the complete corpus of each split; a query without an instruction stays unchanged.
func TestMAIREndToEnd(t *testing.T) {
	t.Setenv("HF_HUB_CACHE", t.TempDir())
	writeMAIRMini(t)
	dir, vector := protocolModel(t)
	for _, kind := range []string{"cosine", "dot"} {
		runs := evaluated(t, "--model", dir, "--data", "mair", "--similarity", kind, "--task", "SciFact", "--task", "IFEval")
		if len(runs) != 3 {
			t.Fatalf("tasks %v", reflect.ValueOf(runs).MapKeys())
		}
		for task, a := range map[string]string{"SciFact": "red fox", "IFEval_keywords__existence_7": "one", "IFEval_startend__quotation_1": "blue"} {
			corpus := map[string]string{"a": a, "b": "other"}
			checkRanking(t, task+" q1", runs[task]["q1"], kind, "find find one because fox", corpus, vector)
			checkRanking(t, task+" q2", runs[task]["q2"], kind, "two whale", corpus, vector)
		}
	}
	verbFails(t, usage.ExitUsage, `unknown task "SciFacts"`, "evaluate", "--model", "bm25", "--data", "mair", "--task", "SciFact", "--task", "SciFacts")
}

// writeBRIGHTMini writes one task of BRIGHT.
func writeBRIGHTMini(t *testing.T) {
	t.Helper()
	source, err := datasets.FindSource("bright")
	if err != nil {
		t.Fatal(err)
	}
	example := func(id, query string, gold, excluded []string) row {
		return row{"query": query, "reasoning": "", "id": id, "excluded_ids": excluded, "gold_ids_long": []string{}, "gold_ids": gold, "gold_answer": ""}
	}
	writeSnapshots(t, source.Repos[0], map[string][]row{
		"documents/leetcode": {{"id": "l1", "content": "red fox"}, {"id": "l2", "content": "blue whale"}, {"id": "l3", "content": "retrieve heron"}},
		"examples/leetcode": {example("7", "whale", []string{"l1"}, []string{"l2", "l9"}),
			example("8", "fox whale", []string{"l3"}, []string{"N/A"})},
	})
}

// brightAsk is BRIGHT's published instruction for leetcode.
const brightAsk = "Given a coding problem, retrieve relevant examples that help answer the problem"

// BRIGHT: the corpus without the query's excluded documents, with the published instruction;
// its BM25 reads no instruction.
func TestBRIGHTEndToEnd(t *testing.T) {
	t.Setenv("HF_HUB_CACHE", t.TempDir())
	writeBRIGHTMini(t)
	dir, vector := protocolModel(t)
	all := map[string]string{"l1": "red fox", "l2": "blue whale", "l3": "retrieve heron"}
	allowed := map[string]string{"l1": "red fox", "l3": "retrieve heron"}
	for _, kind := range []string{"cosine", "dot"} {
		run := evaluated(t, "--model", dir, "--data", "bright", "--task", "leetcode", "--similarity", kind)["leetcode"]
		checkRanking(t, "7", run["7"], kind, fmt.Sprintf("find %s because whale", brightAsk), allowed, vector)
		checkRanking(t, "8", run["8"], kind, fmt.Sprintf("find %s because fox whale", brightAsk), all, vector)
	}
	for model, want := range map[string]bool{"bm25": true, "bm25-bright": false} {
		run := evaluated(t, "--model", model, "--data", "bright", "--task", "leetcode")["leetcode"]
		found := slices.ContainsFunc(run["7"], func(s trec.Scored) bool { return s.Doc == "l3" && s.Score > 0 })
		if found != want || slices.ContainsFunc(run["7"], func(s trec.Scored) bool { return s.Doc == "l2" }) {
			t.Errorf("%s ranks %v; a word of the instruction finds l3: want %t", model, run["7"], want)
		}
	}
}
