package spec

import (
	"slices"
	"strings"
	"testing"

	"infbench/internal/nearest"
)

// taskKnown knows the tasks of mini-mair.
func taskKnown() testNames {
	known := testKnown
	known.Task = func(benchmark, task string) error {
		if tasks := []string{"Law", "Law/one", "News", "Code"}; benchmark == "mini-mair" && !slices.Contains(tasks, task) {
			return nearest.Unknown("task", task, tasks)
		}
		return nil
	}
	return known
}

// Tasks of a benchmark are one string of a trial, in any order. A benchmark without tasks keeps
// its name.
func TestEvaluateTasks(t *testing.T) {
	planned := func(evaluate string) *Plan {
		t.Helper()
		return planKnowing(t, taskKnown(), "name: x\nevaluate: "+evaluate)
	}
	whole := plan(t, "name: x\nevaluate: [mini-mair, mini-followir]")
	if again := planned("[mini-mair, mini-followir]"); again.Trials[0].ID != whole.Trials[0].ID {
		t.Error("benchmarks by name have another ID")
	}
	some := planned("[{mini-mair: [News, Law]}, mini-followir]")
	if got := some.Trials[0].Evaluate; !slices.Equal(got, []string{"mini-mair(Law,News)", "mini-followir"}) {
		t.Errorf("evaluate is %q", got)
	}
	if other := planned("[{mini-mair: [Law, News]}, mini-followir]"); other.Trials[0].ID != some.Trials[0].ID || some.Trials[0].ID == whole.Trials[0].ID {
		t.Error("the order of tasks has a say in the ID, or tasks have none")
	}
	// The benchmark is pinned by its name, with the revision of the loaded tasks.
	if got := some.Trials[0].Revisions[2]; got != (Revision{"mini-mair", "mini-mair(Law,News)@1"}) {
		t.Errorf("pinned as %+v", got)
	}
	if name, tasks := TasksOf("mini-mair(Law,News)"); name != "mini-mair" || !slices.Equal(tasks, []string{"Law", "News"}) {
		t.Errorf("taken apart to %s and %q", name, tasks)
	}
}

func TestEvaluateTaskMistakes(t *testing.T) {
	const validated = "evaluate: [{mini-mair: [Law]}]\nbase: {validate: {measure: AP, "
	for yaml, want := range map[string]string{
		"evaluate: [{mini-mair: [Lew]}]":                              `x.yaml:2:25: mini-mair: unknown task "Lew"; did you mean "Law"?`,
		"evaluate: [{mini-mar: [Law]}]":                               `x.yaml:2:13: unknown benchmark "mini-mar"; did you mean "mini-mair"?`,
		"evaluate: [{mini-mair: []}]":                                 `mini-mair: want a list of at least one task, found an empty list`,
		"evaluate: [{mini-mair: Law}]":                                `mini-mair: want a list of at least one task`,
		"evaluate: [{}]":                                              `the mapping names no benchmark`,
		"evaluate: [{mini-mair: [Law, Law]}]":                         `task "Law" given twice`,
		"evaluate: [mini-mair, {mini-mair: [Law]}]":                   `"mini-mair" given twice`,
		"evaluate: [{mini-followir: ['a(b']}]":                        `"a(b" is not a name of a task`,
		validated + "data: {mini-mair: [Nws]}}}":                      `did you mean "News"?`,
		validated + "data: mini-mair, task: Nws}}":                    `did you mean "News"?`,
		validated + "data: {mini-mair: [News]}, task: Code}}":         `give only one of them`,
		validated + "data: {mini-mair: [News], mini-followir: [x]}}}": `data names 2 benchmarks, want one`,
		validated + "data: {mini-mair: [News, Law]}}}":                `is also the cell's test`,
		validated + "data: mini-mair}}":                               `is also the cell's test`,
		validated + "data: mini-mair, task: Law/one}}":                `is also the cell's test`,
	} {
		e, err := parse("x.yaml", []byte("name: x\n"+yaml), taskKnown())
		if err == nil {
			_, err = e.Expand(testResolve)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", yaml, err, want)
		}
	}
	for _, yaml := range []string{validated + "data: {mini-mair: [News, Code]}}}", validated + "data: mini-mair, task: News}}"} {
		e, err := parse("x.yaml", []byte("name: x\n"+yaml), taskKnown())
		if err == nil {
			_, err = e.Expand(testResolve)
		}
		if err != nil {
			t.Errorf("%s: %v", yaml, err)
		}
	}
}
