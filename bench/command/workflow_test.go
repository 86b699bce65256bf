package command

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"infbench/internal/usage"
	"infbench/metrics/trec"
	"infbench/reports/gate"
	"infbench/reports/site"
	"infbench/runners/catalog"
)

// workflow has the parts of a GitHub Actions file that this test runs.
type workflow struct {
	Env         map[string]string `yaml:"env"`
	Concurrency struct {
		Group string `yaml:"group"`
	} `yaml:"concurrency"`
	Permissions map[string]string      `yaml:"permissions"`
	Jobs        map[string]workflowJob `yaml:"jobs"`
}

type workflowJob struct {
	If          string            `yaml:"if"`
	Needs       string            `yaml:"needs"`
	Permissions map[string]string `yaml:"permissions"`
	Steps       []workflowStep    `yaml:"steps"`
}

type workflowStep struct {
	Name     string            `yaml:"name"`
	Uses     string            `yaml:"uses"`
	If       string            `yaml:"if"`
	Run      string            `yaml:"run"`
	With     map[string]any    `yaml:"with"`
	Env      map[string]string `yaml:"env"`
	Continue bool              `yaml:"continue-on-error"`
}

// readWorkflow reads a file of .github/workflows.
func readWorkflow(t *testing.T, name string) (w workflow) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../../.github/workflows", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(data, &w); err != nil {
		t.Fatal(err)
	}
	return w
}

// runsOn reports whether the condition of a job or a step holds at an event, for the
// conditions that this test knows.
func (r *runner) runsOn(event, condition string, env map[string]string) bool {
	r.t.Helper()
	condition = strings.TrimPrefix(strings.TrimSuffix(condition, " }}"), "${{ !cancelled() && ")
	holds, known := map[string]bool{"": true, "github.event_name == 'push'": event == "push", "github.event_name == 'pull_request'": event == "pull_request", "env.RELEASE != ''": env["RELEASE"] != ""}[condition]
	if !known {
		r.t.Fatalf("a condition that this test does not know: %q", condition)
	}
	return holds
}

// runner does the work of GitHub's runner on a local repository: a fresh clone for each job
// that checks it out, the steps in order, and the files through which steps and jobs pass
// values.
type runner struct {
	t                  *testing.T
	file               workflow
	origin, bin, cache string
}

// newRunner reads the workflow and makes an empty repository. The program under test is this
// one, and gh stores its input.
func newRunner(t *testing.T) *runner {
	t.Helper()
	for _, tool := range []string{"git", "bash"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("SKIP: there is no %s here", tool)
		}
	}
	r := &runner{t: t, file: readWorkflow(t, "leaderboard.yml"), origin: filepath.Join(t.TempDir(), "origin.git"), bin: t.TempDir(), cache: t.TempDir()}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r.program("infbench", fmt.Sprintf("exec %s \"$@\"", usage.Quote(self)))
	r.program("gh", fmt.Sprintf("for a in \"$@\"; do case $a in body=@*) cp \"${a#body=@}\" %s/posted.md;; esac; done", usage.Quote(r.bin)))
	r.git("", "init", "--quiet", "--bare", "--initial-branch", "main", r.origin)
	return r
}

func (r *runner) program(name, body string) {
	r.t.Helper()
	if err := os.WriteFile(filepath.Join(r.bin, name), []byte("#!/bin/bash\n"+body+"\n"), 0o755); err != nil {
		r.t.Fatal(err)
	}
}

// git runs git in a folder and returns its output.
func (r *runner) git(dir string, args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@localhost", "-c", "commit.gpgsign=false"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit pushes files to a branch of the repository.
func (r *runner) commit(branch string, files map[string]string) {
	r.t.Helper()
	dir := filepath.Join(r.t.TempDir(), "work")
	r.git("", "clone", "--quiet", r.origin, dir)
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			r.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			r.t.Fatal(err)
		}
	}
	r.git(dir, "add", "--all")
	r.git(dir, "commit", "--quiet", "--allow-empty", "--message", "change")
	r.git(dir, "push", "--quiet", "origin", "HEAD:"+branch)
}

