package command

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infbench/internal/usage"
	"infbench/reports/scores"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// rowsOf returns the rows in a report of run folders.
func rowsOf(t *testing.T, dirs ...string) (*scores.Set, []string) {
	t.Helper()
	exps, err := runs.LoadAll(dirs)
	if err != nil {
		t.Fatal(err)
	}
	v, err := scores.New(exps)
	if err != nil {
		t.Fatal(err)
	}
	var labels []string
	for _, s := range v.Systems {
		labels = append(labels, fmt.Sprintf("%s x%d", s.Label, len(s.Trials)))
	}
	return v, labels
}

// A cell evaluated on some tasks has the same numbers on them as a cell evaluated on all, and
// the choice of tasks splits no model into two rows.
func TestTasksOfABenchmark(t *testing.T) {
	t.Chdir(t.TempDir())
	some := inFile(t, "some.yaml", fmt.Sprintf("name: some\nbase: {backbone: %s, train: {epochs: 1, rows_per_group: 240}}\nbaselines: [bm25]\nevaluate: [{mini-bright: [nature, craft]}]\n", smallBackbone(t)))
	if out := verbOutput(t, "plan", some); !strings.Contains(out, "time: ") {
		t.Errorf("plan printed\n%s", out)
	}
	verbOutput(t, "sweep", some)
	for i, args := range [][]string{{}, {"--task", "nature"}, {"--task", "craft", "--task", "health"}} {
		verbOutput(t, append([]string{"evaluate", "--model", "bm25", "--data", "mini-bright", "--out", fmt.Sprint("alone", i)}, args...)...)
	}
	for _, dirs := range [][]string{{"alone0", "alone1", "alone2"}, {"alone1", "alone2", "alone0"}, {"alone1"}} {
		if _, labels := rowsOf(t, dirs...); !slices.Equal(labels, []string{"bm25 x1"}) {
			t.Errorf("%v gives the rows %q", dirs, labels)
		}
	}
	v, labels := rowsOf(t, "alone1", "alone2")
	if len(labels) != 1 || len(v.Slots) != 3 {
		t.Errorf("tasks that were evaluated one by one give the rows %q with %d numbers", labels, len(v.Slots))
	}
	// The means of one task and of two others do not make a mean of three.
	for _, c := range v.Columns("mini-bright").Main() {
		if cell := v.Cell(v.Systems[0], c); len(c.Tasks) == 3 && (cell.State != scores.Missing || len(cell.Lacking) != 3) {
			t.Errorf("the mean of three tasks is %+v", cell)
		}
	}
	if out := verbOutput(t, "report", "runs/some"); !strings.Contains(out, "mean of 2 tasks") || !strings.Contains(out, "mini-bright") {
		t.Errorf("the mean of two tasks is not named so:\n%s", out)
	}
	if out := verbOutput(t, "diff", "runs/some", "alone0"); strings.Contains(out, "values differ") {
		t.Errorf("the tasks by themselves have other values:\n%s", out)
	}

	// An older evaluation that recorded its tasks as a setting is one row, too.
	settings := filepath.Join("alone1", results.SettingsFile)
	text := fileText(t, settings)
	if strings.Contains(text, "tasks") {
		t.Errorf("tasks are a setting: %s", text)
	}
	rewrite(t, settings, []byte(strings.Replace(text, "{", `{"tasks": "nature",`, 1)))
	if err := results.At("alone1").Marker().Write(); err != nil {
		t.Fatal(err)
	}
	if _, labels := rowsOf(t, "alone1", "alone2"); len(labels) != 1 || strings.Contains(labels[0], "tasks") {
		t.Errorf("with an evaluation of before: %q", labels)
	}

	for evaluate, want := range map[string]string{
		"{mini-bright: [natur]}": `unknown task "natur"; did you mean "nature"?`,
		"{mair: [DD_2051]}":      `did you mean "DD_2015"?`,
		"{followir: [robust4]}":  `did you mean "robust04"?`,
		"{bright: [biologie]}":   `did you mean "biology"?`,
	} {
		verbFails(t, usage.ExitUsage, want, "plan", inFile(t, "x.yaml", "name: x\nevaluate: ["+evaluate+"]\n"))
	}
	verbFails(t, exitFailure, "infbench data fetch mair", "sweep", inFile(t, "x.yaml", "name: x\nevaluate: [{mair: [DD_2015, FairRanking_2021]}]\n"))
}
