package command

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infbench/datasets"
	"infbench/runners/runs"
)

// A folder is one benchmark, for every verb and every spelling of its path.
func TestFolderHasOneName(t *testing.T) {
	t.Chdir(t.TempDir())
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"sci", "med/beir"} {
		for name, text := range tinyBEIR {
			writeFile(t, filepath.Join(dir, name), text)
		}
	}
	link(t, "med", "elsewhere")
	for name, spellings := range map[string][]string{
		"sci": {"sci", "./sci/", "med/../sci", filepath.Join(here, "sci")},
		"med": {"med/beir", "./med/beir/", "elsewhere/beir", filepath.Join(here, "med", "beir")},
	} {
		writeFile(t, name+".yaml", "name: "+name+"\nbaselines: [bm25, random]\nevaluate: ["+spellings[1]+"]\n")
		verbOutput(t, "sweep", name+".yaml")
		folder := ""
		for _, data := range spellings {
			at := outputFolder(t, verbOutput(t, "evaluate", "--model", "bm25", "--data", data))
			if folder != "" && at != folder {
				t.Errorf("evaluate --data %s goes to %s, another spelling to %s", data, at, folder)
			}
			folder = at
		}
		verbOutput(t, "import", "--data", spellings[0], "--name", "theirs", "--out", "runs/theirs-"+name, theirRun(t))
		board := verbOutput(t, "report", "--all", "runs/"+name, folder, "runs/theirs-"+name, "--format", "csv")
		if strings.Contains(board, "beir") {
			t.Errorf("%s has more than one name:\n%s", name, board)
		}
		for _, system := range []string{"bm25", "random", "theirs"} {
			if !strings.Contains(board, "\n"+system+","+name+",test,,nDCG@10,") {
				t.Errorf("%s is not in the column of %s:\n%s", system, name, board)
			}
		}
		if !strings.Contains(board, "\nbm25,"+name+",test,,nDCG@10,1,whole,1,0,1,1,1,") { // tasks, trials, planned
			t.Errorf("bm25, which no seed changes, was swept and evaluated, and is not one run:\n%s", board)
		}
		verbOutput(t, "report", "runs/"+name, folder, "--format", "html", "--out", name+".html")
		wantIn(t, verbOutput(t, "verify", name+".html", "--runs", "runs"), "0 differences")
	}
}

// theirRun is a ranking of tinyBEIR by another program.
func theirRun(t *testing.T) string {
	t.Helper()
	return inFile(t, "theirs.trec", "q1 Q0 d2 1 2 theirs\nq1 Q0 d1 2 1 theirs\n")
}

// link makes a symbolic link.
func link(t *testing.T, to, name string) {
	t.Helper()
	if err := os.Symlink(to, name); err != nil {
		t.Skip(err)
	}
}

// pathsOf is an experiment that names its files and folders by way of a path.
func pathsOf(way string) string {
	return strings.ReplaceAll(`name: paths
base:
  data: WAY/stories/records.jsonl + WAY/more
  backbone: WAY/models/small
  train: {steps: 1, rows_per_group: 12, false_negatives: {guide: WAY/models/e5, equal: mask, margin: 0.1}, distill: {teacher: WAY/models/e5, share: 0.5, loss: kl, list: batch}}
baselines: [WAY/models/e5, {model: WAY/models/e5, fuse: [bm25, WAY/models/small]}]
evaluate: [WAY/sci]
`, "WAY", way)
}

// plannedIDs are the trials of an experiment.
func plannedIDs(t *testing.T, text string) (ids []string) {
	t.Helper()
	plan, err := (&narrowing{}).plan(inFile(t, "x.yaml", text))
	if err != nil {
		t.Fatal(err)
	}
	for i := range plan.Trials {
		ids = append(ids, plan.Trials[i].ID)
	}
	return ids
}

// stock writes the files that pathsOf names into the folder stock.
func stock(t *testing.T, into string) {
	t.Helper()
	for name, text := range tinyBEIR {
		writeFile(t, filepath.Join(into, "sci", name), text)
	}
	writeFile(t, filepath.Join(into, "stories/records.jsonl"), tripletLines(datasets.MiniInfIR(1)[:24]))
	writeFile(t, filepath.Join(into, "more/train.jsonl"), tripletLines(datasets.MiniInfIR(2)[:24]))
	for name, model := range map[string]string{"small": smallBackbone(t), "e5": writeEncoder(t, "")} {
		if err := os.CopyFS(filepath.Join(into, "models", name), os.DirFS(model)); err != nil {
			t.Fatal(err)
		}
	}
}

