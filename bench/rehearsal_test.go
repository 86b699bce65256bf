package main

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"infbench/bench/rehearsal"
	"infbench/reports"
	"infbench/reports/claims"
)

// rehearsalToken opens the gated repositories of the hub in miniature.
const rehearsalToken = "hf_rehearsal"

// rehearsalStage is a machine that has nothing: a folder, an empty cache and a hub in
// miniature to fill it from.
type rehearsalStage struct {
	t         *testing.T
	dir, home string // home holds the cache
	env       []string
}

func newRehearsal(t *testing.T) *rehearsalStage {
	server := httptest.NewServer(rehearsal.NewHub(rehearsalToken, rehearsal.Everything()...))
	t.Cleanup(server.Close)
	home := t.TempDir()
	return &rehearsalStage{t, t.TempDir(), home, append(os.Environ(), "HF_ENDPOINT="+server.URL, "HF_HOME="+home, "HF_HUB_CACHE=", "HF_TOKEN="+rehearsalToken)}
}

// run types a command, which must succeed, and returns what it printed.
func (r *rehearsalStage) run(args ...string) string {
	r.t.Helper()
	begin := time.Now()
	cmd := infbench(r.t, args...)
	cmd.Dir, cmd.Env = r.dir, r.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("infbench %q: %v\n%s", args, err, out)
	}
	r.t.Logf("%6.1f s  infbench %s", time.Since(begin).Seconds(), strings.Join(args, " "))
	return string(out)
}

// fails types a command that must not succeed and say want.
func (r *rehearsalStage) fails(want string, args ...string) {
	r.t.Helper()
	cmd := infbench(r.t, args...)
	cmd.Dir, cmd.Env = r.dir, r.env
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), want) {
		r.t.Errorf("infbench %q: %v, %s; want %q", args, err, out, want)
	}
}

// rehearsalSettings are set in every trained cell: what processors compute at speed, and
// batches that two dozen records fill.
var rehearsalSettings = []string{"--set", "train.precision=float32", "--set", "train.groups=1"}

