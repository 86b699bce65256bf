package command

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"infbench/reports/terminal"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// screenCases are the command lines whose output on terminals is kept in golden files, by
// file name. They run among the folders of testdata/small.
var screenCases = []struct {
	name string
	args []string
}{
	{"report", []string{"report", "runs/small"}},
	{"report-all", []string{"report", "runs/small", "--all"}},
	{"report-sorted", []string{"report", "runs/small", "--sort", "followir/news21", "--reference", "bm25", "--measure", "AP@1000,nDCG@5"}},
	{"report-ablation", []string{"report", "runs/small", "--ablation"}},
	{"report-pivot", []string{"report", "runs/small", "--row", "loss,train.lr,seed", "--col", "number,side,measure"}},
	{"report-view", []string{"report", "runs/small", "--view", "losses"}},
	{"status", []string{"status", "runs/every"}},
	{"query", []string{"query", "runs/small", "--limit", "3"}},
	{"diff", []string{"diff", "runs/small:uni:P", "runs/small:bm25"}},
	{"list", []string{"list"}},
	{"list-losses", []string{"list", "losses"}},
	{"list-keys", []string{"list", "keys", "train.false_negatives"}},
	{"help", []string{"help"}},
	{"help-all", []string{"help", "--all"}},
	{"help-report", []string{"help", "report"}},
	{"help-gate", []string{"help", "gate"}},
	{"help-experiment", []string{"help", "experiment"}},
	{"evaluate", []string{"evaluate", "--model", "bm25", "--data", "mini-followir", "--measure", "nDCG@5", "--measure", "p-MRR"}},
}

// screenWidths are the terminal widths of the golden files.
var screenWidths = []int{80, 120, 200}

// Output equals the golden file at every width, and is never wider than the terminal.
func TestScreens(t *testing.T) {
	kept, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range screenCases {
		t.Run(s.name, func(t *testing.T) {
			smallRuns(t)
			matchesGolden(t, goldenIn(kept, "screen-"+s.name), onScreens(t, func(*testing.T) string { return verbOutput(t, s.args...) }))
		})
	}
	t.Run("gate", func(t *testing.T) {
		smallRuns(t)
		rewrite(t, "gate.yaml", []byte("scale: 100\nrules: [{measure: p-MRR, minimum: 50, maximum_drop: 1, significance: 0.05}]\n"))
		matchesGolden(t, goldenIn(kept, "screen-gate"), onScreens(t, func(t *testing.T) string {
			var out, stderr bytes.Buffer
			if code := run([]string{"gate", "runs/small", "--baseline", "runs/small", "--rule", "gate.yaml"}, &out, &stderr); code != exitGate {
				t.Errorf("exit %d: %s", code, stderr.String())
			}
			return out.String()
		}))
	})
	t.Run("report-published", func(t *testing.T) {
		smallRuns(t)
		mtebFiles(t)
		matchesGolden(t, goldenIn(kept, "screen-report-published"), onScreens(t, func(t *testing.T) string { return verbOutput(t, "report", "--published", "mteb") }))
	})
	t.Run("claims", func(t *testing.T) {
		smallRuns(t)
		rewrite(t, "claims.yaml", []byte(`sweep: small.yaml
claims:
  - {id: training, says: training helps, where: section 6, test: better, measure: p-MRR, on: followir, system: {loss: uni(P), train.lr: "0.005"}, against: {model: untrained}}
  - {id: multi, says: multi-variable losses do better, where: section 6.3, test: better, measure: p-MRR, on: followir/core17, system: {loss: "multi(P,I)"}, against: {loss: uni(P), train.lr: "0.005"}}
  - {id: untried, says: a larger network does better, where: Table 4, test: better, measure: p-MRR, on: followir, system: {backbone: large}, against: {backbone: small}}
`))
		matchesGolden(t, goldenIn(kept, "screen-claims"), onScreens(t, func(t *testing.T) string { return verbOutput(t, "claims", "claims.yaml", "runs/small") }))
	})
	t.Run("sweep", func(t *testing.T) {
		smallRuns(t)
		matchesGolden(t, goldenIn(kept, "screen-sweep"), onScreens(t, func(t *testing.T) string {
			var out bytes.Buffer
			if err := reportSweep(runs.At(filepath.Join("runs", "small")), &out); err != nil {
				t.Fatal(err)
			}
			return out.String()
		}))
	})
	t.Run("sweep-failed", func(t *testing.T) {
		folder := failedRun(t)
		matchesGolden(t, goldenIn(kept, "screen-sweep-failed"), onScreens(t, func(t *testing.T) string {
			var out bytes.Buffer
			if err := reportSweep(folder, &out); err != nil {
				t.Fatal(err)
			}
			return out.String()
		}))
		for _, out := range []string{verbOutput(t, "report", folder.Dir), verbOutput(t, "report", folder.Dir, "--all")} {
			if strings.Contains(out, "Coverage matrix") {
				t.Errorf("a table without columns is shown:\n%s", out)
			}
		}
	})
	t.Run("plan", func(t *testing.T) {
		smallRuns(t)
		folder := runs.At(filepath.Join("runs", "every"))
		plan, err := folder.Plan()
		if err != nil {
			t.Fatal(err)
		}
		states, err := runs.TrialStates(t.Context(), folder, plan)
		if err != nil {
			t.Fatal(err)
		}
		notes := []string{countTrials(folder, plan, states, make([]bool, len(states))), "time: 23 s to 3 min, one cell after another (from the sizes of network and data and this build's speed just now for 3)"}
		matchesGolden(t, goldenIn(kept, "screen-plan"), onScreens(t, func(t *testing.T) string {
			var out bytes.Buffer
			if err := showPlan(&out, plan, states, make([]bool, len(states)), notes); err != nil {
				t.Fatal(err)
			}
			return out.String()
		}))
	})
	t.Run("colour", func(t *testing.T) {
		smallRuns(t)
		t.Setenv("FORCE_COLOR", "1")
		matchesGolden(t, goldenIn(kept, "screen-colour"), onScreens(t, func(t *testing.T) string {
			return strings.ReplaceAll(verbOutput(t, "report", "runs/small"), "\x1b", "ESC")
		}))
	})
}

