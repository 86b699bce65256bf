package command

import (
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"infbench/internal/usage"
)

// submissionWorkflow is what of .github/workflows/submission.yaml this test looks at.
type submissionWorkflow struct {
	On          map[string]any    `yaml:"on"`
	Permissions map[string]string `yaml:"permissions"`
	Env         map[string]string `yaml:"env"`
	Jobs        map[string]struct {
		Permissions map[string]string `yaml:"permissions"`
		Steps       []struct {
			Name, Uses, Run string
			If              string         `yaml:"if"`
			Dir             string         `yaml:"working-directory"`
			With            map[string]any `yaml:"with"`
			Env             map[string]string
		} `yaml:"steps"`
	} `yaml:"jobs"`
}

// readSubmissionWorkflow reads the file, and its text.
func readSubmissionWorkflow(t *testing.T) (w submissionWorkflow, text string) {
	t.Helper()
	data, err := os.ReadFile("../../.github/workflows/submission.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(data, &w); err != nil {
		t.Fatal(err)
	}
	return w, string(data)
}

// The workflow on submissions is safe for forks: no event but pull_request, a token that
// may only read and is not kept, no secret, no text of a pull request in a script, and a
// program that is built from the branch it goes to.
func TestSubmissionWorkflowIsSafe(t *testing.T) {
	w, text := readSubmissionWorkflow(t)
	if events := slices.Collect(maps.Keys(w.On)); !slices.Equal(events, []string{"pull_request"}) {
		t.Errorf("events %v", events)
	}
	if want := map[string]string{"contents": "read"}; !reflect.DeepEqual(w.Permissions, want) {
		t.Errorf("permissions %v", w.Permissions)
	}
	for _, word := range []string{"secrets.", "github.token", "GITHUB_TOKEN", "pull_request_target", "workflow_run"} {
		if strings.Contains(text, word) {
			t.Errorf("the workflow says %s", word)
		}
	}
	refs := map[string]any{}
	for _, step := range w.Jobs["submission"].Steps {
		if strings.Contains(step.Run, "${{") {
			t.Errorf("step %q: text of an event is part of a script", step.Name)
		}
		if step.Run != "" && step.Dir != "board" {
			t.Errorf("step %q runs in %q", step.Name, step.Dir)
		}
		if strings.HasPrefix(step.Uses, "actions/checkout") {
			refs[step.With["path"].(string)] = step.With["ref"]
			if step.With["persist-credentials"] != false {
				t.Errorf("step %q keeps its token", step.Name)
			}
		}
	}
	if want := map[string]any{"board": "${{ github.event.pull_request.base.sha }}", "proposed": nil}; !reflect.DeepEqual(refs, want) {
		t.Errorf("checkouts %v", refs)
	}
}

// The workflow passes a good submission, says so in its summary, and fails on one that
// claims what its rankings do not give.
func TestSubmissionWorkflow(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("SKIP: there is no bash here")
	}
	w, _ := readSubmissionWorkflow(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "infbench"), []byte("#!/bin/bash\nexec "+usage.Quote(self)+" \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	at := t.TempDir()
	if err := os.MkdirAll(filepath.Join(at, "board"), 0o755); err != nil {
		t.Fatal(err)
	}
	dir := submitted(t, filepath.Join(at, "proposed", "submissions"), "acme/embed-1", "v1")
	event := func() (code int, summary string) {
		t.Helper()
		file := filepath.Join(t.TempDir(), "summary")
		for _, step := range w.Jobs["submission"].Steps {
			if step.Run == "" || step.Name == "build" {
				continue
			}
			cmd := exec.CommandContext(t.Context(), "bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step.Run)
			cmd.Dir = filepath.Join(at, step.Dir)
			cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "GITHUB_STEP_SUMMARY="+file, "DATA="+w.Env["DATA"])
			err := cmd.Run()
			if exit, stopped := errors.AsType[*exec.ExitError](err); stopped {
				code = exit.ExitCode()
			} else if err != nil {
				t.Fatal(err)
			}
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return code, string(data)
	}
	if code, summary := event(); code != exitOK || !strings.Contains(summary, "### acme/embed-1 v1: accepted, recomputed") {
		t.Errorf("good: exit %d\n%s", code, summary)
	}
	scores := filepath.Join(dir, "scores.jsonl")
	text, err := os.ReadFile(scores)
	if err != nil {
		t.Fatal(err)
	}
	rewrite(t, scores, []byte(strings.Replace(string(text), `"value":0.`, `"value":0.9`, 1)))
	if code, summary := event(); code != exitGate || !strings.Contains(summary, "claimed 0.9") {
		t.Errorf("overstated: exit %d\n%s", code, summary)
	}
}

// What was merged into submissions/ is published with the systems that were measured.
func TestWorkflowPublishesSubmissions(t *testing.T) {
	r := newRunner(t)
	const task = "nature"
	settings := map[string]string{"MEASURE": "infbench evaluate --model system.trec --data mini-bright --task " + task + " --out runs/system", "RUNS": "runs/system"}
	files := map[string]string{"system.trec": systemRun(t, task, 0), ".github/gate.yaml": "rules:\n  - {measure: nDCG@10, maximum_drop: 2, new: pass}\n", ".gitignore": "runs/\n"}
	dir := t.TempDir()
	submitted(t, filepath.Join(dir, "submissions"), "acme/embed-1", "v1")
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		data, err := os.ReadFile(path)
		files[filepath.ToSlash(name)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	r.commit("main", files)
	if failed, code, out := r.event("push", "main", settings); failed != "" {
		t.Fatalf("step %q, exit %d\n%s", failed, code, out)
	}
	folder := filepath.Join(t.TempDir(), "site")
	r.git("", "clone", "--quiet", "--branch", "gh-pages", r.origin, folder)
	index, err := os.ReadFile(filepath.Join(folder, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"acme/embed-1", "system.trec"} {
		if !strings.Contains(string(index), want) {
			t.Errorf("the published index does not name %s", want)
		}
	}
}