// paperFile is one of the shipped experiments. Cut removes what the pattern matches:
// cells that are like others.
func (r *rehearsalStage) paperFile(name string, cut ...string) string {
	r.t.Helper()
	data, err := os.ReadFile(filepath.Join("experiments", name))
	if err != nil {
		r.t.Fatal(err)
	}
	text := string(data)
	for _, pattern := range cut {
		shorter := regexp.MustCompile(pattern).ReplaceAllString(text, "")
		if shorter == text {
			r.t.Fatalf("%s has no %q to leave out", name, pattern)
		}
		text = shorter
	}
	if err := os.WriteFile(filepath.Join(r.dir, name), []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
	return name
}

// rehearsed are the experiments, and what of them is left out where one cell of each
// kind is enough: backbones of a family that another stands for, further seeds.
var rehearsed = []struct {
	file string
	cut  []string
}{
	{"paper-designs.yaml", nil},
	{"paper-filtering.yaml", []string{`, 43, 44`}},
	{"paper-losses.yaml", []string{`(?m)^  (llama-1b-instruct|qwen-1.5b-instruct|qwen-3b|qwen-3b-instruct): .*\n`}},
	{"paper-main.yaml", []string{`(?m)^  (modernbert|llama-1b|llama-1b-instruct|qwen-1.5b|qwen-1.5b-instruct|qwen-3b|qwen-3b-instruct): .*\n`,
		`(?m)^  - \{backbone: intfloat/e5-large-v2, .*\n`, `(?m)^  e5-large: .*\n`}},
	{"paper-7b-lora.yaml", []string{`(?m)^  qwen-7b: .*\n`}},
}

// notServed are the baselines that the hub in miniature has not, and endpoints, whose
// addresses experiments name as they are.
const notServed = `(?m)^  - (\{rerank: facebook/tart.*|hkunlp/.*|GritLM/.*|nvidia/.*|\{remote: .*)\n`

// TestRehearsal runs the paper's experiments from an empty cache to a published site,
// with the commands that a user types. INFBENCH_REHEARSAL says how much of them: all
// cells, kinds (one of each loss, interaction and family of backbones), else the first
// experiment.
func TestRehearsal(t *testing.T) {
	if testing.Short() {
		t.Skip("trains")
	}
	much := os.Getenv("INFBENCH_REHEARSAL")
	r := newRehearsal(t)
	r.fails("infbench data fetch inf-ir", "sweep", r.paperFile("paper-designs.yaml"))
	r.fetchAll()
	folders := r.evaluateBaselines()
	for i, e := range rehearsed {
		switch {
		case i > 0 && much == "":
			continue
		case much == "all":
			e.cut = nil
		}
		folders = append(folders, r.sweep(r.paperFile(e.file, e.cut...)))
	}
	if much != "" {
		for _, file := range []string{"paper-baselines.yaml", "paper-baselines-mair.yaml"} {
			folders = append(folders, r.sweep(r.paperFile(file, notServed)))
		}
	}
	r.show(folders)
	r.judge(folders)
}

// judge holds the results to the claims of the paper: each has one verdict, and so has
// each value that a claim is judged for by itself; the terminal counts the same ones.
func (r *rehearsalStage) judge(folders []string) {
	r.t.Helper()
	file, err := filepath.Abs(filepath.Join("claims", "inf-ir.yaml"))
	if err != nil {
		r.t.Fatal(err)
	}
	f, err := readClaims(file)
	if err != nil {
		r.t.Fatal(err)
	}
	judge := append([]string{"claims", file}, folders...)
	var records []claims.Record
	if out := r.run(append(judge, "--format", "json")...); json.Unmarshal([]byte(out), &records) != nil {
		r.t.Fatalf("claims --format json prints\n%s", out)
	}
	times, count := map[[2]string]int{}, map[claims.Verdict]int{} // by claim and value; of claims
	for _, j := range records {
		if !slices.Contains([]claims.Verdict{claims.Holds, claims.Reversed, claims.NotShown, claims.NotRun}, j.Verdict) {
			r.t.Errorf("the verdict on %s %s is %q", j.ID, j.Of, j.Verdict)
		}
		if times[[2]string{j.ID, j.Of}]++; times[[2]string{j.ID, j.Of}] > 1 {
			r.t.Errorf("%s %s has a second verdict, %s", j.ID, j.Of, j.Verdict)
		}
		if j.Of == "" {
			count[j.Verdict]++
		}
	}
	for _, c := range f.Claims {
		if times[[2]string{c.ID}] == 0 {
			r.t.Errorf("no verdict on %s", c.ID)
		}
	}
	counts := regexp.MustCompile(fmt.Sprintf(`Of %d claims: %d hold[^,]*, %d reversed[^,]*, %d not shown[^,]*, %d not run[^,]*\.`,
		len(f.Claims), count[claims.Holds], count[claims.Reversed], count[claims.NotShown], count[claims.NotRun]))
	if out := strings.Join(strings.Fields(r.run(judge...)), " "); !counts.MatchString(out) {
		r.t.Errorf("claims print other counts than %s:\n%s", counts, out)
	}
}

// sweep plans and sweeps an experiment and returns its run folder.
func (r *rehearsalStage) sweep(file string) string {
	r.t.Helper()
	settings := rehearsalSettings
	if strings.Contains(file, "baselines") {
		settings = nil
	}
	if out := r.run(append([]string{"plan", file}, settings...)...); !strings.Contains(out, "to run") || strings.Contains(out, "time is unknown") {
		r.t.Errorf("plan of %s:\n%s", file, out)
	}
	r.run(append([]string{"sweep", file}, settings...)...)
	folder := filepath.Join("runs", strings.TrimSuffix(file, ".yaml"))
	if out := r.run("status", folder); !strings.Contains(out, "0 failed, 0 waiting") {
		r.t.Errorf("status of %s:\n%s", file, out)
	}
	return folder
}

// fetchAll fetches data and models as the README says.
func (r *rehearsalStage) fetchAll() {
	r.t.Helper()
	r.run("data", "fetch", "inf-ir", "inf-ir-unfiltered", "inf-ir-release", "promptriever", "msmarco", "followir", "followir-mteb1", "bright")
	mair := []string{"data", "fetch", "mair"}
	for _, task := range rehearsal.MAIRTasks() {
		mair = append(mair, "--task", task)
	}
	if out := r.run(mair...); strings.Contains(out, "IFEval") || !strings.Contains(out, "mair/FairRanking_2022: 12 documents") {
		r.t.Errorf("five tasks of MAIR:\n%s", out)
	}
	if out := r.run("data", "verify"); !strings.Contains(out, "files as locked") {
		r.t.Errorf("data verify:\n%s", out)
	}
	if out := r.run("data", "stats", "inf-ir", "--keep", "inf-ir"); !strings.Contains(out, "48") {
		r.t.Errorf("data stats:\n%s", out)
	}
	models := []string{"models", "fetch"}
	for _, m := range rehearsal.Everything() {
		if m.Kind == "model" {
			models = append(models, m.ID)
		}
	}
	r.run(models...)
}

// evaluateBaselines evaluates models of other kinds than those that are trained:
// lexical, some that score pairs, old ones, and three endpoints. It returns their run folders.
func (r *rehearsalStage) evaluateBaselines() (folders []string) {
	r.t.Helper()
	evaluate := func(name string, args ...string) {
		r.t.Helper()
		folders = append(folders, filepath.Join("runs", name))
		r.run(append([]string{"evaluate", "--out", filepath.Join("runs", name)}, args...)...)
	}
	endpoint := httptest.NewServer(rehearsal.Endpoint{Key: "sk-rehearsal"})
	r.t.Cleanup(endpoint.Close)
	r.env = append(r.env, "REHEARSAL_KEY=sk-rehearsal")
	evaluate("bm25", "--model", "bm25-okapi-candidates", "--data", "followir-mteb1")
	evaluate("followir-7b", "--model", r.snapshot("jhu-clsp/FollowIR-7B"), "--data", "followir-mteb1")
	evaluate("cross", "--model", r.snapshot("cross-encoder/ms-marco-MiniLM-L-6-v2"), "--first", "bm25", "--depth", "5", "--data", "bright", "--task", "pony")
	// Published in older forms only: pickled weights, spiece.model, vocab.txt.
	evaluate("contriever", "--model", r.snapshot("facebook/contriever-msmarco"), "--similarity", "dot", "--data", "followir-mteb1")
	evaluate("monobert", "--model", r.snapshot("castorini/monobert-large-msmarco"), "--data", "followir-mteb1")
	evaluate("monot5", "--model", r.snapshot("castorini/monot5-base-msmarco-10k"), "--data", "followir-mteb1")
	for api, base := range map[string]string{"openai": "/v1", "cohere": "/v2", "google": "/v1beta"} {
		evaluate(api, "--model", "remote", "--remote-api", api, "--url", endpoint.URL+base, "--remote-model", "text-embedding-"+api,
			"--dim", fmt.Sprint(rehearsal.Dim), "--key-env", "REHEARSAL_KEY", "--data", "followir-mteb1")
	}
	return folders
}

// snapshot is the folder of a model in the cache.
func (r *rehearsalStage) snapshot(id string) string {
	r.t.Helper()
	found, err := filepath.Glob(filepath.Join(r.home, "hub", "models--"+strings.ReplaceAll(id, "/", "--"), "snapshots", "*"))
	if err != nil || len(found) != 1 {
		r.t.Fatalf("%s in the cache: %q, %v", id, found, err)
	}
	return found[0]
}

// show reports, verifies and publishes run folders.
func (r *rehearsalStage) show(folders []string) {
	r.t.Helper()
	with := func(verb string, more ...string) []string { return append(append([]string{verb}, folders...), more...) }
	for _, view := range reports.Views() {
		r.run(with("report", "--view", view)...)
		r.run(with("report", "--view", view, "--published", "paper")...)
	}
	pairs := regexp.MustCompile(`[1-9][0-9,]* pairs compared, 0 not comparable for settings`)
	if out := r.run(with("report", "--format", "markdown", "--published", "paper")...); !pairs.MatchString(out) {
		r.t.Error("no pair, or not every one, with the paper's numbers has its settings")
	}
	r.run(with("report", "--format", "html", "--out", "report.html", "--published", "paper")...)
	if out := r.run("verify", "report.html", "--runs", "runs"); !strings.Contains(out, "0 differ") {
		r.t.Errorf("verify of the page:\n%s", out)
	}
	if out := r.run(with("verify")...); !strings.Contains(out, "0 differences") {
		r.t.Errorf("verify of the folders:\n%s", out)
	}
	r.run(append([]string{"publish", "site"}, folders...)...)
}
