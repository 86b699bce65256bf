package command

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"infbench/datasets"
	"infbench/datasets/curate"
	"infbench/internal/usage"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// curatedFolder writes 24 records as curate does: all records as unfiltered, those its rule
// kept as train, and three judges: strict keeps the first 12, lax the first 18, and loose all
// except the last.
func curatedFolder(t *testing.T, dir string) {
	t.Helper()
	all := datasets.MiniInfIR(2)[:24]
	keeps := map[string]int{"strict": 12, "lax": 18, "loose": 23}
	var judged strings.Builder
	for i := range all {
		record := fmt.Sprint(i)
		for _, s := range []curate.Scenario{curate.Original, curate.PoisonedInstruction, curate.PoisonedQuery} {
			q := curate.Question{ID: record + string(s), Record: record, Scenario: s, Candidates: []curate.Candidate{{Role: curate.Positive}, {Role: curate.HardNegative1}, {Role: curate.HardNegative2}}}
			for judge, n := range keeps {
				pick := q.Answer()
				if i >= n && s == curate.PoisonedQuery {
					pick = 0
				}
				q.Picks = append(q.Picks, curate.Pick{Judge: judge, Candidate: pick})
			}
			line, err := json.Marshal(q)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&judged, "%s\n", line)
		}
	}
	writeFile(t, filepath.Join(dir, curate.JudgedFile), judged.String())
	writeFile(t, filepath.Join(dir, curate.UnfilteredFile), tripletLines(all))
	writeFile(t, filepath.Join(dir, "train.jsonl"), tripletLines(all[:18]))
}

// Planning refuses, with the place in the file, to leave out unknown records, more records
// than there are, or records that nobody judged.
func TestAblationIsHeldToTheData(t *testing.T) {
	fetchedCorpora(t)
	curatedFolder(t, "corpus")
	curatedFolder(t, "strangers")
	writeFile(t, "strangers/"+curate.UnfilteredFile, strings.ReplaceAll(tripletLines(datasets.MiniInfIR(2)[:24]), `{"id":"`, `{"id":"other-`))
	writeFile(t, "damaged/"+curate.UnfilteredFile, tripletLines(datasets.MiniInfIR(2)[:24]))
	writeFile(t, "damaged/"+curate.JudgedFile, "{}\n{\n")
	for _, c := range []struct{ base, matrix, want string }{
		{"data: promptriever", "drop: [I-]", "x.yaml:4:17: training data promptriever: drop I-: the records have no poisoned instruction"},
		{"data: inf-ir-release", "drop: [none, Q-]", "x.yaml:4:23: training data inf-ir-release: drop Q-: the records have no poisoned query"},
		{"data: msmarco, drop: P-", "seed: [1]", "x.yaml:3:29: training data msmarco: drop P-: the records have no poisoned passage"},
		{"data: mini-infir, drop: I-", `loss: ["multi(P,I)"]`, "x.yaml:3:32: drop I-: loss multi(P,I): the term I contrasts instructions"},
		{"data: mini-infir, drop: P-", "loss: [uni(P)]", "x.yaml:3:32: drop P-: loss uni(P): it contrasts only passages, so poisoned texts without passages have no effect"},
		{"data: ./corpus", "share: [0.5, 19]", "x.yaml:4:23: training data ./corpus: share 19: there are 18 records"},
		{"data: ./corpus", "share: [0.05]", "training data ./corpus, share 0.05: 1 records do not fill a batch of 1 groups of 6 rows"},
		{"data: ./corpus, validate: {measure: nDCG@10, queries: 4}", "share: [15]", "x.yaml:4:18: training data ./corpus: share 15: there are 18 records, and 4 of them are held out for validation"},
		{"data: \"./corpus:1 + mini-infir:1\"", "share: [0.001]", "share 0.001: nothing is left of the 18 records of ./corpus"},
		{"data: ./corpus", "judge: [strict, laxx]", `x.yaml:4:26: ./corpus: unknown judge "laxx"; did you mean "lax"? (known: lax, loose, strict, majority, unanimous, last, none)`},
		{"data: mini-infir", "judge: [majority]", "x.yaml:4:18: judge majority: mini-infir has no verdicts: want a folder that infbench curate made, with unfiltered.jsonl and judged.jsonl"},
		{"data: ./damaged", "judge: [majority]", "damaged/judged.jsonl:2: unexpected end of JSON input"},
		{"data: ./corpus, judge: strict", "share: [13]", "training data ./corpus: share 13: there are 12 records"},
		{"data: ./strangers", "judge: [strict]", "x.yaml:4:18: training data ./strangers: judge strict keeps none of the 24 records of ./strangers"},
		{"data: mini-infir", "train.steps_of: [./corpse]", "training data ./corpse: there is no such file or folder; did you mean corpus?"},
		{"data: mini-infir", "train.steps_of: [./damaged]", "x.yaml:4:27: train.steps_of"},
	} {
		file := experimentFile(t, "x", fmt.Sprintf("base: {%s, SMALL}\nmatrix: {%s}\n", c.base, c.matrix))
		verbFails(t, usage.ExitUsage, c.want, "plan", file)
	}
}

