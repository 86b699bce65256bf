package command

import (
	"cmp"
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/spf13/cobra"

	"infbench/datasets"
	"infbench/internal/testkit/chattest"
	"infbench/internal/testkit/minihub"
	"infbench/internal/testkit/tracer"
	"infbench/runners/device"
	"infbench/runners/results"
	"infbench/runners/runs"
	"infbench/runners/spec"
	"infbench/training/encoder"
)

// theWriters are the verbs that write, with the smallest possible inputs.
func theWriters(t *testing.T) []aWriter {
	hub := httptest.NewServer(minihub.NewHub("", minihub.Backbones()...))
	t.Cleanup(hub.Close)
	models, data := []string{"HF_ENDPOINT=" + hub.URL, "HF_TOKEN="}, []string{"HF_ENDPOINT=" + fakeHub(t).URL, "HF_TOKEN="}
	other := [2]string{"infbench.lock", `"other"`}
	network := onceMade(t, smallNetwork)
	experiment := func(t *testing.T, dir string) { network(t, dir); trainingFiles(t, dir) }
	corpus := onceMade(t, tinyCorpus)
	measured := onceMade(t, func(t *testing.T, dir string) {
		mustRunIn(t, dir, "evaluate", "--model", "bm25", "--data", "mini-followir", "--task", "headline", "--out", "runs/one")
	})
	submitted := strings.Fields("runs/one --into submissions --system acme/one --revision v1 --model-url https://acme.org/one --by Ada --contact ada@acme.org --licence MIT --prompts none --training-data none --training-benchmarks= --partial shortened")
	return []aWriter{
		{verb: "evaluate", args: "--model bm25 --data data --out out", inputs: tinyData, journal: "out/.replace.json", cheap: true},
		{verb: "evaluate", label: "shards", args: "--model bm25 --data data --shards 2 --out out", inputs: tinyData, journal: "out/.replace.json"},
		{verb: "evaluate", label: "a shard", args: "--model bm25 --data data --shards 2 --shard 1 --out out", inputs: tinyData, journal: "out/.replace.json"},
		{verb: "evaluate", label: "chat", args: "--model chat --chat-model m --url " + chattest.New(t, judgeByNumber).URL + " --first bm25 --depth 6 --key-env INFBENCH_TEST_KEY --data data --answers answers --out out",
			env: []string{"INFBENCH_TEST_KEY=" + chatCanary}, inputs: onceMade(t, chatData), journal: "out/.replace.json"},
		{verb: "evaluate", label: "network, cache", args: "--model small-bert --data data --cache vectors --out out", inputs: network, journal: "out/.replace.json"},
		{verb: "probe", args: "bm25 mini-followir --task headline --queries 4 --out out", journal: "out/.replace.json"},
		{verb: "import", args: "run.trec --data data --model own", inputs: tinyRun, cheap: true},
		{verb: "train", args: "train.yaml --out out", inputs: experiment},
		{verb: "sweep", args: "sweep.yaml --workers 1 --checkpoint-every 1", anew: "runs/tiny/report.html", inputs: experiment},
		{verb: "sweep", label: "a benchmark more", args: "grown.yaml --workers 1", alike: 2, anew: "runs/tiny/report.html runs/tiny/overlap.json runs/tiny/plan.json", inputs: onceMade(t, func(t *testing.T, dir string) { experiment(t, dir); grownSweep(t, dir) })},
		{verb: "sweep", label: "active", args: "seeds.yaml --active --claims claims.yaml --cells 100% --workers 1", alike: 4, anew: "runs/seeds/report.html", inputs: onceMade(t, func(t *testing.T, dir string) { experiment(t, dir); unchosenTrials(t, dir) })},
		{verb: "sweep", label: "merge", args: "--merge part/tiny --runs whole", anew: "whole/tiny/report.html", inputs: onceMade(t, func(t *testing.T, dir string) {
			experiment(t, dir)
			mustRunIn(t, dir, "sweep", "sweep.yaml", "--workers", "1", "--runs", "part")
		})},
		{verb: "retry", args: "runs/tiny --workers 1", anew: "runs/tiny/report.html", inputs: onceMade(t, func(t *testing.T, dir string) { experiment(t, dir); failedTrial(t, dir) })},
		{verb: "report", args: "runs/evaluation --format html --out page/report.html", inputs: tinyEvaluation, cheap: true},
		{verb: "export", label: "csv", args: "--format csv --out csv runs/evaluation", inputs: tinyEvaluation},
		{verb: "export", args: "--format mteb --out mteb runs/evaluation", inputs: tinyEvaluation},
		{verb: "gate accept", args: "bm25 --file accepted.yaml --baseline runs/evaluation --run runs/other --until 2099-01-31 --who Ann --why tried", inputs: func(t *testing.T, dir string) {
			tinyEvaluation(t, dir)
			mustRunIn(t, dir, "evaluate", "--model", "random", "--data", "data", "--out", "runs/other")
		}},
		{verb: "submit new", args: strings.Join(submitted, " "), inputs: measured, once: true},
		{verb: "submit check", args: "submissions --out runs/submitted", inputs: onceMade(t, func(t *testing.T, dir string) {
			measured(t, dir)
			mustRunIn(t, dir, append([]string{"submit", "new"}, submitted...)...)
		})},
		{verb: "publish", args: "site runs/evaluation --commit c0ffee1", anew: "site/history.sha256", inputs: tinyEvaluation},
		{verb: "curate", args: "corpus.yaml --keep tiny", inputs: corpusFile},
		{verb: "data annotate sheet", args: "corpora/tiny --sample 3 --out study", inputs: corpus},
		{verb: "data annotate read", args: "corpora/tiny --keep tiny --out ratings --resamples 20", inputs: corpus},
		{verb: "data agreement", args: "picks.csv --keep tiny --resamples 20", inputs: picksFile},
		{verb: "data diversity", args: "texts.jsonl --keep tiny", inputs: textsFile},
		{verb: "encode", args: "texts.jsonl --model small-bert --out vectors.npy", inputs: func(t *testing.T, dir string) { network(t, dir); textsFile(t, dir) }},
		{verb: "data map", args: "texts.jsonl --model small-bert --neighbours 1 --keep tiny --out map", inputs: func(t *testing.T, dir string) { network(t, dir); textsFile(t, dir) }},
		{verb: "data fetch", args: "instructir", env: data, holds: other, inputs: importedOther},
		{verb: "data import", args: "data --name mine", cheap: true, holds: other, inputs: importedOther},
		{verb: "data stats", args: "train.jsonl --keep tiny", inputs: trainingFiles},
		{verb: "data overlap", args: "train.jsonl data --out overlap.json", inputs: trainingFiles},
		{verb: "data records", args: "sets/WTR --test sets/TArX --out made", inputs: func(t *testing.T, dir string) { writeNarrowedSets(t, filepath.Join(dir, "sets"), "north", "south") }},
		{verb: "data mine", args: "--data train.jsonl --model bm25 --negatives 1 --out mined.jsonl", inputs: trainingFiles},
		{verb: "models fetch", args: "intfloat/e5-base-v2", env: models, holds: other, inputs: importedOther},
		{verb: "models merge", args: "small-bert adapter --out merged", once: true, inputs: onceMade(t, smallAdapter)},
		{verb: "models cache prune", args: "vectors", inputs: onceMade(t, func(t *testing.T, dir string) { network(t, dir); threeSegments(t, dir) })},
		{verb: "init", args: "first", once: true},
		{verb: "retry", args: "--discard runs/tiny", inputs: onceMade(t, func(t *testing.T, dir string) { experiment(t, dir); damagedTrial(t, dir) })},
	}
}

