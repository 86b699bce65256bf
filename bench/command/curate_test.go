package command

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infbench/datasets/curate"
	"infbench/runners/device"
	"infbench/runners/engine"
	"infbench/runners/runs"
	"infbench/training/encoder"
)

// runCurate runs the verb in the working folder.
func runCurate(t *testing.T, args ...string) (out string, err error) {
	t.Helper()
	cmd := curateCommand()
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	var text, progress bytes.Buffer
	cmd.SetArgs(args)
	cmd.SetOut(&text)
	cmd.SetErr(&progress)
	err = cmd.ExecuteContext(t.Context())
	return text.String(), err
}

func writeText(t *testing.T, name, text string) string {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

const smallCorpus = `name: small
seeds: [{from: mini-infir, records: 60}]
decontaminate: [mini-followir]
author: {offline: true, errors: 0.3}
judges: [{name: judge, offline: true, errors: 0.1}, {name: other, offline: true}]
keep: judge
`

// All mistakes in a file are reported at once, each with its place and the nearest name.
func TestMistakes(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct{ file, want string }{
		{"seeds: [{from: mini-infir}]\njudges: [offline]\n", "x.yaml:1:1: the file has no author"},
		{smallCorpus + "poison: [time]\n", "x.yaml:7:1: unknown key \"poison\""},
		{smallCorpus + "poisons: [time, negatoin]\n", "x.yaml:7:17: poisons[1]: unknown poison \"negatoin\"; did you mean \"negation\""},
		{strings.Replace(smallCorpus, "keep: judge", "keep: jugde", 1), "x.yaml:6:7: unknown judge \"jugde\"; did you mean \"judge\""},
		{strings.Replace(smallCorpus, "name: other", "name: judge", 1), "two judges are named \"judge\""},
		{strings.Replace(smallCorpus, "mini-followir", "mini-folowir", 1), "x.yaml:3:17: unknown collection \"mini-folowir\"; did you mean \"mini-followir\""},
		{strings.Replace(smallCorpus, "from: mini-infir", "from: mini-infr", 1), "did you mean \"mini-infir\""},
		{strings.Replace(smallCorpus, "errors: 0.3", "errors: 1.3", 1), "x.yaml:4:33: errors 1.3 is not between 0 and 1"},
		{strings.Replace(smallCorpus, "errors: 0.3", "chat: gpt-4o-mini", 1), "give one of offline: true, and chat: MODEL with url: ADDRESS"},
		{strings.Replace(smallCorpus, "{offline: true, errors: 0.3}", "{chat: gpt-4o-mini}", 1), "chat needs url"},
		{strings.Replace(smallCorpus, "{offline: true, errors: 0.3}", "{model: ./folder}", 1), "x.yaml:4:10: author: model: infbench cannot run models that write text. Serve it with an OpenAI-compatible server"},
		{strings.Replace(smallCorpus, "{name: other, offline: true}", "{name: other, model: org/name, max_tokens: 9}", 1), "x.yaml:5:67: judges[1]: model: infbench cannot run models that write text"},
		{strings.Replace(smallCorpus, "{offline: true, errors: 0.3}", "{model: ./folder}", 1), "give rerank: MODEL"},
		{strings.Replace(smallCorpus, "{offline: true, errors: 0.3}", "{rerank: followir-7b}", 1), "x.yaml:4:18: rerank is for judges: a model that scores pairs writes nothing"},
		{strings.Replace(smallCorpus, "{name: other, offline: true}", "{rerank: folowir-7b}", 1), "x.yaml:5:54: judges[1]: rerank: unknown model \"folowir-7b\"; did you mean \"followir-7b\""},
		{strings.Replace(smallCorpus, "{name: other, offline: true}", "{rerank: bm25}", 1), "judges[1]: rerank: model bm25 does not score pairs: want a cross-encoder"},
		{strings.Replace(smallCorpus, "{name: other, offline: true}", "{rerank: intfloat/e5-base-v2}", 1), "does not score pairs"},
		{strings.Replace(smallCorpus, "{name: other, offline: true}", "{rerank: ./nowhere}", 1), "./nowhere"},
		{strings.Replace(smallCorpus, "{name: other, offline: true}", "{rerank: followir-7b, offline: true}", 1), "give one of offline: true, chat: MODEL with url: ADDRESS, and rerank: MODEL"},
		{strings.Replace(smallCorpus, "{name: other, offline: true}", "{rerank: followir-7b, max_tokens: 9}", 1), "max_tokens are for chat"},
		{strings.Replace(smallCorpus, "{name: other, offline: true}", "{rerank: followir-7b, errors: 0.1}", 1), "errors and doubt are for offline voices"},
		{strings.Replace(smallCorpus, "{name: other, offline: true}", "{rerank: followir-7b}", 1), "infbench models fetch jhu-clsp/FollowIR-7B"},
		{strings.Replace(smallCorpus, "{offline: true, errors: 0.3}", "{offline: true, prompts: {instruction: Write.}}", 1), "prompts are for chat"},
		{strings.Replace(smallCorpus, "{offline: true, errors: 0.3}", "{chat: m, url: \"http://x/v1\", prompts: {verdict: Choose.}}", 1), "prompts: verdict is for judges"},
		{strings.Replace(smallCorpus, "{offline: true, errors: 0.3}", "{chat: m, url: \"http://x/v1\", prompts: {pasage: Write.}}", 1), "unknown key \"pasage\"; did you mean \"passage\""},
		{strings.Replace(smallCorpus, "{name: other, offline: true}", "{chat: m, url: \"http://x/v1\", prompts: {passage: Write.}}", 1), "prompts: a judge's prompt is called verdict"},
		{smallCorpus + "active: true\n", "active asks a further judge"},
		{smallCorpus + "filters: {language: xx}\n", "unknown language \"xx\""},
		{smallCorpus + "filters: {query: [9, 3]}\n", "[9 3]: want [least, most] words"},
		{smallCorpus + "distractors: -1\n", "distractors: -1 is not between 0 and 100"},
	} {
		out, err := runCurate(t, writeText(t, "x.yaml", c.file))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\n%v\nwant %s", c.file, err, c.want)
		}
		if out != "" {
			t.Errorf("printed %q", out)
		}
	}
	if entries, _ := os.ReadDir("."); len(entries) != 1 {
		t.Errorf("%d files were left", len(entries)-1)
	}
}

