package runs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/runners/catalog"
	"infbench/runners/results"
	"infbench/runners/spec"
)

// labelled returns a plan of trained trials and a baseline, with IDs that share a beginning.
func labelled() *spec.Plan {
	plan := &spec.Plan{Format: 1, Name: "demo"}
	for _, t := range []struct{ id, label, model string }{
		{"68aa", "uni(P) seed=1", spec.Trained}, {"68bb", "uni(P) seed=2", spec.Trained},
		{"7c00", "uni(P,I) seed=1", spec.Trained}, {"9d00", "multi(P,I) seed=1", spec.Trained}, {"aa00", "bm25", "bm25"}, {"x100", "uni(P) seed=3x lr=1", spec.Trained},
	} {
		plan.Trials = append(plan.Trials, spec.Trial{ID: t.id, Label: t.label, Cell: spec.Cell{Model: t.model}})
	}
	return plan
}

func TestTrials(t *testing.T) {
	for name, want := range map[string]string{
		"68aa":          "68aa",
		"68":            "68aa 68bb",
		"9":             "9d00",
		"uni(P) seed=2": "68bb",
		"uni:P seed=2":  "68bb",
		"uni(P)":        "68aa 68bb x100",
		"uni:P":         "68aa 68bb x100",
		"uni:P+I":       "7c00",
		"multi:P+I":     "9d00",
		"multi(P,I)":    "9d00",
		"bm25":          "aa00",
		" bm25 ":        "aa00",
		"multi:P+IQ":    `error: no trial "multi:P+IQ"; did you mean "multi:P+I"?`,
		"bm52":          `error: did you mean "bm25"?`,
		"uni(P) lr=1":   "x100",
		"uni:P seed=1":  "68aa",
		"uni(P) seed=3": `error: did you mean "uni:P seed=1"?`,
		"zz":            `error: plan demo has no trial "zz"; infbench plan lists`,
		"uni":           `error: has no trial "uni"`,
	} {
		found, err := Trials(labelled(), name)
		var ids []string
		for _, f := range found {
			ids = append(ids, f.ID)
		}
		got := strings.Join(ids, " ")
		if text, fails := strings.CutPrefix(want, "error: "); fails {
			if err == nil || !strings.Contains(err.Error(), text) {
				t.Errorf("%q: %q, %v, want an error with %s", name, got, err, text)
			}
		} else if got != want || err != nil {
			t.Errorf("%q: %q, %v, want %q", name, got, err, want)
		}
	}
	if _, err := Trial(labelled(), "uni(P)"); err == nil || !strings.Contains(err.Error(), "is ambiguous: 68aa (uni:P seed=1), 68bb") {
		t.Errorf("two seeds: %v", err)
	}
}

// RUN:SYSTEM is split at the colon after a run folder's path. An existing path with the
// complete name takes precedence.
func TestModelFolder(t *testing.T) {
	dir := t.TempDir()
	run := filepath.Join(dir, "demo")
	plan := planned(t)
	if err := plan.Write(At(run).PlanPath()); err != nil {
		t.Fatal(err)
	}
	multi, err := Trial(plan, "multi:P+I")
	if err != nil {
		t.Fatal(err)
	}
	trained := filepath.Join(At(run).Trial(multi.ID).Dir, results.ModelDir)
	for _, made := range []string{trained, filepath.Join(dir, "a:b")} {
		if err := os.MkdirAll(made, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		run + ":multi:P+I":         trained,
		run + ":" + multi.ID:       trained,
		run + ":multi(P,I) seed=1": trained,
		filepath.Join(dir, "a:b"):  filepath.Join(dir, "a:b"),
		"bm25":                     "bm25",
		"org/name":                 "org/name",
		"none:uni:P":               "none:uni:P",
		run + ":uni:P+I":           "error: has no model yet",
		run + ":uni:P":             "error: is ambiguous",
		run + ":bm25":              "error: was not trained there: name its model, as --model bm25",
		run + ":multi:P+IQ":        "error: did you mean",
	} {
		got, err := ModelFolder(name)
		if text, fails := strings.CutPrefix(want, "error: "); fails {
			if err == nil || !strings.Contains(err.Error(), text) {
				t.Errorf("%s: %s, %v, want an error with %s", name, got, err, text)
			}
		} else if got != want || err != nil {
			t.Errorf("%s: %s, %v, want %s", name, got, err, want)
		}
	}
}

// planned returns a plan like labelled, with its real IDs.
func planned(t *testing.T) *spec.Plan {
	t.Helper()
	e, err := catalog.Parse("demo.yaml", []byte(`name: demo
matrix: {loss: [uni(P), "uni(P,I)", "multi(P,I)"], seed: [1]}
include: [{loss: uni(P), seed: 2}]
baselines: [bm25]
evaluate: [mini-bright]`))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := e.Expand(func(name string, _ uint64) (string, error) { return name, nil })
	if err != nil {
		t.Fatal(err)
	}
	return plan
}