// writesNothing are the verbs that only print.
var writesNothing = []string{
	"board", "claims", "compare", "data", "data annotate", "data show", "data verify", "diff", "exit-codes", "experiment", "gate", "gpu-check", "help", "list", "man",
	"list backbones", "list baselines", "list benchmarks", "list corpora", "list keys", "list losses", "list measures", "list models", "list recipes", "list schema",
	"models", "models cache", "models cache ls", "models cache verify", "models check", "models push", "models settings", "plan", "score", "score agents", "status", "verify", "version",
	"repeat", // its folder is below $TMPDIR
	"trial",  // run by sweep, and tried with it
	"query", "serve", "submit",
	"open-device", // opens a device only
}

// writingFlags name output files or folders.
var writingFlags = []string{"file", "into", "keep", "out"}

// Every verb is in the table of faults, or writes nothing and has no flag for output.
func TestEveryWriterMeetsFaults(t *testing.T) {
	var tried []string
	for _, w := range theWriters(t) {
		tried = append(tried, w.verb)
	}
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		if verb := strings.TrimPrefix(cmd.CommandPath(), "infbench "); cmd.HasParent() && slices.Contains(tried, verb) == slices.Contains(writesNothing, verb) {
			t.Errorf("verb %s: want it in theWriters or in writesNothing", verb)
		}
		for _, flag := range writingFlags {
			if verb := strings.TrimPrefix(cmd.CommandPath(), "infbench "); cmd.Flags().Lookup(flag) != nil && slices.Contains(writesNothing, verb) {
				t.Errorf("verb %s has --%s: want it in theWriters with that", verb, flag)
			}
		}
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(newRoot())
}