// event runs the workflow on a branch: its first job and, whatever its outcome, the jobs that
// need it. It returns the first step that failed, with its exit code, and the complete
// output.
func (r *runner) event(name, branch string, settings map[string]string) (failed string, code int, output string) {
	r.t.Helper()
	kept := r.t.TempDir()
	for _, first := range []bool{true, false} {
		for _, job := range r.file.Jobs {
			if (job.Needs == "") != first || !r.runsOn(name, job.If, nil) {
				continue
			}
			step, exit, out := r.job(job, name, branch, kept, settings)
			if output += out; failed == "" {
				failed, code = step, exit
			}
		}
	}
	return failed, code, output
}

// job runs the steps of a job until one fails; kept has the files that jobs pass on.
func (r *runner) job(job workflowJob, event, branch, kept string, settings map[string]string) (failed string, code int, output string) {
	r.t.Helper()
	dir := filepath.Join(r.t.TempDir(), "checkout")
	if err := os.Mkdir(dir, 0o755); err != nil {
		r.t.Fatal(err)
	}
	env := maps.Clone(r.file.Env)
	maps.Copy(env, settings)
	maps.Copy(env, map[string]string{"GITHUB_SHA": r.git(r.origin, "rev-parse", branch), "GITHUB_REPOSITORY": "o/r", "GITHUB_RUN_ID": "1",
		"GITHUB_PATH": filepath.Join(r.t.TempDir(), "path"), "GITHUB_ENV": filepath.Join(r.t.TempDir(), "env")})
	var out bytes.Buffer
	failed, code = (&running{r, event, branch, kept, dir, env, &out}).steps(job.Steps, "")
	return failed, code, out.String()
}

// running is a job that runs.
type running struct {
	*runner
	event, branch, kept, dir string
	env                      map[string]string
	out                      *bytes.Buffer
}

// ourAction matches an action of this repository, as this and other repositories name it.
var ourAction = regexp.MustCompile(`^(?:\.|[\w-]+/infbench)/\.github/actions/(\w+)(@\w+)?$`)

// steps runs steps until one fails; place is the folder of their action, "" for those of a job.
func (j *running) steps(steps []workflowStep, place string) (failed string, code int) {
	for _, step := range steps {
		if step.Name == "build" || !j.runsOn(j.event, step.If, j.env) {
			continue
		}
		fmt.Fprintf(j.out, "== %s\n", cmp.Or(step.Name, step.Uses))
		if ours := ourAction.FindStringSubmatch(step.Uses); ours != nil {
			dir, err := filepath.Abs(filepath.Join("../../.github/actions", ours[1]))
			if err != nil {
				j.t.Fatal(err)
			}
			if failed, code = j.steps(readAction(j.t, ours[1]), dir); failed != "" {
				return failed, code
			}
			continue
		}
		j.action(step)
		if step.Run == "" {
			continue
		}
		if code = j.script(step, place); code != 0 && !step.Continue {
			return step.Name, code
		}
		j.readEnv(j.env)
	}
	return "", 0
}

// readAction returns the steps of an action of this repository.
func readAction(t *testing.T, name string) []workflowStep {
	t.Helper()
	var action struct {
		Runs struct{ Steps []workflowStep }
	}
	if err := yaml.Unmarshal(mustRead(t, filepath.Join("../../.github/actions", name, "action.yml")), &action); err != nil {
		t.Fatal(err)
	}
	return action.Runs.Steps
}

