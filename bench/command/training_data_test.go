package command

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/datasets"
	"infbench/datasets/hub"
	"infbench/internal/testkit"
	"infbench/internal/usage"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// fetchedCorpora puts miniatures of Promptriever's set, of MS MARCO and of InF-IR's release
// into an empty hub cache and the lock file, in their real layouts.
func fetchedCorpora(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	t.Setenv("HF_HUB_CACHE", t.TempDir())
	files := map[string]map[string][]row{
		"samaya-ai/msmarco-w-instructions": {"data/train": nil},
		"microsoft/ms_marco":               {"v2.1/train": nil, "v2.1/validation": nil, "v1.1/train": nil},
		"InF-IR/InF-IR":                    {"data/msmarco": nil},
	}
	for i, r := range datasets.MiniInfIR(1)[:24] {
		passage := func(text string) []row { return []row{{"docid": fmt.Sprint(i), "title": "", "text": text}} }
		line := row{"query_id": fmt.Sprint(i), "query": r.QueryPositive + " " + r.InstructionPositive, "only_query": r.QueryPositive,
			"only_instruction": r.InstructionPositive, "has_instruction": true, "positive_passages": passage(r.Positive),
			"negative_passages": passage(r.HardNegative2), "new_negatives": passage(r.HardNegative1)}
		add(files["samaya-ai/msmarco-w-instructions"], "data/train", line)
		for config := range files["microsoft/ms_marco"] {
			add(files["microsoft/ms_marco"], config, row{"query_id": i, "query": r.QueryPositive, "query_type": "ENTITY", "answers": []string{},
				"passages": row{"is_selected": []int{0, 1, 0}, "passage_text": []string{r.HardNegative1, r.Positive, r.HardNegative2}, "url": []string{"", "", ""}}})
		}
		add(files["InF-IR/InF-IR"], "data/msmarco", row{"query_positive": r.QueryPositive, "instruction_positive": r.InstructionPositive,
			"instruction_negative": r.InstructionNegative, "document_positive": r.Positive, "hard_negative_document_1": r.HardNegative1})
	}
	err := hub.ChangeLock(t.Context(), hub.LockFile, func(l *hub.Lock) error {
		for id, splits := range files {
			writeSnapshots(t, datasets.Repo{ID: id}, splits)
			l.Put(&hub.Snapshot{Repo: hub.Repo{Kind: hub.Dataset, ID: id}, Commit: fmt.Sprintf("%040d", 0)}, nil)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func add(files map[string][]row, path string, line row) { files[path] = append(files[path], line) }

// experimentFile writes an experiment of a network that trains in milliseconds.
func experimentFile(t *testing.T, name, text string) string {
	t.Helper()
	return inFile(t, name+".yaml", fmt.Sprintf("name: %s\nevaluate: [mini-bright]\n", name)+
		strings.ReplaceAll(text, "SMALL", fmt.Sprintf("backbone: %s, train: {epochs: 2, rows_per_group: 6, lr: 5e-3}", smallBackbone(t))))
}

// Published corpora without poisoned fields train under every loss that needs none; other
// losses are refused at the place in the file that names the corpus.
func TestSweepsPublishedCorpora(t *testing.T) {
	testkit.Deep(t)
	fetchedCorpora(t)
	file := experimentFile(t, "published", `
base: {SMALL}
matrix:
  data: [promptriever, msmarco, microsoft/ms_marco, inf-ir-release, "inf-ir-release:2 + promptriever:1@0.5"]
  loss: [uni(P), uni(IQ), "uni(P,IQ)", "multi(P,IQ)"]
`)
	for _, want := range []string{
		"msmarco has no instruction_positive, instruction_negative, query_negative, hard_negative_document_2: a record makes one row; its listed negatives are used only with train.negatives",
		"inf-ir-release has no query_negative, hard_negative_document_2: a record makes 2 rows",
	} {
		if out := verbOutput(t, "plan", file); !strings.Contains(out, want) {
			t.Errorf("plan prints\n%swithout %q", out, want)
		}
	}
	out := verbOutput(t, "sweep", file)
	if !strings.Contains(out, "All 20 trials of the plan finished") {
		t.Errorf("sweep prints\n%s", out)
	}
	mined := experimentFile(t, "mined", "base: {data: promptriever, SMALL}\nmatrix: {train.negatives: [0, 1, 2], loss: [uni(P), \"multi(P,ST)\"]}\n")
	if out := verbOutput(t, "sweep", mined); !strings.Contains(out, "All 6 trials of the plan finished") {
		t.Errorf("sweep prints\n%s", out)
	}
	few := experimentFile(t, "few", "\nbase: {data: promptriever, train: {negatives: 3}}\n")
	verbFails(t, usage.ExitUsage, "few.yaml:4:14: training data promptriever: negatives 3: no record lists more than 2", "plan", few)
	unpaired := experimentFile(t, "unpaired", "base: {data: msmarco, loss: uni(P), validate: {measure: p-MRR}, SMALL}\n")
	verbFails(t, usage.ExitUsage, "unpaired.yaml:3:14: validate: p-MRR compares the rankings of two instructions, and msmarco has no instruction_negative", "plan", unpaired)
	refused := experimentFile(t, "refused", "\nbase: {data: promptriever, loss: \"multi(P,I)\", SMALL}\n")
	verbFails(t, usage.ExitUsage, `refused.yaml:4:14: loss multi(P,I): the term I contrasts instructions, but the records have no poisoned instructions: promptriever has no instruction_negative; inf-ir and mini-infir have it`, "plan", refused)
}

// The user's own files and mixtures are planned, swept and shown by their names; changed
// files are refused.
func TestSweepsOwnData(t *testing.T) {
	t.Chdir(t.TempDir())
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, "trip.jsonl", tripletLines(datasets.MiniInfIR(2)[:24]))
	writeFile(t, "other/trip.jsonl", tripletLines(datasets.MiniInfIR(3)[:24]))
	writeFile(t, "folder/train.jsonl", tripletLines(datasets.MiniInfIR(4)[:24]))
	file := experimentFile(t, "own", `
base: {loss: "multi(P,I)", validate: {measure: nDCG@10, queries: 4}, SMALL}
matrix:
  data: [trip.jsonl, "`+dir+`/other/trip.jsonl", folder, "./folder/../trip.jsonl + folder/", "mini-infir:1 + ./trip.jsonl:1"]
baselines: [untrained]
`)
	verbOutput(t, "sweep", file)
	page, err := os.ReadFile("runs/own/report.html")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(page), dir) {
		t.Error("the page holds a path of this machine")
	}
	exp, err := runs.At("runs/own").Reader().Load()
	if err != nil {
		t.Fatal(err)
	}
	labels := map[string]bool{}
	for _, trial := range exp.Trials {
		labels[trial.Config[results.Data]] = true
		if trial.State != results.Done {
			t.Errorf("%v: %s", trial.Config, trial.State)
		}
	}
	named := 0
	for label := range labels {
		if strings.HasPrefix(label, "trip.jsonl@") && !strings.Contains(label, " ") {
			named++
		}
	}
	if len(labels) != 5 || named != 2 {
		t.Errorf("shown as %v", labels)
	}

	before := verbOutput(t, "plan", file)
	if !strings.Contains(before, "10 trials, 0 to run") {
		t.Errorf("planned again:\n%s", before)
	}
	id := ""
	for _, trial := range exp.Trials {
		if strings.HasPrefix(trial.Config[results.Data], "folder") && trial.Config[results.Loss] != "" {
			id = trial.ID
		}
	}
	writeFile(t, "folder/train.jsonl", tripletLines(datasets.MiniInfIR(5)[:24]))
	verbFails(t, exitFailure, "./folder is at revision sha256:", "repeat", "runs/own", id)
}

// Data that cannot be opened is an error at planning, with the place in the file and a
// remedy.
func TestTrainingDataFaults(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("HF_HUB_CACHE", t.TempDir())
	lines := strings.Split(tripletLines(datasets.MiniInfIR(1)[:24]), "\n")
	writeFile(t, "trip.jsonl", strings.Join(lines, "\n"))
	writeFile(t, "blank.jsonl", strings.Join(append(lines[:7:7], strings.Replace(lines[7], `"query_positive":"`, `"query_positive":"  ","x":"`, 1)), "\n"))
	writeFile(t, "half.jsonl", strings.ReplaceAll(strings.Join(lines, "\n"), "hard_negative_document_1", "hard_negativ_document_1"))
	writeFile(t, "splits/data/a.jsonl", lines[0])
	writeFile(t, "splits/data/b.jsonl", lines[0])
	writeFile(t, "few.jsonl", lines[0]+"\n")
	for data, want := range map[string]string{
		"inf-irr":               `x.yaml:3:14: unknown training data "inf-irr"; did you mean "inf-ir"?`,
		"./trp.jsonl":           "x.yaml:3:14: training data ./trp.jsonl: there is no such file or folder; did you mean trip.jsonl?",
		"./blank.jsonl":         "x.yaml:3:14: training data ./blank.jsonl: training records: ./blank.jsonl:8: column \"query_positive|query|anchor\" is blank, want text",
		"./half.jsonl":          "x.yaml:3:14: open training records: ./half.jsonl:1: column \"hard_negative_document_1|hard_negative_1\" is missing or null",
		"./splits":              `unknown split "train" (known: a, b)`,
		"./few.jsonl":           "x.yaml:3:14: training data ./few.jsonl: 1 records do not fill a batch of 1 groups of 6 rows",
		"mini-infir:0.8 inf-ir": `x.yaml:3:14: "mini-infir:0.8 inf-ir": a "+" is missing between "mini-infir:0.8" and "inf-ir"`,
		"mini-infir:0 + inf-ir": `x.yaml:3:14: "mini-infir:0": weight 0: want a number above 0`,
		"[mini-infir, inf-ir]":  `x.yaml:3:14: data: want one text, found a list`,
	} {
		quoted := fmt.Sprintf("%q", data)
		if strings.HasPrefix(data, "[") {
			quoted = data
		}
		verbFails(t, usage.ExitUsage, want, "plan", experimentFile(t, "x", "base: {data: "+quoted+", SMALL}\n"))
	}
	out := verbOutput(t, "plan", experimentFile(t, "x", "base: {data: ORG/NAME@main, SMALL}\n"))
	if want := "data set ORG/NAME@main is not on this machine: infbench data fetch ORG/NAME@main"; !strings.Contains(out, want) {
		t.Errorf("plan prints\n%swithout %q", out, want)
	}
	verbFails(t, exitFailure, "infbench data fetch ORG/NAME", "sweep", experimentFile(t, "x", "base: {data: ORG/NAME, SMALL}\n"))
	if matches, _ := filepath.Glob("runs/*"); len(matches) > 0 {
		t.Errorf("left behind: %v", matches)
	}
}

// Records that share texts with the tests are used for training unless the file excludes
// them; the page reports that.
func TestDropsOverlap(t *testing.T) {
	t.Chdir(t.TempDir())
	b, err := datasets.Mini("mini-bright", 1)
	if err != nil {
		t.Fatal(err)
	}
	all := datasets.MiniInfIR(2)[:24]
	for d, err := range b.Tasks[0].Corpus.Documents() {
		if err != nil {
			t.Fatal(err)
		}
		all[3].HardNegative1, all[9].Positive = d.Text, "Before it: "+d.Text
		break
	}
	all[12].QueryPositive = b.Tasks[1].Queries[0].Text
	writeFile(t, "trip.jsonl", tripletLines(all))
	file := experimentFile(t, "drop", "base: {data: ./trip.jsonl, SMALL}\nmatrix: {train.drop_overlap: [false, true]}\n")
	verbOutput(t, "sweep", file)
	exp, err := runs.At("runs/drop").Reader().Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, trial := range exp.Trials {
		removed := trial.Provenance.Removed
		switch asked := trial.Config["train.drop_overlap"] == "true"; {
		case asked && (removed == nil || *removed != results.Removed{Records: 3, Of: 24}):
			t.Errorf("removed %+v", removed)
		case !asked && removed != nil:
			t.Errorf("removed %+v unasked", removed)
		}
	}
	for _, format := range []string{"markdown", "html"} {
		out := verbOutput(t, "report", "runs/drop", "--format", format)
		if format == "html" {
			page, err := os.ReadFile("runs/drop/report.html")
			if err != nil {
				t.Fatal(err)
			}
			out = string(page)
		}
		if want := "without 3 of its 24 records, which share a query or a passage with their test data"; !strings.Contains(out, want) {
			t.Errorf("%s: the report does not say that records %s", format, want)
		}
	}
	verbOutput(t, "verify", "runs/drop/report.html", "runs/drop")
}

// A hub dataset is fetched by its name, counted, described and used for training.
func TestFetchedTrainingData(t *testing.T) {
	t.Chdir(t.TempDir())
	fakeHubOf(t, map[string]string{"train.jsonl": tripletLines(datasets.MiniInfIR(2)[:24])})
	file := experimentFile(t, "hub", "base: {data: ORG/NAME, loss: uni(P), SMALL}\n")
	verbFails(t, exitFailure, "data set ORG/NAME is not on this machine: infbench data fetch ORG/NAME", "sweep", file)
	if out := verbOutput(t, "data", "fetch", "ORG/NAME"); !strings.Contains(out, "ORG/NAME at 42c3afabe480: 1 files") {
		t.Errorf("fetch prints\n%s", out)
	}
	if out := verbOutput(t, "data", "show", "ORG/NAME"); !strings.Contains(out, "ORG/NAME: training data, 3 rows a record") {
		t.Errorf("show prints\n%s", out)
	}
	if out := verbOutput(t, "data", "stats", "ORG/NAME", "--format", "csv"); !strings.Contains(out, "ORG/NAME,24,48,48,72,") {
		t.Errorf("stats prints\n%s", out)
	}
	verbOutput(t, "sweep", file)
	exp, err := runs.At("runs/hub").Reader().Load()
	if err != nil || exp.Trials[0].Config[results.Data] != "ORG/NAME" || exp.Trials[0].Provenance.Inputs["ORG/NAME"] != "42c3afabe480643b755a7099dbf0f9ebeedaf6ca" {
		t.Errorf("%v: %v from %v", err, exp.Trials[0].Config, exp.Trials[0].Provenance.Inputs)
	}
}

// A folder of training data is registered under a name, and refused once it has changed.
func TestImportedTrainingData(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "mine/train.jsonl", tripletLines(datasets.MiniInfIR(2)[:24]))
	if out := verbOutput(t, "data", "import", "mine", "--name", "my-data"); !strings.Contains(out, "my-data: 1 files") {
		t.Errorf("import prints\n%s", out)
	}
	verbFails(t, usage.ExitUsage, "is taken", "data", "import", "mine", "--name", "inf-ir")
	file := experimentFile(t, "mine", "base: {data: \"my-data + mini-infir\", loss: uni(P), SMALL}\n")
	if out := verbOutput(t, "plan", file); !strings.Contains(out, "1 trials, 1 to run") {
		t.Errorf("plan prints\n%s", out)
	}
	if out := verbOutput(t, "data", "overlap", "my-data + mini-infir", "mini-bright"); !strings.Contains(out, "mini-bright in my-data + mini-infir") {
		t.Errorf("overlap prints\n%s", out)
	}
	writeFile(t, "mine/train.jsonl", "")
	verbFails(t, exitFailure, "my-data changed since data import", "plan", file)
	verbFails(t, usage.ExitUsage, `did you mean "my-data"?`, "plan", experimentFile(t, "mine", "base: {data: my-dat, SMALL}\n"))
	verbFails(t, usage.ExitUsage, `a "+" is missing`, "data", "stats", "mini-infir:1 inf-ir:2")
}