// The verbs listed as writing nothing write nothing, as far as they can run here.
func TestOthersWriteNothing(t *testing.T) {
	faultStride(t)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	tinyEvaluation(t, dir)
	tinyRun(t, dir)
	for name, text := range map[string]string{
		"qrels.txt": "q1 0 d1 1\n", "scores.csv": "system,task,score\na,x,0.5\nb,x,0.4\n",
		"gate.yaml":     "rules:\n  - {measure: nDCG@10, system: bm25, maximum_drop: 5}\n",
		"tiny.yaml":     "name: tiny\nbaselines: [bm25]\nevaluate: [data]\n",
		"claims.yaml":   "paper: {title: t, url: \"https://example.org\"}\nclaims:\n  - {id: a, says: b, where: c, test: better, measure: nDCG@10, on: data, system: {model: bm25}, against: {model: random}, command: d}\n",
		"answers.jsonl": `{"query_id": "q1", "status": "completed", "answer": "X [d1].", "retrieved_docids": ["d1"], "confidence": 85, "correct": true}` + "\n",
	} {
		writeFile(t, filepath.Join(dir, name), text)
	}
	mustRunIn(t, dir, "evaluate", "--model", "bm25", "--data", "data", "--out", "runs/again")
	mustRunIn(t, dir, "sweep", "tiny.yaml")
	mustRunIn(t, dir, "data", "import", "data", "--name", "mine")
	for _, line := range []string{
		"list", "list measures", "list losses", "models", "models e5-base-v2", "models settings intfloat/e5-base-v2", "data show followir", "data stats data", "data verify", "plan tiny.yaml",
		"status runs/tiny", "verify runs/evaluation", "diff runs/evaluation runs/again", "query runs/evaluation", "gate --baseline runs/evaluation --rule gate.yaml runs/again",
		"score --qrels qrels.txt --run run.trec --measure nDCG@10", "compare run.trec run.trec --qrels qrels.txt --measure AP", "board scores.csv",
		"score agents answers.jsonl --qrels qrels.txt", "claims claims.yaml runs/tiny", "models cache ls runs", "models cache verify runs", "repeat runs/tiny bm25",
		"list schema", "help gate", "man", "exit-codes", "experiment", "version",
	} {
		cmd := infbench(t, strings.Fields(line)...)
		cmd.Dir = dir
		out, err := tracer.Run(cmd, tracer.Fault{Under: []string{dir}, Kinds: tracer.Changings, Limit: faultLimit})
		if err != nil || out.Code != 0 || len(out.Calls) > 0 || out.Overdue {
			t.Errorf("infbench %s: exit %d, %v, %+v", line, out.Code, err, out.Calls)
		}
	}
}

// onceMade makes inputs at the first use and copies them later.
func onceMade(t *testing.T, inputs func(*testing.T, string)) func(*testing.T, string) {
	t.Helper()
	root := t.TempDir()
	var made sync.Once // rows run in parallel
	return func(t *testing.T, dir string) {
		t.Helper()
		made.Do(func() { inputs(t, root) })
		if err := os.CopyFS(dir, os.DirFS(root)); err != nil {
			t.Fatal(err)
		}
	}
}