// action does what an action of GitHub does.
func (j *running) action(step workflowStep) {
	j.t.Helper()
	switch action, _, _ := strings.Cut(step.Uses, "@"); action {
	case "", "actions/setup-go":
	case "actions/checkout":
		j.git("", "clone", "--quiet", "--branch", j.branch, j.origin, j.dir)
	case "actions/upload-artifact":
		j.hand(filepath.Join(j.dir, step.With["path"].(string)), filepath.Join(j.kept, step.With["name"].(string)))
	case "actions/download-artifact":
		j.hand(filepath.Join(j.kept, step.With["name"].(string)), j.dir)
	case "actions/cache/save":
		cmd := exec.Command("bash", "-c", "shopt -s nullglob; cp -r --parents "+strings.Join(strings.Fields(step.With["path"].(string)), " ")+" \"$0\"", j.cache)
		cmd.Dir = j.dir
		if out, err := cmd.CombinedOutput(); err != nil {
			j.t.Fatalf("cache: %v\n%s", err, out)
		}
	case "actions/cache/restore":
		if out, err := exec.Command("cp", "-r", j.cache+"/.", j.dir).CombinedOutput(); err != nil {
			j.t.Fatalf("cache: %v\n%s", err, out)
		}
	default:
		j.t.Fatalf("an action that this test does not know: %s", step.Uses)
	}
}

// script runs a step's script and returns its exit code.
func (j *running) script(step workflowStep, place string) int {
	j.t.Helper()
	cmd := exec.CommandContext(j.t.Context(), "bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step.Run)
	cmd.Dir, cmd.Stdout, cmd.Stderr = j.dir, j.out, j.out
	cmd.Env = append(os.Environ(), "GITHUB_ACTION_PATH="+place)
	for _, values := range []map[string]string{j.env, step.Env} {
		for _, key := range slices.Sorted(maps.Keys(values)) {
			cmd.Env = append(cmd.Env, key+"="+values[key])
		}
	}
	added, err := os.ReadFile(j.env["GITHUB_PATH"])
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		j.t.Fatal(err)
	}
	cmd.Env = append(cmd.Env, "PATH="+strings.ReplaceAll(string(added), "\n", ":")+j.bin+":"+os.Getenv("PATH"))
	err = cmd.Run()
	if exit, stopped := errors.AsType[*exec.ExitError](err); stopped {
		return exit.ExitCode()
	}
	if err != nil {
		j.t.Fatal(err)
	}
	return 0
}

// hand copies a file, or all files of a folder, into a folder.
func (r *runner) hand(from, into string) {
	r.t.Helper()
	files := []string{from}
	if info, err := os.Stat(from); err == nil && info.IsDir() {
		files, _ = filepath.Glob(filepath.Join(from, "*"))
	}
	for _, file := range files {
		writeFile(r.t, filepath.Join(into, filepath.Base(file)), string(mustRead(r.t, file)))
	}
}

// readEnv reads the variables that a step set for the next ones.
func (r *runner) readEnv(env map[string]string) {
	data, err := os.ReadFile(env["GITHUB_ENV"])
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		r.t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if key, value, ok := strings.Cut(strings.TrimRight(line, "\n"), "="); ok {
			env[key] = value
		}
	}
}

