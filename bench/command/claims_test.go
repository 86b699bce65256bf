package command

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"infbench/datasets"
	"infbench/internal/usage"
	"infbench/reports"
	"infbench/reports/claims"
	"infbench/reports/published"
	"infbench/runners/catalog"
	"infbench/runners/results"
)

// sweepFiles finds the experiment files of a command.
var sweepFiles = regexp.MustCompile(`bench/experiments/[a-z0-9-]+\.yaml`)

// The sweeps that a shipped claim names run all that the claim needs.
func TestClaimFiles(t *testing.T) {
	files, err := filepath.Glob("../claims/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		f, err := readClaims(file)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, c := range f.Claims {
			if !sweepFiles.MatchString(c.Command) {
				continue
			}
			t.Run(filepath.Base(file)+"/"+c.ID, func(t *testing.T) { decidesClaim(t, f, c) })
		}
	}
}

// decidesClaim judges one claim on results made up for the plan that it names.
func decidesClaim(t *testing.T, f *claims.File, c *claims.Claim) {
	benchmark, _, _ := strings.Cut(c.On, "/")
	name, _, _ := strings.Cut(benchmark, " @") // without its revision
	var ran []*results.Experiment
	for _, file := range sweepFiles.FindAllString(c.Command, -1) {
		e, err := catalog.ReadFile(filepath.Join("..", "..", file))
		if err != nil {
			t.Fatal(err)
		}
		plan, err := e.Expand(func(string, uint64) (string, error) { return "r", nil })
		if err != nil {
			t.Fatal(err)
		}
		run := &results.Experiment{Name: plan.Name}
		for i := range plan.Trials {
			planned := &plan.Trials[i]
			trial := results.Trial{ID: planned.ID, State: results.Done, Config: planned.Cell.Settings()}
			if only(c, trial.Config) && strings.Contains(strings.Join(planned.Evaluate, " "), name) {
				run.Trials = append(run.Trials, measured(trial, benchmark, c, plan.Select.On))
			}
		}
		ran = append(ran, run)
	}
	one := *f
	one.Claims = []*claims.Claim{c}
	judged, err := reports.Judge(&one, ran, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if j := judged.Judgements[0]; j.Verdict == claims.NotRun {
		t.Errorf("%s would not decide it: %q", c.Command, j.Missing)
	}
}

// only reports whether a configuration is in the part that a claim's command runs.
func only(c *claims.Claim, config map[string]string) bool {
	for _, k := range c.Only {
		found := false
		for _, v := range k.Values {
			found = found || config[k.Key] == v || config[k.Key] == ""
		}
		if !found {
			return false
		}
	}
	return true
}

// measured gives a trial made-up values for a claim's benchmark and measure.
func measured(trial results.Trial, benchmark string, c *claims.Claim, selectedOn string) results.Trial {
	_, task, _ := strings.Cut(c.On, "/")
	var parts []published.Part
	for _, measure := range c.Measures {
		own := []published.Part{{Task: cmp.Or(task, "headline"), Side: c.Side, Measure: measure}}
		for _, combination := range published.Combinations(benchmark) {
			if combination.Called() == measure {
				own = combination.Parts
			}
		}
		parts = append(parts, own...)
	}
	for _, p := range parts {
		for q := range 4 {
			v := float64(len(trial.Results)%7) / 10
			trial.Results = append(trial.Results, results.Result{Benchmark: benchmark, Task: p.Task, Query: fmt.Sprint("q", q), Side: datasets.Side(p.Side), Measure: p.Measure, Value: &v})
		}
	}
	if trial.Config[results.Loss] != "" {
		trial.Selection.On = selectedOn
	}
	return trial
}

// claimsPage is docs/claims.md up to its table.
const claimsPage = `# The claims of the InF-IR paper

<!-- Written by TestClaimsPage from bench/claims/inf-ir.yaml: INFBENCH_UPDATE=1 go test ./bench/command -run TestClaimsPage -->

The table lists the claims of "Towards Better Instruction Following Retrieval Models"
([arXiv 2505.21439](https://arxiv.org/abs/2505.21439)), in our words, and the test that decides
each. A test begins with the settings that all of its systems share. Each side then has settings of
its own; several systems on a side are averaged. If a claim says *consistently*, each pair must pass
by itself, not only the mean. If it says *particularly in instruction following*, both p-MRR and the
score must.

    infbench claims bench/claims/inf-ir.yaml                      # by results below runs/
    infbench claims bench/claims/inf-ir.yaml --published paper    # by the paper's own numbers

Results of runs decide by tests over queries and training runs, Holm-corrected over the file. The
last column is weaker, because the paper prints means with one or two decimals and no values of
queries. It shows which side is higher in print, not whether the difference is significant. If
several comparisons must all hold, it shows the least favourable one. *Stated*: no other printed
number confirms or contradicts this one. *Not printed*: the value is only in a figure, or nowhere.

| claim | after the paper | where | tested | by its printed numbers |
|---|---|---|---|---|
`

// docs/claims.md lists every claim of the InF-IR paper with the command that decides it.
func TestClaimsPage(t *testing.T) {
	f, err := readClaims("../claims/inf-ir.yaml")
	if err != nil {
		t.Fatal(err)
	}
	paper, err := published.Paper()
	if err != nil {
		t.Fatal(err)
	}
	all, err := claims.OnPrinted(f, paper)
	if err != nil {
		t.Fatal(err)
	}
	page := claimsPage
	for _, a := range all {
		printed := strings.Join(strings.Fields(strings.Join([]string{a.Words(), a.Number(), a.Size}, " ")), " ")
		page += fmt.Sprintf("| %s | %s | %s | %s | %s |\n", a.ID, a.Says, a.Claim.Where, strings.ReplaceAll(a.Claim.Tested(), "|", "\\|"), printed)
	}
	path, err := filepath.Abs("../../docs/claims.md")
	if err != nil {
		t.Fatal(err)
	}
	matchesGolden(t, path, page)
}

// A file that does not parse, an unknown format and a folder that is not a run folder are
// errors; without any run, all claims are "not run", with exit code 0.
func TestClaimsVerb(t *testing.T) {
	claim := filepath.Join(t.TempDir(), "c.yaml")
	write := func(text string) {
		rewrite(t, claim, []byte(text))
	}
	const good = "claims:\n- {id: a, says: multi does better, test: better, measure: p-MRR, on: mini-followir, system: {form: multi}, against: {form: uni}, sweep: bench/experiments/demo.yaml}\n"
	call := func(args ...string) (code int, out, err string) {
		var stdout, stderr bytes.Buffer
		code = run(append([]string{"claims"}, args...), &stdout, &stderr)
		return code, stdout.String(), stderr.String()
	}
	t.Chdir(t.TempDir())
	write(good)
	for format, want := range map[string]string{
		"terminal": "1 claim: 0 hold, 0 reversed, 0 not shown, 1 not run.", "markdown": "| a ", "json": `"verdict": "not run"`, "csv": "a,,not run,",
	} {
		if code, out, err := call(claim, "--format", format); code != 0 || !strings.Contains(out, want) || !strings.Contains(out, "infbench sweep bench/experiments/demo.yaml") {
			t.Errorf("%s: exit %d, %s%s", format, code, out, err)
		}
	}
	if code, _, err := call(claim, "--format", "jsn"); code != 2 || !strings.Contains(err, `did you mean "json"?`) {
		t.Errorf("exit %d: %s", code, err)
	}
	if code, _, err := call(claim, "nowhere"); code == 0 || !strings.Contains(err, "nowhere") {
		t.Errorf("exit %d: %s", code, err)
	}
	write(strings.Replace(good, "against:", "agianst:", 1))
	if code, _, err := call(claim); code != 2 || !strings.Contains(err, `c.yaml:2:`) || !strings.Contains(err, `did you mean "against"?`) {
		t.Errorf("exit %d: %s", code, err)
	}
}

// Claims are judged on a run folder, as a verb and as a section of a page; the page can be
// made again from its values and from the folder.
func TestClaimsOnARunFolder(t *testing.T) {
	text := "claims:\n" +
		"- {id: gain, says: training helps, test: higher, measure: p-MRR, on: followir, system: {kind: trained, train.lr: 0.005}, against: {model: untrained}, pair: [backbone], sweep: s.yaml}\n" +
		"- {id: above, says: rankings move, test: higher, measure: AP@1000, side: original, on: followir/robust04, system: {model: bm25}, than: 10, sweep: s.yaml}\n" +
		"- {id: larger, says: wider is better, test: better, measure: p-MRR, on: followir, system: {backbone: large}, against: {backbone: small}, sweep: s.yaml}\n"
	claim := inFile(t, "c.yaml", text)
	dir := filepath.Dir(claim)
	page, folder := filepath.Join(dir, "page.html"), filepath.Join("testdata", "small", "runs", "small")
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"claims", claim, folder, "--format", "csv"}, []string{"gain,,not shown,", "above,,holds,", "larger,,not run,"}},
		{[]string{"report", folder, "--claims", claim, "--format", "html", "--out", page}, []string{page}},
		{[]string{"verify", page}, []string{"0 differences"}},
		{[]string{"verify", page, "--runs", folder}, []string{"0 differences"}},
	} {
		var stdout, stderr bytes.Buffer
		code := run(c.args, &stdout, &stderr)
		for _, want := range c.want {
			if code != 0 || !strings.Contains(stdout.String(), want) {
				t.Errorf("%q: exit %d, want %q:\n%s%s", c.args, code, want, stdout.String(), stderr.String())
			}
		}
	}
	html, err := os.ReadFile(page)
	if err != nil || !bytes.Contains(html, []byte("3 claims: 1 hold, 0 reversed, 1 not shown, 1 not run.")) || bytes.Contains(html, []byte(dir)) {
		t.Errorf("the page does not judge the claims, or names a folder of this machine: %v", err)
	}
}

// The error for a missing file suggests a similar name next to it; the error for a path that
// is not a run folder names what it is.
func TestClaimsOfWrongPaths(t *testing.T) {
	text := string(mustRead(t, filepath.Join("..", "claims", "mini.yaml")))
	t.Chdir(t.TempDir())
	writeFile(t, "mini.yaml", text)
	writeFile(t, "page.html", "<p>")
	writeFile(t, "sweep.yaml", "name: x\n")
	verbFails(t, exitFailure, "mini.yml: no such file or directory; did you mean mini.yaml?", "claims", "mini.yml")
	verbFails(t, exitFailure, "page.html: read report: it carries no data", "claims", "mini.yaml", "page.html")
	verbFails(t, usage.ExitUsage, "sweep.yaml is not a run folder: it is a file", "claims", "mini.yaml", "sweep.yaml")
	verbFails(t, usage.ExitUsage, "sweep.yml: open experiment file: no such file or directory; did you mean sweep.yaml?", "sweep", "sweep.yml")
	verbFails(t, exitFailure, "infbench: page.html is a file: not a directory", "evaluate", "--model", "bm25", "--data", "mini-bright", "--out", "page.html")
}