// tinyData is a collection in the folder data.
func tinyData(t *testing.T, dir string) {
	for name, text := range tinyBEIR {
		writeFile(t, filepath.Join(dir, "data", filepath.FromSlash(name)), text)
	}
}

// chatData is a collection in which BM25 finds six documents.
func chatData(t *testing.T, dir string) {
	if err := os.CopyFS(filepath.Join(dir, "data"), os.DirFS(manyDocuments(t, 6))); err != nil {
		t.Fatal(err)
	}
}

// importedOther is the collection and a lock file with an import of it.
func importedOther(t *testing.T, dir string) {
	tinyData(t, dir)
	mustRunIn(t, dir, "data", "import", "data", "--name", "other")
}

// tinyRun is the collection and a ranking of another program.
func tinyRun(t *testing.T, dir string) {
	tinyData(t, dir)
	writeFile(t, filepath.Join(dir, "run.trec"), "q1 Q0 d1 1 2.5 own\nq1 Q0 d2 2 1.5 own\n")
}

// tinyEvaluation is the collection and an evaluation on it.
func tinyEvaluation(t *testing.T, dir string) {
	tinyData(t, dir)
	mustRunIn(t, dir, "evaluate", "--model", "bm25", "--data", "data", "--out", "runs/evaluation")
}

// smallNetwork is the collection and a model folder.
func smallNetwork(t *testing.T, dir string) {
	tinyData(t, dir)
	if err := os.CopyFS(filepath.Join(dir, "small-bert"), os.DirFS(smallBackbone(t))); err != nil {
		t.Fatal(err)
	}
}

// threeSegments is a cache with its vectors in three files, some twice, the last cut short.
func threeSegments(t *testing.T, dir string) {
	writeFile(t, filepath.Join(dir, "other", "corpus.jsonl"), strings.ReplaceAll(tinyBEIR["corpus.jsonl"], "a", "o"))
	for _, name := range []string{"queries.jsonl", "qrels/test.tsv"} {
		writeFile(t, filepath.Join(dir, "other", filepath.FromSlash(name)), tinyBEIR[name])
	}
	for _, data := range []string{"data", "other"} {
		mustRunIn(t, dir, "evaluate", "--model", "small-bert", "--data", data, "--cache", "vectors", "--out", "out-"+data)
	}
	files, err := filepath.Glob(filepath.Join(dir, "vectors", "*", "*.vectors"))
	if err != nil || len(files) != 2 {
		t.Fatal(files, err)
	}
	whole := mustRead(t, files[0])
	writeFile(t, filepath.Join(filepath.Dir(files[0]), "ffffffffffffffff.vectors"), string(whole[:len(whole)-10]))
}

// smallAdapter is a model folder and an adapter for it.
func smallAdapter(t *testing.T, dir string) {
	smallNetwork(t, dir)
	backend, err := device.OpenBackend(device.GoDevice)
	if err != nil {
		t.Fatal(err)
	}
	enc, err := encoder.Open(filepath.Join(dir, "small-bert"), backend)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(enc.Adapt(encoder.LoRA{Rank: 2, Targets: []string{"query", "value"}}, 1), enc.SaveAdapter(filepath.Join(dir, "adapter"))); err != nil {
		t.Fatal(err)
	}
}

// trainingFiles are records, and experiments of one trained cell and of that with bm25.
func trainingFiles(t *testing.T, dir string) {
	tinyData(t, dir)
	const base = "name: tiny\nbase: {data: train.jsonl, backbone: small-bert, train: {epochs: 1, rows_per_group: 6, lr: 0.01}}\nevaluate: [data]\n"
	for name, text := range map[string]string{"train.jsonl": tripletLines(datasets.MiniInfIR(1)[:4]), "train.yaml": base, "sweep.yaml": base + "baselines: [bm25]\n"} {
		writeFile(t, filepath.Join(dir, name), text)
	}
}