// stats applies the same settings and counts the remaining records.
func TestStatsOfAblations(t *testing.T) {
	t.Chdir(t.TempDir())
	curatedFolder(t, "corpus")
	for args, want := range map[string]string{
		"":                                 "./corpus,18,36,36,54,",
		"--judge strict":                   "./corpus,12,24,24,36,",
		"--judge none --drop I-":           "./corpus,24,24,48,48,",
		"--judge majority --share 0.5":     "./corpus,9,18,18,27,",
		"--share 4 --drop P-":              "./corpus,4,8,8,4,",
		"--share 4 --drop I-,Q- --seed 42": "./corpus,4,4,4,4,",
	} {
		if out := verbOutput(t, append([]string{"data", "stats", "./corpus", "--format", "csv"}, strings.Fields(args)...)...); !strings.Contains(out, want) {
			t.Errorf("%s prints\n%swithout %q", args, out, want)
		}
	}
	verbFails(t, usage.ExitUsage, `did you mean "lax"?`, "data", "stats", "./corpus", "--judge", "laxx")
	verbFails(t, usage.ExitUsage, "unknown poisoned part", "data", "stats", "./corpus", "--drop", "I")
	verbFails(t, usage.ExitUsage, "mini-bright is not training data", "data", "stats", "mini-bright", "--share", "0.5")
}

// Each way to use less data trains on exactly that much, for the resulting or requested
// number of steps; a share of a mixture and a judge of one of its sources are such ways, too.
// A second sweep does nothing, and a new axis value runs its own cells.
func TestSweepsAblations(t *testing.T) {
	t.Chdir(t.TempDir())
	curatedFolder(t, "corpus")
	text := `
base: {data: ./corpus, loss: "multi(P,IQ)", SMALL}
matrix:
  share: [0.25, 0.5, 1]
include:
  - {drop: I-, share: 1}
  - {drop: "I-,Q-", share: 1}
  - {drop: P-, share: 1, loss: "multi(P,I)"}
  - {judge: strict, share: 1}
  - {judge: majority, share: 0.5}
  - {judge: none, share: 1}
  - {judge: none, share: 1, train.steps_of: ./corpus}
  - {judge: unanimous, share: 1, data: "./corpus + mini-infir-24"}
  - {share: 4, data: "./corpus + ./corpus/unfiltered.jsonl"}
  - {share: 6, train.steps: 5}
`
	file := experimentFile(t, "ablate", text)
	verbOutput(t, "sweep", file)
	exp, err := runs.At("runs/ablate").Reader().Load()
	if err != nil {
		t.Fatal(err)
	}
	// Records used, records in all, rows and steps: 2 epochs of batches of 6 rows.
	want := []results.Trained{
		{Records: 5, Of: 18, Rows: 15, Steps: 4}, {Records: 9, Of: 18, Rows: 27, Steps: 8}, {Records: 18, Of: 18, Rows: 54, Steps: 18},
		{Records: 18, Of: 18, Rows: 36, Steps: 12}, {Records: 18, Of: 18, Rows: 18, Steps: 6}, {Records: 18, Of: 18, Rows: 54, Steps: 18},
		{Records: 12, Of: 12, Rows: 36, Steps: 12}, {Records: 9, Of: 18, Rows: 27, Steps: 8},
		{Records: 24, Of: 24, Rows: 72, Steps: 24}, {Records: 24, Of: 24, Rows: 72, Steps: 18},
		{Records: 36, Of: 36, Rows: 108, Steps: 36},
		{Records: 4, Of: 42, Rows: 12, Steps: 4}, {Records: 6, Of: 18, Rows: 18, Steps: 5},
	}
	if len(exp.Trials) != len(want) {
		t.Fatalf("%d trials, want %d", len(exp.Trials), len(want))
	}
	for i, trial := range exp.Trials {
		if got := trial.Provenance.Trained; got == nil || *got != want[i] || len(trial.Curve) != want[i].Steps {
			t.Errorf("%v: trained on %+v in %d steps, want %+v", trial.Config, got, len(trial.Curve), want[i])
		}
	}
	if out := verbOutput(t, "sweep", file); !strings.Contains(out, "13 trials") || strings.Contains(out, "train ") {
		t.Errorf("a second sweep prints\n%s", out)
	}
	if out := verbOutput(t, "plan", file); !strings.Contains(out, "note: train.steps_of ./corpus: 18 steps, the length of 2 epochs there") || !strings.Contains(out, "note: ./corpus, judge majority, share 0.5: 9 of 18 records, in 27 of 54 rows") {
		t.Errorf("plan prints\n%s", out)
	}
	rewrite(t, file, []byte(strings.Replace(fileText(t, file), "0.25, ", "0.25, 0.75, ", 1)))
	if out := verbOutput(t, "plan", file); !strings.Contains(out, "14 trials, 1 to run") {
		t.Errorf("with one more share plan prints\n%s", out)
	}
	checkScalingView(t, "runs/ablate")
	showsQuality(t, "runs/ablate")
}

