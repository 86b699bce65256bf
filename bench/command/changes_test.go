package command

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// change is a typical addition to the program, reduced to the minimum. docs/development.md
// names its files.
type change struct {
	name  string
	most  int                 // number of files it may touch, apart from tests and documentation
	files map[string]string   // new files
	lines map[string][]string // changed files: a text, its replacement, another text...
}

// toyCommit is the commit of the repository of the dataset toy.
const toyCommit = "48142cc741b04d0b4af370ade7e8b42430382670"

// changes are the nine typical additions.
var changes = []change{
	{"measure", 2, map[string]string{"metrics/toy.go": `package metrics

// Missed is the share of the relevant documents that are not among the first K.
type Missed struct{ K int }

var missedFamily = Family{
	Name: "Missed", Forms: "Missed@k",
	Definition: "relevant documents below rank k, divided by all of them",
	Range:      "[0,1]", Direction: Lower, Source: "a test",
	make: func(a *arguments) Measure { return Missed{K: a.needDepth()} },
}

func (m Missed) String() string { return spell("Missed", m.K) }

func (m Missed) Score(c *Case) (float64, bool) {
	found, ok := Recall{K: m.K}.Score(c)
	return 1 - found, ok
}
`}, map[string][]string{"metrics/family.go": {"judgedFamily, unjudgedFamily,", "judgedFamily, unjudgedFamily, missedFamily,"}}},

	{"dataset", 2, map[string]string{"datasets/toy.go": `package datasets

func toy() Suite {
	return Suite{
		Name: "toy", About: "a benchmark of a test", Licence: "CC0", Citation: "nobody 2026",
		Protocol: "Rank all.", Measures: []string{"nDCG@10"}, Layout: MTEB,
		Parts: []SuitePart{{Task: "toys", Repo: "nobody/toy", Revision: "` + toyCommit + `"}},
	}
}
`}, map[string][]string{"datasets/suites.go": {"limitSmall(), ", "limitSmall(), toy(), "}}},

	{"architecture", 2, map[string]string{"training/encoder/toybert.go": `package encoder

import "github.com/gomlx/gomlx/core/graph"

// toyBert is BERT with its last states negated.
type toyBert struct{ bert }

func (b toyBert) hidden(n *network, in input) *graph.Node { return graph.Neg(b.bert.hidden(n, in)) }
`}, map[string][]string{"training/encoder/architecture.go": {"t5{},\n", "t5{},\n\"toybert\": toyBert{},\n"}}},

	{"loss term", 3, nil, map[string][]string{
		"training/loss.go": {
			"IP                  //", "PP\nIP                  //",
			`{IP, "IP", `, `{PP, "PP", "the passage with other passages"},` + "\n" + `{IP, "IP", `,
		},
		"training/candidates.go": {"case t == IP:\n", `case t == PP:
			b := e.passages(o, e.P)
			b.counted, b.self = e.withoutOwnMined(b.counted), true
			return []block{b}
		case t == IP:
`},
	}},

	{"section", 2, map[string]string{"reports/toy.go": `package reports

import "infbench/reports/section"

func toySections(b *Board, _ Options) ([]section.Section, error) {
	return []section.Section{{ID: b.ID + "-toys", Title: "Toys", Nav: "Toys", Notes: []string{"a section of one file and one line"}}}, nil
}
`}, map[string][]string{"reports/board.go": {"rankSections, ", "toySections, rankSections, "}}},

	{"engine", 2, map[string]string{"runners/engine/toy.go": `package engine

import "context"

// Toy runs one job after the other.
type Toy struct{ Local *Local }

func (t *Toy) Run(ctx context.Context, jobs []Job, report func(Event)) error {
	for _, job := range jobs {
		if err := t.Local.Run(ctx, []Job{job}, report); err != nil {
			return err
		}
	}
	return nil
}
`}, map[string][]string{"bench/command/sweep_engine.go": {
		`"slurm", "kubernetes"}`, `"slurm", "kubernetes", "toy"}`,
		"	workers := min(o.workers, jobs)\n", `	if o.where.engine == "toy" {
		o.where.engine = "local"
		local, err := o.newEngine(folder, 1, notice)
		return &engine.Toy{Local: local.(*engine.Local)}, err
	}
	workers := min(o.workers, jobs)
`}}},

	{"column", 1, nil, map[string][]string{"reports/leaderboard.go": {
		"for _, c := range columns {\n\t\tt.Columns", "t.Columns = append(t.Columns, table.Column{Name: \"toy runs\"})\nfor _, c := range columns {\n\t\tt.Columns",
		"planned := false\n", "planned := false\nrow.Entries = append(row.Entries, table.Number(fmt.Sprint(len(s.Trials)), float64(len(s.Trials))))\n",
	}}},

	{"training key", 1, nil, map[string][]string{"training/config.go": {
		"	Clip         float64", "	Toy float64 `yaml:\"toy,omitempty\" json:\",omitempty\"`\n	Clip         float64",
		`		{Name: "epochs", `, `		{Name: "toy", Label: "toys a step", Paper: []string{"7"}, Range: "[0,9]", Unit: "toys", Unsaid: "0: none", Meaning: "how many toys a step takes", Source: "a test"},
		{Name: "epochs", `,
	}}},

	{"baseline", 1, nil, map[string][]string{"runners/spec/baseline.go": {
		`Baseline{Name: "document-order"`, `Baseline{Name: "last-first", Depends: []string{"world"}, Null: true, Open: func(int64) (runners.Retriever, error) {
			return runners.NewBaseline("last-first", func(_ string, doc int32, _ string) float64 { return float64(doc) }), nil
		}},
		Baseline{Name: "document-order"`,
	}}},
}

// changed builds the command with changes applied to the tree, and checks that each touches
// no more files than allowed.
func changed(t *testing.T, changes []change) (program string) {
	t.Helper()
	dir := t.TempDir()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, c := range changes {
		if n := len(c.files) + len(c.lines); n > c.most {
			t.Errorf("%s: touches %d files, at most %d are allowed", c.name, n, c.most)
		}
		maps.Copy(files, c.files)
		for name, edits := range c.lines {
			text := string(mustRead(t, filepath.Join(root, name)))
			for i := 0; i < len(edits); i += 2 {
				if n := strings.Count(text, edits[i]); n != 1 {
					t.Fatalf("%s: %s has %q %d times, want it once", c.name, name, edits[i], n)
				}
				text = strings.Replace(text, edits[i], edits[i+1], 1)
			}
			files[name] = text
		}
	}
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for name, text := range files {
		path := filepath.Join(dir, strings.ReplaceAll(name, "/", "-"))
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		overlay.Replace[filepath.Join(root, name)] = path
	}
	text, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	list, program := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "infbench")
	if err := os.WriteFile(list, text, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "build", "-overlay", list, "-o", program, "./bench")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return program
}
