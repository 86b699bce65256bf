package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"infbench/internal/usage"
	"infbench/reports"
	"infbench/reports/gate"
	"infbench/reports/page"
	"infbench/runners/results"
)

// trainedPage is a report of a loss that was trained once; the seed shifts all of its values
// by by.
func trainedPage(t *testing.T, file string, seed int, by float64) string {
	t.Helper()
	trial := results.Trial{ID: fmt.Sprint("t", seed), State: results.Done, Config: results.Config{results.Model: "tiny-bert", results.Loss: "uni(P)", results.Seed: fmt.Sprint(seed)}}
	trial.Provenance.Benchmarks = []results.Benchmark{{Name: "made", Synthetic: true, Revision: "r1"}}
	noise := rand.New(rand.NewPCG(uint64(seed), 1))
	for _, task := range []string{"one", "two"} {
		for q := range 40 {
			v := .5 + by + .05*noise.NormFloat64()
			trial.Results = append(trial.Results, results.Result{Benchmark: "made", Task: task, Query: fmt.Sprintf("q%02d", q), Measure: "nDCG@10", Value: &v})
		}
	}
	r, err := reports.Build([]*results.Experiment{{Name: "made", Trials: []results.Trial{trial}}}, reports.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := page.Write(&b, r); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestGateOfOneSeed: a system trained once is undecided by itself, and judged by the
// variation over the last five commits of a site.
func TestGateOfOneSeed(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	rule := at("gate.yaml")
	rewrite(t, rule, []byte("rules: [{measure: nDCG@10, maximum_drop: 2, significance: 0.05}]"))
	last, site := "", at("site")
	for i, by := range []float64{.01, -.02, .02, 0, .025} {
		last = trainedPage(t, at(fmt.Sprintf("c%d.html", i)), i, by)
		verbOutput(t, "publish", site, last, "--commit", fmt.Sprintf("c%d", i))
	}
	reseeded, dropped := trainedPage(t, at("reseeded.html"), 8, -.02), trainedPage(t, at("dropped.html"), 9, -.4)
	little, lower := trainedPage(t, at("little.html"), 8, -.007), trainedPage(t, at("lower.html"), 8, -.05)

	args := []string{"gate", "--rule", rule, "--baseline", last}
	verbFails(t, usage.ExitGate, "gate not met", append(args, lower)...) // these runs show it
	verbFails(t, usage.ExitGate, "gate not met", append(args, dropped)...)
	wantIn(t, verbOutput(t, append(args, little)...), "gate undecided: 0 of 3 checks failed, ")
	verbFails(t, usage.ExitGate, "gate undecided: 0 of 3 checks failed, ", append(args, "--undecided", "fail", little)...)
	args = append(args, "--history", site)
	wantIn(t, verbOutput(t, append(args, "--undecided", "fail", reseeded)...), "gate met: 0 of 3 checks failed")
	agreesWithGate(t, rule, site, last, dropped)
	verbFails(t, usage.ExitGate, "gate not met", append(args, dropped)...)
	verbFails(t, usage.ExitGate, "gate not met", append(args, "--commit", "c4", lower)...) // only four are left

	var checks []gate.CheckJSON
	if err := json.Unmarshal([]byte(verbOutput(t, append(args, "--format", "json", reseeded)...)), &checks); err != nil || len(checks) != 3 {
		t.Fatalf("%v, %v", checks, err)
	}
	for _, c := range checks {
		if c.Outcome != gate.Passed || !c.Passed || c.P == nil || c.Smallest == nil || *c.Before < .4 || *c.Before > .6 {
			t.Errorf("%+v", c)
		}
	}
	verbFails(t, usage.ExitUsage, "want pass or fail", append(args, "--undecided", "maybe", reseeded)...)
	verbFails(t, usage.ExitUsage, "--commit is for --history", "gate", "--rule", rule, "--commit", "c4", reseeded)
	verbFails(t, usage.ExitUsage, "write 55, not 0.55", "gate", "--rule", inFile(t, "old.yaml", "rules: [{measure: nDCG@10, minimum: .55}]"), reseeded)
	if out := verbOutput(t, "gate", reseeded, "--rule", inFile(t, "low.yaml", "rules: [{measure: nDCG@10, minimum: 40}]")); !strings.HasPrefix(out, "gate met") {
		t.Errorf("runs before flags: %s", out)
	}
}

// gateP matches a test in the gate's output, tableP one in the table of a comment.
var (
	gateP  = regexp.MustCompile(`made/(\w+): .*\(p ([=<] [\d.]+), Holm`)
	tableP = regexp.MustCompile(`(?m)^\| uni\(P\) .*made/(\w+) .*\| +([<\d.]+) \|`)
)

// agreesWithGate compares a comment with its gate: a number that fails in the gate is lower in
// the comment, by the same test.
func agreesWithGate(t *testing.T, rule, site, before, after string) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	baseline, err := loadSets([]string{before})
	must(err)
	run, err := loadSets([]string{after})
	must(err)
	known, err := (&gateKnown{History: site}).Read()
	must(err)
	g, err := judgeGate(rule, known, baseline, run)
	must(err)
	var out, said bytes.Buffer
	must(gate.WriteGate(&out, g))
	must(gate.WriteComment(&said, run, baseline, gate.CommentContext{Gate: g}, reports.Options{}))
	wantIn(t, said.String(), "**0 higher, 3 lower**, ", "corrected by Holm over the tests of the gate")
	of := func(pattern *regexp.Regexp, text string) map[string]string {
		found := map[string]string{}
		for _, m := range pattern.FindAllStringSubmatch(text, -1) {
			found[m[1]] = strings.TrimPrefix(strings.ReplaceAll(m[2], "< ", "<"), "= ")
		}
		return found
	}
	if by, shown := of(gateP, out.String()), of(tableP, said.String()); len(by) != 2 || !maps.Equal(by, shown) {
		t.Errorf("the gate has %v, the comment %v:\n%s\n%s", by, shown, out.String(), said.String())
	}
}

// pushes publishes one commit after another, and checks the last one against its rule.
type pushes struct {
	t          *testing.T
	dir        string
	rule, site string
	commits    int
}

func newPushes(t *testing.T) *pushes {
	dir := t.TempDir()
	return &pushes{t: t, dir: dir, rule: inFile(t, "gate.yaml", "rules: [{measure: nDCG@10, maximum_drop: 2, significance: 0.05}]"), site: filepath.Join(dir, "site")}
}

// push publishes a commit whose values differ from the first by by, and returns the output.
func (p *pushes) push(by float64) string {
	p.t.Helper()
	commit := fmt.Sprintf("c%d", p.commits)
	page := trainedPage(p.t, filepath.Join(p.dir, commit+".html"), p.commits, by)
	p.commits++
	return verbOutput(p.t, "publish", p.site, page, "--rule", p.rule, "--commit", commit)
}

// held reports whether the baseline is an earlier commit than the last.
func (p *pushes) held() bool {
	_, err := os.Stat(filepath.Join(p.site, "baseline.html"))
	return err == nil
}

// TestUndecidedHolds: a drop of one seed that is not yet significant is published and marked,
// but does not become the baseline of the next commits. A recovery passes. The first commit
// is a baseline at once, and a collapse fails at once.
func TestUndecidedHolds(t *testing.T) {
	p := newPushes(t)
	push := func(by float64, want string, held bool) {
		t.Helper()
		wantIn(t, p.push(by), want)
		if p.held() != held {
			t.Errorf("commit %d: the earlier baseline is kept: %v, want %v", p.commits-1, p.held(), held)
		}
	}
	push(0, "site", false)
	push(.01, "gate met", false)
	push(-.02, "gate undecided", true)
	index := string(mustRead(t, filepath.Join(p.site, "index.html")))
	wantIn(t, index, "Changes for the worse", "<strong>undecided</strong>", "run several seeds a commit")
	push(-.4, "gate not met", true)
	again := trainedPage(t, filepath.Join(p.dir, "again.html"), 8, -.41)
	verbFails(t, usage.ExitGate, "gate not met", "gate", "--rule", p.rule, "--baseline", filepath.Join(p.site, "baseline.html"), "--history", p.site, again)
	push(-.39, "gate not met", true)
	push(-.42, "gate not met", true)
	push(.02, "gate met", false)
}

// TestDriftFails: a number falls with each commit by less than the rule allows. It fails once
// the history detects the drift, the baseline is kept, and it passes after recovery.
func TestDriftFails(t *testing.T) {
	p := newPushes(t)
	for range 8 {
		p.push(0)
	}
	named := func() bool {
		index := string(mustRead(t, filepath.Join(p.site, "index.html")))
		return strings.Contains(index, "in changes that are each too small to fail")
	}
	for i := 1; i <= 14 && !named(); i++ {
		p.push(-.012 * float64(i))
	}
	if !named() {
		t.Errorf("fourteen commits of a drift are not named:\n%s", mustRead(t, filepath.Join(p.site, "index.html")))
	}
	if !p.held() {
		t.Error("the drifted commit is the baseline of the next")
	}
	wantIn(t, p.push(0), "gate met")
}

// The page of definitions has the text of the verb's help.
func TestGateHelp(t *testing.T) {
	out := verbOutput(t, "help", "gate")
	for _, d := range gate.Definitions() {
		if !strings.Contains(out, "\n  "+d.Word+"\n") {
			t.Errorf("no %q", d.Word)
		}
	}
}