// Validation data is held out of the complete data, the same for any share and any dropped
// part; it has pairs of instructions even if training has none.
func TestAblationIsValidatedAlike(t *testing.T) {
	t.Chdir(t.TempDir())
	curatedFolder(t, "corpus")
	verbOutput(t, "sweep", experimentFile(t, "alike", `
base: {data: ./corpus, loss: "uni(P,IQ)", validate: {measure: p-MRR, queries: 2}, SMALL}
matrix: {drop: [none, I-, "I-,Q-"], share: [6, 9]}
`))
	exp, err := runs.At("runs/alike").Reader().Load()
	if err != nil || len(exp.Trials) != 6 {
		t.Fatal(len(exp.Trials), err)
	}
	asked := func(trial results.Trial) (ids []string) {
		for _, r := range trial.Validation {
			ids = append(ids, r.Query)
		}
		return ids
	}
	for i, trial := range exp.Trials {
		if want := []int{6, 9}[i%2]; trial.Provenance.Trained.Records != want || trial.Provenance.Trained.Of != 18 {
			t.Errorf("%v: %+v, want %d of 18", trial.Config, trial.Provenance.Trained, want)
		}
		if got := fmt.Sprint(asked(trial)); got != fmt.Sprint(asked(exp.Trials[0])) || len(trial.Validation) != 2 {
			t.Errorf("%v is validated on %s", trial.Config, got)
		}
	}
}

// checkScalingView asks for the curves in every format; the page verifies, and a page with
// another size does not.
func checkScalingView(t *testing.T, run string) {
	t.Helper()
	for _, format := range []string{"terminal", "markdown", "latex", "csv", "json"} {
		out := verbOutput(t, "report", run, "--view", "scaling", "--format", format)
		for _, want := range []string{"records", "18"} {
			if !strings.Contains(out, want) {
				t.Errorf("%s: the view of curves lacks %q:\n%s", format, want, out)
			}
		}
	}
	if out := verbOutput(t, "report", run, "--view", "scaling"); !strings.Contains(out, "has 1 size: fewer than 3 do not show a trend") {
		t.Errorf("the view does not say where sizes are few:\n%s", out)
	}
	page := filepath.Join(run, "scaling.html")
	verbOutput(t, "report", run, "--view", "scaling", "--format", "html", "--out", page)
	verbOutput(t, "verify", page, run)
	text := fileText(t, page)
	if !strings.Contains(text, "Quality by records trained on") {
		t.Fatal("the page lacks the view")
	}
	rewrite(t, page, []byte(strings.Replace(text, `"records":18,"of":18,"rows":54`, `"records":19,"of":18,"rows":54`, 1)))
	verbFails(t, exitFailure, "", "verify", page, run)
}

// showsQuality looks for the records that judges kept next to all records, at equal epochs
// and steps.
func showsQuality(t *testing.T, run string) {
	t.Helper()
	out := verbOutput(t, "report", run, "--view", "quality", "--format", "csv")
	for _, want := range []string{"epochs", "steps", "judge=strict"} {
		if !strings.Contains(out, want) {
			t.Errorf("the view of filtering lacks %q:\n%s", want, out)
		}
	}
}
