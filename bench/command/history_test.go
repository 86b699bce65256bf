package command

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"infbench/internal/disk"
	"infbench/internal/testkit"
	"infbench/reports/site"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// madeBoard holds the measurements of a commit in a made-up repository: three losses, three
// seeds each, on two tasks.
type madeBoard struct {
	losses []string
	lr     float64 // determines the level
	commit int     // determines the seeds
	failed string  // a loss whose training fails
}

var threeLosses = []string{"uni(P)", "uni(I)", "multi(P,I)"}

// Standard deviations of the made-up values, in the range of nDCG, for queries around their
// task, runs around their system, and values around both.
const (
	ofQuery, ofRun, ofValue = 0.15, 0.01, 0.05
	madeQueries             = 40
)

// folder makes the run folder of a sweep; the level of all trained systems is 100 times the
// learning rate.
func (m madeBoard) folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "board.yaml")
	text := fmt.Sprintf("name: board\nbase: {train: {lr: %g}}\nmatrix: {loss: [\"%s\"], seed: [1, 2, 3]}\nbaselines: [bm25]\nevaluate: [mini-bright]\n", m.lr, strings.Join(m.losses, `", "`))
	if err := disk.WriteBytes(file, []byte(text)); err != nil {
		t.Fatal(err)
	}
	plan, err := new(narrowing).plan(file)
	if err != nil {
		t.Fatal(err)
	}
	folder := runs.At(filepath.Join(dir, "board"))
	for i := range plan.Trials {
		one := &plan.Trials[i]
		at := results.Folder{Dir: folder.Trial(one.ID).Dir, Files: unsynced{}}
		if err := at.Writer().Trial(one.WriteYAML); err != nil {
			t.Fatal(err)
		}
		if config := runs.Config(one); config[results.Loss] != "" && config[results.Loss] == m.failed {
			err = at.Failures().Add(results.Fault, fmt.Errorf("out of memory"))
		} else {
			err = at.Writer().Complete(config, m.values(config), results.Provenance{Infbench: "made up"})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := plan.Write(folder.PlanPath()); err != nil {
		t.Fatal(err)
	}
	return folder.Dir
}

// values makes up the scores of a trial.
func (m madeBoard) values(config results.Config) []results.Result {
	level, run := 0.3, 0.0
	if config[results.Loss] != "" {
		level = 100 * m.lr
		run = ofRun * sourceOf(config[results.Loss], config[results.Seed], m.commit).NormFloat64()
	}
	var out []results.Result
	for _, task := range []string{"biology", "nature"} {
		topics, rest := sourceOf(task, "", 0), sourceOf(task+config[results.Loss], config[results.Seed], m.commit)
		for q := range madeQueries {
			v := level + run + ofQuery*topics.NormFloat64()
			if config[results.Loss] != "" {
				v += ofValue * rest.NormFloat64()
			}
			out = append(out, results.Result{Benchmark: "mini-bright", Task: task, Query: fmt.Sprintf("q%02d", q), Measure: "nDCG@10", Value: &v})
		}
	}
	return out
}

// sourceOf returns the same random source for the same names.
func sourceOf(a, b string, n int) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprint(h, a, "|", b)
	return rand.New(rand.NewPCG(h.Sum64(), uint64(n)))
}

// boardRules are the rules of the repository.
const boardRules = "scale: 100\nrules:\n  - {measure: nDCG@10, maximum_drop: 2, significance: 0.05, new: pass}\n"

// settings make the workflow measure the made-up values.
func (m madeBoard) settings(t *testing.T) map[string]string {
	return map[string]string{"MEASURE": "mkdir -p runs; cp -r " + m.folder(t) + " runs/board", "RUNS": "runs/board"}
}

// site returns a copy of the published site.
func (r *runner) site() string {
	r.t.Helper()
	folder := filepath.Join(r.t.TempDir(), "site")
	r.git("", "clone", "--quiet", "--branch", "gh-pages", r.origin, folder)
	return folder
}

// push changes a file on the main branch and runs the workflow on it, which must publish.
func (r *runner) push(m madeBoard, files map[string]string) string {
	r.t.Helper()
	r.commit("main", files)
	failed, code, out := r.event("push", "main", m.settings(r.t))
	if failed != "" {
		r.t.Fatalf("push: step %q, exit %d\n%s", failed, code, out)
	}
	return out
}