// unchosenTrials is the experiment with nine seeds, one still to run, and a claim.
func unchosenTrials(t *testing.T, dir string) {
	t.Helper()
	text := strings.Replace(string(mustRead(t, filepath.Join(dir, "sweep.yaml"))), "name: tiny\n", "name: seeds\nmatrix: {seed: [1, 2, 3, 4, 5, 6, 7, 8, 9]}\n", 1)
	writeFile(t, filepath.Join(dir, "seeds.yaml"), text)
	writeFile(t, filepath.Join(dir, "claims.yaml"), "claims:\n  - {id: better, says: training helps, where: here, test: better, measure: nDCG@10, on: data, system: {kind: trained}, against: {model: bm25}, command: infbench sweep seeds.yaml}\n")
	mustRunIn(t, dir, "sweep", "seeds.yaml", "--workers", "1")
	folder := runs.At(filepath.Join(dir, "runs", "seeds"))
	plan, err := spec.ReadPlan(folder.PlanPath())
	if err := cmp.Or(err, os.RemoveAll(folder.Trial(plan.Trials[0].ID).Dir)); err != nil {
		t.Fatal(err)
	}
}

// grownSweep is the sweep, and the experiment with one more benchmark.
func grownSweep(t *testing.T, dir string) {
	t.Helper()
	mustRunIn(t, dir, "sweep", "sweep.yaml", "--workers", "1")
	for name, text := range tinyBEIR {
		writeFile(t, filepath.Join(dir, "more", filepath.FromSlash(name)), text)
	}
	text := strings.Replace(string(mustRead(t, filepath.Join(dir, "sweep.yaml"))), "evaluate: [data]", "evaluate: [data, more]", 1)
	writeFile(t, filepath.Join(dir, "grown.yaml"), text)
}

// tinyTrial sweeps the experiment and returns a trial of it.
func tinyTrial(t *testing.T, dir string) results.Folder {
	t.Helper()
	mustRunIn(t, dir, "sweep", "sweep.yaml", "--workers", "1")
	folder := runs.At(filepath.Join(dir, "runs", "tiny"))
	plan, err := spec.ReadPlan(folder.PlanPath())
	if err != nil {
		t.Fatal(err)
	}
	return folder.Trial(plan.Trials[0].ID)
}

// failedTrial is the sweep with a trial that failed.
func failedTrial(t *testing.T, dir string) {
	at := tinyTrial(t, dir)
	if err := errors.Join(os.RemoveAll(at.Dir), os.MkdirAll(at.Dir, 0o755), at.Failures().Add(results.Fault, errors.New("out of luck"))); err != nil {
		t.Fatal(err)
	}
}

// damagedTrial is the sweep with a trial that was found damaged and computed again.
func damagedTrial(t *testing.T, dir string) {
	at := tinyTrial(t, dir)
	writeFile(t, filepath.Join(at.Dir, results.ScoresFile), "")
	mustRunIn(t, dir, "sweep", "sweep.yaml", "--workers", "1")
}

// corpusFile is the file of a curated corpus.
func corpusFile(t *testing.T, dir string) {
	writeFile(t, filepath.Join(dir, "corpus.yaml"), `
name: tiny
world: 1
seeds: [{from: mini-infir, records: 8}]
poisons: [negation, scope]
author: {offline: true, errors: 0.4}
judges:
  - {name: judge, offline: true, errors: 0.1}
  - {name: truth, offline: true, person: true}
keep: judge
distractors: 3
`)
}

// tinyCorpus is a corpus.
func tinyCorpus(t *testing.T, dir string) {
	corpusFile(t, dir)
	mustRunIn(t, dir, "curate", "corpus.yaml", "--keep", "tiny")
}

// picksFile has the picks of three raters.
func picksFile(t *testing.T, dir string) {
	writeFile(t, filepath.Join(dir, "picks.csv"), "ann,bob,model\n1,1,1\n2,2,2\n1,2,1\n2,2,1\n1,1,1\n")
}

// textsFile is a file of texts.
func textsFile(t *testing.T, dir string) {
	writeFile(t, filepath.Join(dir, "texts.jsonl"), `{"text":"a red fox"}`+"\n"+`{"text":"a blue whale"}`+"\n"+`{"text":"a red whale and a fox"}`+"\n"+`{"text":"the whale is blue"}`+"\n")
}

// mustRunIn runs a command in a folder without faults; it must succeed.
func mustRunIn(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := infbench(t, args...)
	cmd.Dir = dir
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := runApart(cmd); err != nil {
		t.Fatalf("infbench %q: %v\n%s", args, err, out.String())
	}
}