// A path has one trial ID, for every spelling and every location of the same files.
func TestPathsHaveOneID(t *testing.T) {
	t.Chdir(t.TempDir())
	stock(t, "stock")
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	link(t, "stock", "linked")
	if err := os.CopyFS(filepath.Join("moved", "deep"), os.DirFS("stock")); err != nil {
		t.Fatal(err)
	}
	want := plannedIDs(t, pathsOf("stock"))
	if len(want) != 3 {
		t.Fatalf("trials %v", want)
	}
	for _, way := range []string{"./stock", "stock/", "stock/sci/..", filepath.Join(here, "stock"), "linked", "moved/deep"} {
		if got := plannedIDs(t, pathsOf(way)); !slices.Equal(got, want) {
			t.Errorf("by %s: trials %v, want %v", way, got, want)
		}
	}
	for _, only := range []string{"backbone=linked/models/small", "model=" + filepath.Join(here, "stock/models/e5")} {
		some := narrowing{only: []string{only}}
		if _, err := some.plan(inFile(t, "x.yaml", pathsOf("stock"))); err != nil {
			t.Errorf("--only %s: %v", only, err)
		}
	}
	writeFile(t, "stock/stories/records.jsonl", tripletLines(datasets.MiniInfIR(3)[:24]))
	if got := plannedIDs(t, pathsOf("stock")); got[0] == want[0] || got[1] != want[1] {
		t.Errorf("other records: trials %v, before %v", got, want)
	}
}

// A sweep started with one spelling is complete under another, and evaluate gives the same
// row.
func TestSweepByAnotherSpelling(t *testing.T) {
	t.Chdir(t.TempDir())
	stock(t, ".")
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	link(t, ".", "linked")
	const text = "name: paths\nbaselines: [WAY/models/e5]\nevaluate: [WAY/sci]\n"
	writeFile(t, "x.yaml", strings.ReplaceAll(text, "WAY", "."))
	verbOutput(t, "sweep", "x.yaml")
	done, err := filepath.Glob("runs/paths/trials/*")
	if err != nil || len(done) != 1 {
		t.Fatal(done, err)
	}
	for _, dir := range []string{"models", "sci"} {
		if err := os.CopyFS(filepath.Join("moved", dir), os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
	}
	for _, way := range []string{here, "linked", "moved", "models/.."} {
		writeFile(t, "x.yaml", strings.ReplaceAll(text, "WAY", way))
		if out := verbOutput(t, "plan", "x.yaml"); !strings.Contains(out, "1 trials, 0 to run") {
			t.Errorf("by %s:\n%s", way, out)
		}
		verbOutput(t, "sweep", "x.yaml")
		wantIn(t, verbOutput(t, "verify", "runs/paths"), "0 differences")
	}
	folders := []string{"runs/paths"}
	for _, model := range []string{"models/e5", "./models/e5/", "linked/models/e5", filepath.Join(here, "models/e5")} {
		folders = append(folders, outputFolder(t, verbOutput(t, "evaluate", "--model", model, "--data", "sci")))
	}
	loaded, err := runs.LoadAll(slices.Compact(folders))
	if err != nil || len(loaded) != 2 {
		t.Fatalf("%d folders of %v: %v", len(loaded), folders, err)
	}
	for _, exp := range loaded {
		if got := exp.Trials[0].Config["model"]; got != "models/e5" {
			t.Errorf("%s calls the model %s", exp.Dir, got)
		}
	}
}

// plan lists the training defaults that the file does not name.
func TestPlanSaysDefaults(t *testing.T) {
	file := inFile(t, "x.yaml", "name: x\nbase: {train: {steps: 1}}\nbaselines: [bm25]\nevaluate: [mini-bright]\n")
	wantIn(t, verbOutput(t, "plan", file, "--runs", t.TempDir()), "trained by default, because the file does not set it: data: mini-infir, backbone: tiny-bert, loss: uni(P)")
	file = inFile(t, "x.yaml", "name: x\nbaselines: [bm25]\nevaluate: [mini-bright]\n")
	wantIn(t, verbOutput(t, "plan", file, "--runs", t.TempDir()), "0 train, 1 are baselines")
}