// TestDrift: a learning rate that falls a little with every commit is detected by the fifth,
// with its commits and their changes.
func TestDrift(t *testing.T) {
	r := newRunner(t)
	var commits []string
	for i, lr := range []float64{.005, .00487, .00474, .00461, .00448} {
		r.push(madeBoard{losses: threeLosses, lr: lr, commit: i}, map[string]string{".github/gate.yaml": boardRules, ".gitignore": "runs/\nsite/\n", "n": fmt.Sprint(i)})
		commits = append(commits, r.git(r.site(), "log", "-1", "--format=%s"))
	}
	folder := r.site()
	index := string(mustRead(t, filepath.Join(folder, "index.html")))
	last := strings.TrimPrefix(commits[4], "leaderboard of ")
	for _, want := range []string{"<td>drift</td>", last[:8], "train.lr 0.00448, before 0.00461", "<td>nDCG@10 on mini-bright (mean of 2 tasks)</td>", "definitions.html", "over 5 commits"} {
		if !strings.Contains(index, want) {
			t.Errorf("the index has no %q after five commits", want)
		}
	}
	if n := r.git(folder, "rev-list", "--count", "HEAD"); n != "1" {
		t.Errorf("gh-pages has %s commits", n)
	}
	if kept, err := filepath.Glob(filepath.Join(folder, "reports", "*.html")); err != nil || len(kept) == 0 {
		t.Errorf("no report of the drift is kept: %v", err)
	}
}

// TestAcceptedDrop: in ten commits with three seeds each, a drop of the mean fails the gate
// with the reason. Once accepted, it and all later commits are published; it fails again
// after its last day.
func TestAcceptedDrop(t *testing.T) {
	testkit.Deep(t)
	r := newRunner(t)
	good, bad := madeBoard{losses: threeLosses, lr: .005}, madeBoard{losses: threeLosses, lr: .0038}
	for i := range 5 {
		good.commit = i
		r.push(good, map[string]string{".github/gate.yaml": boardRules, ".gitignore": "runs/\nsite/\n", "n": fmt.Sprint(i)})
	}
	if index := string(mustRead(t, filepath.Join(r.site(), "index.html"))); !strings.Contains(index, "No number took a step or drifted") || strings.Contains(index, "Changes for the worse") {
		t.Error("five commits without a change: something is named")
	}
	pull := func(m madeBoard, branch string, files map[string]string, wantFailed string, wants ...string) {
		t.Helper()
		r.commit(branch, files)
		failed, code, out := r.event("pull_request", branch, m.settings(t))
		if failed != wantFailed || failed == "gate" && code != exitGate {
			t.Errorf("%s: step %q, exit %d, want %q\n%s", branch, failed, code, wantFailed, out)
		}
		r.posted(wants...)
	}
	bad.commit, good.commit = 5, 6
	pull(good, "same", map[string]string{"n": "same"}, "", "**Gate met**", "0 lower")
	pull(bad, "worse", map[string]string{"n": "worse"}, "gate", "**Gate not met**", "train.lr 0.0038, before 0.005", "**Failed**", "actions/runs", "mean of 2 tasks")

	// Dropping a loss from the plan is a decision, losing one is not.
	fewer, failing := good, good
	fewer.losses, failing.failed = threeLosses[:2], "uni(I)"
	pull(fewer, "fewer", map[string]string{"n": "fewer"}, "", "**No longer asked for**", "multi(P,I)")
	pull(failing, "failing", map[string]string{"n": "failing"}, "gate", "**Failed**", "lost: uni(I)")

	// The drop is accepted.
	accepted := r.accept(bad, "2999-01-31")
	pull(bad, "answered", map[string]string{".github/accepted.yaml": accepted}, "", "**Gate met**", "accepted by Ann until 2999-01-31: half the training time")
	if out := r.push(bad, map[string]string{".github/accepted.yaml": accepted}); !strings.Contains(out, "accepted") {
		t.Errorf("the accepted drop is not said:\n%s", out)
	}
	for i := 7; i < 10; i++ {
		bad.commit = i
		r.push(bad, map[string]string{"n": fmt.Sprint(i)})
	}
	folder := r.site()
	h, err := site.HistoryOf(folder)
	if err != nil || len(h.Commits) != 9 {
		t.Fatalf("%d commits: %v", len(h.Commits), err)
	}
	index := string(mustRead(t, filepath.Join(folder, "index.html")))
	for _, want := range []string{"Changes for the worse", "<strong>accepted</strong>", "by Ann until 2999-01-31", "<td>step</td>", "train.lr 0.0038, before 0.005"} {
		if !strings.Contains(index, want) {
			t.Errorf("the index has no %q", want)
		}
	}

	// Its last day is over: pull requests fail, and pushes are published and marked.
	expired := strings.ReplaceAll(accepted, "2999-01-31", "2020-01-31")
	pull(bad, "expired", map[string]string{".github/accepted.yaml": expired}, "gate", "**Gate not met**", "now expired")
	bad.commit = 11
	if out := r.push(bad, map[string]string{".github/accepted.yaml": expired}); !strings.Contains(out, "gate not met") {
		t.Errorf("the expired drop is not said:\n%s", out)
	}
}

// accept runs infbench gate accept for the change that would be published and that fails the
// gate, and returns the file.
func (r *runner) accept(m madeBoard, until string) string {
	r.t.Helper()
	file, rules := filepath.Join(r.t.TempDir(), "accepted.yaml"), inFile(r.t, "gate.yaml", boardRules)
	verbOutput(r.t, "gate", "accept", "--rule", rules, "--file", file, "--baseline", filepath.Join(r.site(), "report.html"), "--run", m.folder(r.t), "--until", until, "--who", "Ann", "--why", "half the training time")
	return string(mustRead(r.t, file))
}
