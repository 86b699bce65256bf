package command

import (
	"cmp"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"infbench/internal/usage"
)

// submissionWorkflow is the part of .github/workflows/submission.yaml that this test reads.
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

// The workflow on submissions is safe for forks: no event except pull_request, a token that
// may only read and is not kept, no secret, no text of a pull request in a script, and a
// program built from the target branch.
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

// plainAction matches an action as every workflow names it: by its commit, with its version
// for readers; or as an action of this repository.
var plainAction = regexp.MustCompile(`(?m)^ +(?:- )?uses: (?:[\w-]+(?:/[\w-]+)+@[0-9a-f]{40} # v[0-9]+\.[0-9]+\.[0-9]+|\./\.github/actions/\w+)$`)

// No workflow has more rights than it needs: every job may read, and a job that may write has
// neither the repository nor the program of a pull request. No token is kept where untrusted
// code runs, and no text of an event is part of a script. The same holds for the actions.
func TestWorkflowsHaveLeastRights(t *testing.T) {
	files, err := filepath.Glob("../../.github/workflows/*")
	actions, err2 := filepath.Glob("../../.github/actions/*/action.yml")
	if err != nil || err2 != nil || len(files) < 3 || len(actions) < 3 {
		t.Fatalf("%v %v, %v %v", files, actions, err, err2)
	}
	for _, file := range append(files, actions...) {
		text := string(mustRead(t, file))
		if uses, plain := strings.Count(text, "uses:"), len(plainAction.FindAllString(text, -1)); uses != plain {
			t.Errorf("%s: %d of %d actions are named by their commit and version", file, plain, uses)
		}
		if strings.Contains(text, "pull_request_target") || strings.Contains(text, "workflow_run") {
			t.Errorf("%s runs with the rights of the main branch", file)
		}
	}
	for _, file := range files {
		name := filepath.Base(file)
		checkRights(t, name, readWorkflow(t, name))
	}
	checkRights(t, "docs/ci.md", adoptedWorkflow(t, "", ""))
	for _, file := range actions {
		name := filepath.Base(filepath.Dir(file))
		for _, step := range readAction(t, name) {
			if strings.Contains(step.Run, "${{") {
				t.Errorf("action %s: step %q: text of an event is part of a script", name, step.Name)
			}
			if strings.HasPrefix(step.Uses, "actions/checkout@") && step.With["persist-credentials"] != false && name != "publish" {
				t.Errorf("action %s keeps its token", name)
			}
			if name == "comment" && (strings.HasPrefix(step.Uses, "actions/checkout@") || strings.Contains(step.Run, "infbench")) {
				t.Errorf("action %s: step %q runs code of a pull request with the right to write", name, step.Name)
			}
		}
	}
}

// checkRights checks the rights of a workflow's jobs.
func checkRights(t *testing.T, name string, w workflow) {
	t.Helper()
	if want := map[string]string{"contents": "read"}; !reflect.DeepEqual(w.Permissions, want) {
		t.Errorf("%s: permissions %v", name, w.Permissions)
	}
	for id, job := range w.Jobs {
		onPush := strings.Contains(job.If, "github.event_name == 'push'")
		for right, level := range job.Permissions {
			if level == "write" && !onPush && right != "pull-requests" {
				t.Errorf("%s: job %s may write %s on a pull request", name, id, right)
			}
		}
		for _, step := range job.Steps {
			if strings.Contains(step.Run, "${{ github") {
				t.Errorf("%s: step %q: text of an event is part of a script", name, step.Name)
			}
			checkout := strings.HasPrefix(step.Uses, "actions/checkout@")
			if checkout && step.With["persist-credentials"] != false && !onPush {
				t.Errorf("%s: job %s keeps its token", name, id)
			}
			if len(job.Permissions) == 0 || onPush {
				continue
			}
			proposed := checkout && step.With["ref"] != "${{ github.event.pull_request.base.sha }}"
			ours := ourAction.FindStringSubmatch(step.Uses)
			if proposed || ours != nil && ours[1] != "comment" || strings.Contains(step.Run, "infbench ") || strings.Contains(step.Run, "make ") {
				t.Errorf("%s: job %s may write and runs code of a pull request: step %q", name, id, cmp.Or(step.Name, step.Uses))
			}
		}
	}
}

// The workflow passes a good submission, with a note in its summary, and fails on one whose
// claims do not follow from its rankings.
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

// submissionFiles are the files of a submission, by their paths in a repository.
func submissionFiles(t *testing.T) map[string]string {
	t.Helper()
	dir, files := t.TempDir(), map[string]string{}
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
	return files
}

// Merged submissions in submissions/ are published with the measured systems.
func TestWorkflowPublishesSubmissions(t *testing.T) {
	r := newRunner(t)
	const task = "nature"
	settings := map[string]string{"MEASURE": "infbench evaluate --model system.trec --data mini-bright --task " + task + " --out runs/system", "RUNS": "runs/system"}
	files := map[string]string{"system.trec": systemRun(t, task, 0), ".github/gate.yaml": "rules:\n  - {measure: nDCG@10, maximum_drop: 2, new: pass}\n", ".gitignore": "runs/\n"}
	maps.Copy(files, submissionFiles(t))
	r.commit("main", files)
	if failed, code, out := r.event("push", "main", settings); failed != "" {
		t.Fatalf("step %q, exit %d\n%s", failed, code, out)
	}
	r.publishedNames("acme/embed-1", "system.trec")
}

// publishedNames checks that the published index names systems.
func (r *runner) publishedNames(systems ...string) {
	r.t.Helper()
	folder := filepath.Join(r.t.TempDir(), "site")
	r.git("", "clone", "--quiet", "--branch", "gh-pages", r.origin, folder)
	index, err := os.ReadFile(filepath.Join(folder, "index.html"))
	if err != nil {
		r.t.Fatal(err)
	}
	for _, want := range systems {
		if !strings.Contains(string(index), want) {
			r.t.Errorf("the published index does not name %s", want)
		}
	}
}