// systemRun is the ranking of a system on a task of mini-bright: for each query others other
// documents, then the relevant ones.
func systemRun(t *testing.T, task string, others int) string {
	t.Helper()
	b, err := catalog.LoadBenchmark("mini-bright", 1, task)
	if err != nil {
		t.Fatal(err)
	}
	run := trec.Run{}
	for query, grades := range b.Tasks[0].Qrels {
		var relevant, first []string
		for doc, err := range b.Tasks[0].Corpus.Documents() {
			switch {
			case err != nil:
				t.Fatal(err)
			case grades[doc.ID] > 0:
				relevant = append(relevant, doc.ID)
			case len(first) < others:
				first = append(first, doc.ID)
			}
		}
		for i, doc := range append(first, relevant...) {
			run[query] = append(run[query], trec.Scored{Doc: doc, Score: float64(1000 - i)})
		}
	}
	var text bytes.Buffer
	if err := trec.WriteRun(&text, run, "system"); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// TestWorkflow runs .github/workflows/leaderboard.yml on a repository that keeps the ranking
// of a system. A first push publishes; a pull request that changes nothing passes; one that
// lowers the numbers, or lacks the system, is told so and stopped; a push records its commit
// once.
func TestWorkflow(t *testing.T) {
	r := newRunner(t)
	const task = "nature"
	const rules = "rules:\n  - {measure: nDCG@10, maximum_drop: 2, significance: 0.05, new: pass}\n"
	settings := map[string]string{"MEASURE": "infbench evaluate --model system.trec --data mini-bright --task " + task + " --out runs/system", "RUNS": "runs/system"}
	r.commit("main", map[string]string{"system.trec": systemRun(t, task, 0), ".github/gate.yaml": rules, ".gitignore": "runs/\n"})
	if failed, code, out := r.event("push", "main", settings); failed != "" {
		t.Fatalf("first push: step %q, exit %d\n%s", failed, code, out)
	}

	r.commit("same", map[string]string{"README": "words"})
	if failed, code, out := r.event("pull_request", "same", settings); failed != "" || !strings.Contains(out, "gate met: 0 of ") {
		t.Errorf("nothing changed: step %q, exit %d\n%s", failed, code, out)
	}
	r.posted("**Gate met**", "0 lower", "1 the same")

	r.commit("worse", map[string]string{"system.trec": systemRun(t, task, 6)})
	failed, code, out := r.event("pull_request", "worse", settings)
	if failed != "gate" || code != exitGate || !strings.Contains(out, "FAIL .github/gate.yaml:") || !strings.Contains(out, "and significant") {
		t.Errorf("worse: step %q, exit %d\n%s", failed, code, out)
	}
	r.posted("**Gate not met**", "1 lower", "**Failed**", "system.trec")

	gone := maps.Clone(settings)
	gone["MEASURE"] = strings.Replace(settings["MEASURE"], "system.trec", "constant", 1)
	if failed, code, out := r.event("pull_request", "same", gone); failed != "gate" || code != exitGate || !strings.Contains(out, "missing: only the baseline has this number") {
		t.Errorf("gone: step %q, exit %d\n%s", failed, code, out)
	}

	r.commit("main", map[string]string{"README": "more words"})
	for range 2 { // starting the run again changes nothing
		if failed, code, out := r.event("push", "main", settings); failed != "" {
			t.Fatalf("second push: step %q, exit %d\n%s", failed, code, out)
		}
	}
	r.published()
}

// group is the concurrency group of an event; GitHub cancels all waiting runs of a group
// except the last. It evaluates the one expression that this test knows.
func (r *runner) group(event, ref, sha string) string {
	r.t.Helper()
	before, rest, _ := strings.Cut(r.file.Concurrency.Group, "${{ github.event_name == 'pull_request' && ")
	of, after, ok := strings.Cut(rest, " }}")
	pull, push, both := strings.Cut(of, " || ")
	if !ok || !both || after != "" {
		r.t.Fatalf("concurrency has a group that this test does not know: %q", r.file.Concurrency.Group)
	}
	if event == "pull_request" {
		push = pull
	}
	return before + map[string]string{"github.ref": ref, "github.sha": sha}[push]
}

// TestQuickPushes: three quick pushes are all published, even if the second is measured last
// and somebody else pushes the site at that moment: in the order of the branch, with the
// pages of the last.
func TestQuickPushes(t *testing.T) {
	r := newRunner(t)
	if a, b := r.group("push", "refs/heads/main", "1"), r.group("push", "refs/heads/main", "2"); a == b {
		t.Errorf("two pushes share the group %s: of three quick ones the second is never published", a)
	}
	if a, b := r.group("pull_request", "refs/pull/1/merge", "1"), r.group("pull_request", "refs/pull/1/merge", "2"); a != b {
		t.Errorf("two runs of one pull request do not share a group: %s, %s", a, b)
	}
	board, shas := madeBoard{losses: threeLosses, lr: .005}, []string{}
	for i, branch := range []string{"first", "second", "third"} {
		r.commit("main", map[string]string{".github/gate.yaml": boardRules, ".gitignore": "runs/\nsite/\n", "n": fmt.Sprint(i)})
		r.git(r.origin, "branch", branch, "main")
		shas = append(shas, r.git(r.origin, "rev-parse", "main"))
	}
	measured := func(branch string, commit int, lr float64) string {
		t.Helper()
		board.commit, board.lr = commit, lr
		failed, code, out := r.event("push", branch, board.settings(t))
		if failed != "" {
			t.Fatalf("%s: step %q, exit %d\n%s", branch, failed, code, out)
		}
		return out
	}
	measured("first", 0, .005)
	measured("third", 2, .0051)
	report := mustRead(t, filepath.Join(r.site(), "report.html"))
	r.disturb()
	out := measured("second", 1, .004)
	if !strings.Contains(out, "stale info") && !strings.Contains(out, "rejected") {
		t.Errorf("nobody came between:\n%s", out)
	}
	folder := r.site()
	if _, err := os.Stat(filepath.Join(folder, "disturbed")); err != nil {
		t.Errorf("another push is lost: %v", err)
	}
	h, err := site.HistoryOf(folder)
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, c := range h.Commits {
		order = append(order, c.Commit)
	}
	if !slices.Equal(order, shas) {
		t.Errorf("history %v, want %v", order, shas)
	}
	if !bytes.Equal(mustRead(t, filepath.Join(folder, "report.html")), report) {
		t.Error("the report is no longer that of the last commit")
	}
	if len(h.Commits[1].Marks) == 0 || !strings.Contains(string(mustRead(t, filepath.Join(folder, "index.html"))), "Changes for the worse") {
		t.Error("the second commit, which is worse, is not marked")
	}
	if _, err := os.Stat(filepath.Join(folder, "baseline.html")); err == nil {
		t.Error("the baseline of an earlier commit is the baseline of the next")
	}
}

// disturb pushes the site as somebody else while the next commit is being published.
func (r *runner) disturb() {
	r.t.Helper()
	self, err := os.Executable()
	if err != nil {
		r.t.Fatal(err)
	}
	mark, other := filepath.Join(r.bin, "mark"), filepath.Join(r.bin, "other")
	if err := os.WriteFile(mark, nil, 0o644); err != nil {
		r.t.Fatal(err)
	}
	r.program("infbench", fmt.Sprintf(`set -e
%s "$@"
if [ "$1" = publish ] && [ -f %[2]s ]; then
  rm %[2]s
  git clone --quiet --branch gh-pages %[4]s %[3]s
  touch %[3]s/disturbed
  git -C %[3]s add --all
  git -C %[3]s -c user.name=t -c user.email=t@localhost commit --quiet --message other
  git -C %[3]s push --quiet origin HEAD:gh-pages
fi`, usage.Quote(self), usage.Quote(mark), usage.Quote(other), usage.Quote(r.origin)))
}

// posted checks the comment that the last pull request got.
func (r *runner) posted(wants ...string) {
	r.t.Helper()
	data, err := os.ReadFile(filepath.Join(r.bin, "posted.md"))
	if err != nil {
		r.t.Fatal(err)
	}
	for _, want := range append(wants, gate.CommentMark) {
		if !strings.Contains(string(data), want) {
			r.t.Errorf("the comment has no %q:\n%s", want, data)
		}
	}
}

// published checks the site: two commits, each once, and a valid report.
func (r *runner) published() {
	r.t.Helper()
	folder := filepath.Join(r.t.TempDir(), "site")
	r.git("", "clone", "--quiet", "--branch", "gh-pages", r.origin, folder)
	history, err := os.ReadFile(filepath.Join(folder, site.HistoryFile))
	if err != nil {
		r.t.Fatal(err)
	}
	if n := bytes.Count(history, []byte("\n")); n != 2 {
		r.t.Errorf("%d commits in the history:\n%s", n, history)
	}
	if _, err := os.Stat(filepath.Join(folder, "index.html")); err != nil {
		r.t.Error(err)
	}
	if out := verbOutput(r.t, "verify", filepath.Join(folder, "report.html")); !strings.Contains(out, " 0 differences") {
		r.t.Error(out)
	}
}