// A corpus is made once: the second time nothing is written and the same is printed. Other
// settings, a changed file and a folder of another kind are refused and left unchanged.
func TestFolders(t *testing.T) {
	t.Chdir(t.TempDir())
	file := writeText(t, "small.yaml", smallCorpus)
	first, err := runCurate(t, file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"small: corpora/small", "records of 60 seeds", "negation", "judge | other", "synthetic"} {
		if !strings.Contains(first, want) {
			t.Errorf("no %q in\n%s", want, first)
		}
	}
	train := filepath.Join("corpora", "small", curate.TrainFile)
	was, err := os.Stat(train)
	if err != nil {
		t.Fatal(err)
	}
	again, err := runCurate(t, file)
	if now, _ := os.Stat(train); err != nil || again != first || !now.ModTime().Equal(was.ModTime()) {
		t.Errorf("made again: %v", err)
	}
	writeText(t, "other.yaml", strings.Replace(smallCorpus, "0.1", "0.2", 1))
	if _, err := runCurate(t, "other.yaml", "--out", "corpora/small"); err == nil || !strings.Contains(err.Error(), `is "    errors: 0.1", now it would be "    errors: 0.2"`) {
		t.Errorf("other settings: %v", err)
	}
	os.Mkdir("mine", 0o755)
	writeText(t, "mine/letter.txt", "x")
	if _, err := runCurate(t, file, "--out", "mine"); err == nil || !strings.Contains(err.Error(), "mine has letter.txt but no curate.yaml") {
		t.Errorf("a folder of something else: %v", err)
	}
	_, at, err := runs.ClaimOutput(t.Context(), "corpora/small")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := runCurate(t, file); !errors.Is(err, engine.ErrBusy) {
		t.Errorf("while another process makes it: %v", err)
	}
	if err := at.Release(); err != nil {
		t.Fatal(err)
	}
	writeText(t, train, "")
	if _, err := runCurate(t, file); err == nil || !strings.Contains(err.Error(), "train.jsonl was changed since the corpus was finished; make it again with --from") {
		t.Errorf("a changed file: %v", err)
	}
	if third, err := runCurate(t, file, "--from", "judged"); err != nil || third != first {
		t.Errorf("not as it was: %v", err)
	}
	if _, err := runCurate(t, file, "--from", "juged"); err == nil || !strings.Contains(err.Error(), "did you mean \"judged\"") {
		t.Errorf("another stage: %v", err)
	}
}

// --plan estimates the questions and makes nothing.
func TestPlan(t *testing.T) {
	t.Chdir(t.TempDir())
	out, err := runCurate(t, writeText(t, "x.yaml", `name: x
seeds: [{from: mini-infir, records: 50}]
author: {chat: writer, url: "http://localhost:1/v1", key_env: INFBENCH_NO_SUCH_KEY, price: {input: 1, output: 10}}
judges: [{chat: reader, url: "http://localhost:1/v1"}]
`), "--plan")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"writer", "poisoned query", "50", "reader", "150", "150 questions go to models without a price"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if entries, _ := os.ReadDir("."); len(entries) != 1 {
		t.Error("something was made")
	}
	if _, err := runCurate(t, "x.yaml"); err == nil || !strings.Contains(err.Error(), "writer: the environment variable INFBENCH_NO_SUCH_KEY") {
		t.Errorf("no key: %v", err)
	}
}

