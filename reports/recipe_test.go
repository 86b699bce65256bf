package reports

import (
	"fmt"
	"strings"
	"testing"

	"infbench/reports/scores"
	"infbench/reports/section"
	"infbench/runners/results"
)

// sweep returns an experiment with two losses whose training saved weights.
func sweep(name, file string, set ...string) *results.Experiment {
	e := &results.Experiment{Name: name, File: file, Set: set}
	for i, loss := range []string{"uni(P)", "uni(I)"} {
		value := .5
		t := results.Trial{ID: fmt.Sprint(name, i), State: results.Done, Weights: strings.Repeat(fmt.Sprint(i+1), 64),
			Config:  results.Config{results.Model: "tiny-bert", results.Backbone: "tiny-bert", results.Loss: loss, results.Seed: "1", results.Epochs: "2"},
			Results: []results.Result{{Benchmark: "bench", Task: "task", Query: "1", Measure: "AP", Value: &value}}}
		t.Provenance.Inputs = map[string]string{"mini-infir": "sha256:4bca"}
		e.Trials = append(e.Trials, t)
	}
	return e
}

// text returns all texts of a section.
func text(t *testing.T, exps ...*results.Experiment) string {
	t.Helper()
	v, err := scores.New(exps)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	section.Each([]section.Section{recipeSection(v, exps)}, func(s *section.Section, _ int) {
		fmt.Fprintln(&b, s.Title, s.Intro, s.Text, s.Notes, s.Terms)
		for _, table := range s.Tables {
			for _, row := range table.Rows {
				for _, e := range row.Entries {
					fmt.Fprint(&b, e.Text, " | ")
				}
				fmt.Fprintln(&b)
			}
		}
	})
	return b.String()
}

func TestRecipeSection(t *testing.T) {
	got := text(t, sweep("one", "name: one\r\nbase:\n\tepochs: 2\x1b[31m\n", "train.epochs=2"), sweep("two", ""))
	for _, want := range []string{
		"epochs | 2 | train.epochs |", "backbone | tiny-bert | backbone |", "uni(I) (two) | uni(I) | 1 |", "mini-infir | sha256:4bca | 4 |",
		strings.Repeat("2", 64), "name: one\nbase:\n    epochs: 2\ufffd[31m", "Set on the command line, not in the file: train.epochs=2.",
		"No experiment file was kept for two", "infbench sweep one.yaml --set train.epochs=2", "infbench verify report.html --runs runs/one",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in:\n%s", want, got)
		}
	}
	if strings.Contains(got, "seed |") || strings.Contains(got, "two.yaml") {
		t.Errorf("too much is said:\n%s", got)
	}
}

func TestNothingIsSaidOfNothing(t *testing.T) {
	if got := strings.TrimSpace(text(t)); !strings.HasPrefix(got, "How it was run") || strings.Contains(got, "|") {
		t.Errorf("said %q", got)
	}
}