// The help of every verb, and the output that explains names, is never wider than the
// terminal, and has the same words at every width.
func TestNothingThatExplainsIsWider(t *testing.T) {
	lines := [][]string{{"help", "--all"}, {"list", "measures"}, {"list", "losses", "multi:P+I"}, {"list", "keys"}, {"data", "show", "followir"}, {"data", "show", "mini-followir"}, {"models"}}
	var verbs func(cmd *cobra.Command, path []string)
	verbs = func(cmd *cobra.Command, path []string) {
		for _, sub := range cmd.Commands() {
			if name := sub.Name(); sub.IsAvailableCommand() || sub.IsAdditionalHelpTopicCommand() {
				lines = append(lines, append([]string{"help"}, append(path, name)...))
				verbs(sub, append(slices.Clip(path), name))
			}
		}
	}
	verbs(newRoot(), nil)
	if len(lines) < 60 {
		t.Fatalf("%d command lines", len(lines))
	}
	only := strings.NewReplacer(`\`, "", "#", "", " ", "", "\t", "", "\n", "").Replace
	for _, args := range lines {
		t.Setenv("COLUMNS", "")
		whole := verbOutput(t, args...)
		for _, out := range strings.SplitAfter(onScreens(t, func(t *testing.T) string {
			out := verbOutput(t, args...)
			if args[0] == "help" && only(out) != only(whole) {
				t.Errorf("%v in %s columns has other words:\n%s", args, os.Getenv("COLUMNS"), out)
			}
			return out
		}), "\n") {
			if strings.HasSuffix(out, " \n") {
				t.Errorf("%v: blanks end %q", args, out)
			}
		}
	}
}

// failedRun is a run folder, runs/failed, of a sweep in which every trial failed, all except
// one with the same error.
func failedRun(t *testing.T) runs.Folder {
	t.Helper()
	t.Chdir(t.TempDir())
	plan, err := (&narrowing{}).plan(inFile(t, "failed.yaml", "name: failed\nmatrix: {loss: [uni:P, multi:P+I]}\nbaselines: [untrained]\nevaluate: [mini-bright]\n"))
	if err != nil {
		t.Fatal(err)
	}
	folder := runs.At(filepath.Join("runs", "failed"))
	if err := plan.Write(folder.PlanPath()); err != nil {
		t.Fatal(err)
	}
	for i, trial := range plan.Trials {
		cause := errors.New("backbone tiny-bert: design: a maximum of 100000 tokens is not in [1,64], the positions of the network")
		if i == len(plan.Trials)-1 {
			cause = errors.New("out of memory")
		}
		if err := folder.Trial(trial.ID).Failures().Add(results.Fault, cause); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// goldenIn is the path of a golden file, which is found from any folder.
func goldenIn(kept, name string) string { return filepath.Join(kept, name+".golden") }

// painted matches a sequence that colours text, as goldens contain it.
var painted = regexp.MustCompile(`ESC\[[0-9;]*m`)

// onScreens returns the output of a command on terminals of all widths, one after another.
func onScreens(t *testing.T, print func(t *testing.T) string) string {
	t.Helper()
	var all strings.Builder
	for _, width := range screenWidths {
		t.Setenv("COLUMNS", fmt.Sprint(width))
		out := print(t)
		for line := range strings.Lines(out) {
			if got := terminal.Width(painted.ReplaceAllString(strings.TrimSuffix(line, "\n"), "")); got > width {
				t.Errorf("%d columns on a terminal of %d: %q", got, width, line)
			}
		}
		fmt.Fprintf(&all, "%s %d columns\n%s", strings.Repeat("=", 8), width, out)
	}
	return all.String()
}

// Without colours the output does not mention them.
func TestPlainScreenSaysNothingOfColours(t *testing.T) {
	smallRuns(t)
	for _, args := range [][]string{{"report", "runs/small"}, {"report", "runs/small", "--all"}} {
		out := strings.ToLower(verbOutput(t, args...))
		for _, word := range []string{"bold is", "coloured", "blue:", "orange"} {
			if strings.Contains(out, word) {
				t.Errorf("%v without colours says %q", args, word)
			}
		}
		if strings.Contains(out, "\x1b") {
			t.Errorf("%v without a terminal is coloured", args)
		}
	}
	t.Setenv("FORCE_COLOR", "1")
	if out := verbOutput(t, "report", "runs/small"); !strings.Contains(out, "Blue: significantly better than") || !strings.Contains(out, "\x1b[") {
		t.Errorf("with colours they are not explained:\n%s", out)
	}
	t.Setenv("NO_COLOR", "1")
	if out := verbOutput(t, "report", "runs/small"); strings.Contains(out, "\x1b") {
		t.Error("NO_COLOR is not obeyed")
	}
}

// mtebFiles writes result files of four models in the layout of MTEB's repository. The last was
// measured on other data, and the table of facts does not know the third.
func mtebFiles(t *testing.T) {
	t.Helper()
	for i, model := range []string{"intfloat__e5-mistral-7b-instruct", "jhu-clsp__FollowIR-7B", "acme__a-model-with-a-long-name-v2", "BAAI__bge-m3"} {
		data := "r1"
		if i == 3 {
			data = "r2"
		}
		for k, task := range []string{"Core17InstructionRetrieval", "News21InstructionRetrieval", "Robust04InstructionRetrieval"} {
			shift := float64(3*i+k-4) / 100
			writeFile(t, filepath.Join("mteb", "results", model, "0123456789012345678901234567890123456789", task+".json"), fmt.Sprintf(
				`{"task_name": %q, "dataset_revision": %q, "mteb_version": "2.1.14", "scores": {"test": [{"p-MRR": %v, "og": {"map_at_1000": 0.2%d, "ndcg_at_5": 0.3%d}, "changed": {"map_at_1000": 0.1%d, "ndcg_at_5": 0.2%d}, "main_score": %v, "hf_subset": "default", "languages": ["eng-Latn"]}]}}`,
				task, data, shift, i, i, i, i, shift))
		}
	}
	writeFile(t, filepath.Join("mteb", "SOURCE.md"), "Source: acme/results @fedcba9876543210fedcba9876543210fedcba98; licence CC0-1.0.\n")
}