// Pairs come from files with columns of any name, and from collections in BEIR's layout: each
// query with the first of its best documents.
func TestSeeds(t *testing.T) {
	t.Chdir(t.TempDir())
	writeText(t, "code.jsonl", `{"problem":"Add two numbers.","solution":"def add(a, b): return a + b"}`+"\n"+`{"problem":"Sort a list.","solution":"def sort(a): return sorted(a)"}`+"\n")
	os.MkdirAll("beir/qrels", 0o755)
	writeText(t, "beir/corpus.jsonl", `{"_id":"d1","title":"Bees","text":"They make honey."}`+"\n"+`{"_id":"d2","title":"","text":"Hives are of wood."}`+"\n")
	writeText(t, "beir/queries.jsonl", `{"_id":"q1","text":"what do bees make"}`+"\n"+`{"_id":"q2","text":"what are hives of"}`+"\n")
	writeText(t, "beir/qrels/test.tsv", "query-id\tcorpus-id\tscore\nq1\td2\t1\nq1\td1\t2\nq2\td2\t1\n")
	f, err := readCorpusSpec(writeText(t, "x.yaml", `seeds:
  - {from: ./code.jsonl, kind: code, query: problem, passage: solution, records: 1}
  - ./beir
author: offline
judges: offline
`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for r, err := range f.pairs() {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(r.Kind)+" "+r.QueryPositive+" "+r.Positive)
	}
	want := []string{"code Add two numbers. def add(a, b): return a + b", "text what do bees make Bees They make honey.", "text what are hives of Hives are of wood."}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%q\nwant %q", got, want)
	}
}

// Without types of poisons the author chooses the change, as in the paper: records are still
// planned, made and counted.
func TestUntypedPoison(t *testing.T) {
	t.Chdir(t.TempDir())
	file := writeText(t, "x.yaml", smallCorpus+"poisons: []\n")
	verbOutput(t, "curate", file, "--plan")
	if out := verbOutput(t, "curate", file); !strings.Contains(out, "untyped") || strings.Contains(out, "no poison fits") {
		t.Errorf("without types:\n%s", out)
	}
	if out := verbOutput(t, "curate", writeText(t, "y.yaml", strings.Replace(smallCorpus, "name: small", "name: typed", 1)+"poisons: [time]\n")); strings.Contains(out, "untyped") {
		t.Errorf("with one type:\n%s", out)
	}
}

// A model that scores pairs can be a judge: it picks the candidate with the highest score, is
// unsure unless exactly one is above one half, and its votes count like others. The corpus
// records the model's files.
func TestPairJudge(t *testing.T) {
	for _, golden := range []string{"cross_bert_1label", "cross_bert_2labels"} {
		folder := goldenModel(t, golden, nil)
		t.Chdir(t.TempDir())
		file := writeText(t, "x.yaml", strings.Replace(smallCorpus, "{name: other, offline: true}", "{rerank: "+folder+"}", 1))
		if plan := verbOutput(t, "curate", file, "--plan"); !strings.Contains(plan, golden) {
			t.Errorf("the plan lacks %s:\n%s", golden, plan)
		}
		if out := verbOutput(t, "curate", file, "--out", "made"); !strings.Contains(out, "judge | "+golden) {
			t.Errorf("no agreement with %s in\n%s", golden, out)
		}
		backend, err := device.OpenBackend(device.GoDevice)
		if err != nil {
			t.Fatal(err)
		}
		model, err := encoder.OpenCrossEncoder(folder, backend)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for q, err := range curate.ReadJudged(filepath.Join("made", curate.JudgedFile)) {
			if err != nil {
				t.Fatal(err)
			}
			pick := q.Picks[slices.IndexFunc(q.Picks, func(p curate.Pick) bool { return p.Judge == golden })]
			scores, texts := make([]float32, len(q.Candidates)), make([]string, len(q.Candidates))
			for i, c := range q.Candidates {
				texts[i] = c.Text
			}
			same := func(text string) []string { return slices.Repeat([]string{text}, len(texts)) }
			if err := model.Score(t.Context(), same(q.Query), same(q.Instruction), same(""), texts, scores); err != nil {
				t.Fatal(err)
			}
			half, above := map[string]float32{"cross_bert_1label": 0, "cross_bert_2labels": float32(math.Log(.5))}[golden], 0
			for _, s := range scores {
				if s > half {
					above++
				}
			}
			if pick.Candidate < 0 || scores[pick.Candidate] != slices.Max(scores) || pick.Unsure != (above != 1) {
				t.Errorf("%s: %+v of scores %v", q.ID, pick, scores)
			}
			n++
		}
		if n == 0 {
			t.Error("nothing was judged")
		}
		settings, err := os.ReadFile(filepath.Join(folder, "config.json"))
		if err != nil {
			t.Fatal(err)
		}
		writeText(t, filepath.Join(folder, "config.json"), string(settings)+" ")
		if _, err := runCurate(t, file, "--out", "made"); err == nil || !strings.Contains(err.Error(), "revision") {
			t.Errorf("with another model: %v", err)
		}
	}
}
