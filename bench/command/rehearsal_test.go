package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"infbench/internal/testkit"
	"infbench/internal/testkit/minihub"
	"infbench/reports"
	"infbench/reports/claims"
)

// rehearsalToken opens the gated repositories of the miniature hub.
const rehearsalToken = "hf_rehearsal"

// rehearsalStage is an empty machine: a folder, an empty cache and a miniature hub to fill it
// from.
type rehearsalStage struct {
	t         *testing.T
	dir, home string // home has the cache
	env       []string
}

func newRehearsal(t *testing.T) *rehearsalStage {
	server := httptest.NewServer(minihub.NewHub(rehearsalToken, minihub.Everything()...))
	t.Cleanup(server.Close)
	home := t.TempDir()
	r := &rehearsalStage{t, t.TempDir(), home, append(os.Environ(), "HF_ENDPOINT="+server.URL, "HF_HOME="+home, "HF_HUB_CACHE=", "HF_TOKEN="+rehearsalToken)}
	if err := os.CopyFS(filepath.Join(r.dir, "bench", "claims"), os.DirFS("../claims")); err != nil {
		t.Fatal(err)
	}
	r.addProviders()
	return r
}

// rehearsalKey is the key that endpoints require.
const rehearsalKey = "sk-rehearsal"

// addProviders makes the embedding providers answer at their own addresses.
func (r *rehearsalStage) addProviders() {
	r.t.Helper()
	providers, err := minihub.NewProviders(minihub.Endpoint{Key: rehearsalKey})
	if err != nil {
		r.t.Fatal(err)
	}
	proxy := httptest.NewServer(providers)
	r.t.Cleanup(proxy.Close)
	authority := filepath.Join(r.home, "authority.pem")
	if err := os.WriteFile(authority, providers.Authority, 0o600); err != nil {
		r.t.Fatal(err)
	}
	r.env = append(r.env, "HTTPS_PROXY="+proxy.URL, "NO_PROXY=", "SSL_CERT_FILE="+authority, "OPENAI_API_KEY="+rehearsalKey, "CO_API_KEY="+rehearsalKey)
}

// run types a command that must succeed, and returns its output.
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

// fails types a command that must fail with want in its output, and returns the output.
func (r *rehearsalStage) fails(want string, args ...string) string {
	r.t.Helper()
	cmd := infbench(r.t, args...)
	cmd.Dir, cmd.Env = r.dir, r.env
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), want) {
		r.t.Errorf("infbench %q: %v, %s; want %q", args, err, out, want)
	}
	return string(out)
}

// rehearsalSettings are set in every trained cell: settings that processors compute fast.
var rehearsalSettings = []string{"--set", "train.precision=float32"}

// paperFile is one of the shipped experiments, without cells that match the patterns cut
// because they are like others.
func (r *rehearsalStage) paperFile(name string, cut ...string) string {
	r.t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "experiments", name))
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
	path := filepath.Join(r.dir, "bench", "experiments", name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		r.t.Fatal(err)
	}
	return "bench/experiments/" + name
}

// alike lists the cells of the experiments that are left out if one cell of each kind is
// enough: backbones of a family that another represents, further seeds.
var alike = map[string][]string{
	"paper-filtering.yaml": {`, 43, 44`},
	"paper-losses.yaml":    {`(?m)^  (llama-1b-instruct|qwen-1.5b|qwen-1.5b-instruct|qwen-3b|qwen-3b-instruct): .*\n`},
	"paper-main.yaml": {`(?m)^  (modernbert|llama-1b|llama-1b-instruct|qwen-1.5b|qwen-1.5b-instruct|qwen-3b|qwen-3b-instruct): .*\n`,
		`(?m)^  - \{backbone: intfloat/e5-large-v2, .*\n`, `(?m)^  e5-large: .*\n`},
	"paper-7b-lora.yaml": {`(?m)^  qwen-7b: .*\n`},
}

// paperCommands returns the commands of the section on the paper, split into words.
func paperCommands(t *testing.T) (commands [][]string) {
	t.Helper()
	for _, line := range indented(pageSection(t, "The paper")) {
		if command, ok := strings.CutPrefix(line, "infbench "); ok {
			commands = append(commands, strings.Fields(command))
		}
	}
	return commands
}

// The commands in claims about collections are those of the section on the paper, with each
// field in place of FIELD; the rehearsal types these and judges the claims by their results.
func TestClaimsNameTypedCommands(t *testing.T) {
	f, err := readClaims(filepath.Join("..", "claims", "inf-ir.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var typed []string
	for _, command := range paperCommands(t) {
		typed = append(typed, "infbench "+strings.Join(command, " "))
	}
	n := 0
	for _, c := range f.Claims {
		if c.Study != "data" && c.Study != "diversity" {
			continue
		}
		command, fields, spread := strings.Cut(c.Command, ", of ")
		if !spread {
			fields = "FIELD"
		}
		for _, field := range regexp.MustCompile(`, | and `).Split(fields, -1) {
			if one := strings.ReplaceAll(command, "FIELD", field); !slices.Contains(typed, one) {
				t.Errorf("%s: the section on the paper does not show %s", c.ID, one)
			}
			n++
		}
	}
	if n < 15 {
		t.Errorf("%d commands of claims were looked for", n)
	}
}

// TestRehearsal runs the paper's experiments from an empty cache to a published site, with
// the commands that a user types: all of the section on the paper, and more.
// INFBENCH_REHEARSAL selects the experiments: all cells, kinds (one of each loss, interaction
// and family of backbones), else only the first experiment, with which the commands for the
// others are typed.
func TestRehearsal(t *testing.T) {
	testkit.Deep(t)
	much := os.Getenv("INFBENCH_REHEARSAL")
	r := newRehearsal(t)
	const first = "paper-designs"
	r.fails("infbench data fetch inf-ir", "sweep", r.paperFile(first+".yaml"))
	r.run("data", "fetch", "mair", "--task", "DD_2015")
	var folders []string
	verbs := map[string]int{}
	for _, command := range paperCommands(t) {
		verbs[command[0]]++
		if command[0] != "sweep" {
			if much == "" {
				command = strings.Fields(strings.NewReplacer("runs/paper-main", "runs/"+first, "runs/paper-baselines", "", "runs/paper-7b-lora", "").Replace(strings.Join(command, " ")))
			}
			if out := r.run(command...); command[0] == "plan" && !strings.Contains(out, "infbench data fetch mair --task DD_2016") {
				t.Errorf("the plan where one task of MAIR is here does not say how to fetch the others:\n%s", out)
			}
			continue
		}
		file := filepath.Base(command[1])
		if much == "" && file != first+".yaml" {
			continue
		}
		var cut []string
		if much != "all" {
			cut = alike[file]
		}
		r.paperFile(file, cut...)
		folders = append(folders, r.sweep(command))
	}
	for verb, least := range map[string]int{"init": 1, "plan": 1, "data": 9, "models": 6, "sweep": 7, "report": 2, "claims": 1, "verify": 1, "publish": 1} {
		if verbs[verb] < least {
			t.Errorf("the section on the paper shows %d commands %s, want %d", verbs[verb], verb, least)
		}
	}
	r.fetchAll()
	folders = append(folders, r.evaluateBaselines()...)
	r.split(first+".yaml", "runs/"+first)
	r.show(folders)
	r.asPrinted()
	r.judge(folders)
}

// split runs an experiment in two parts, as two machines do, and joins them; the result must
// equal that of the complete run.
func (r *rehearsalStage) split(file, whole string) {
	r.t.Helper()
	path := r.paperFile(file)
	for _, part := range [][2]string{{"train.epochs=1", "one"}, {"train.epochs=2", "other"}, {"model=untrained", "other"}} {
		r.run(slices.Concat([]string{"sweep", path, "--only", part[0], "--runs", part[1]}, rehearsalSettings)...)
	}
	name := filepath.Base(whole)
	r.run("sweep", "--merge", filepath.Join("one", name), filepath.Join("other", name), "--runs", "joined")
	joined := filepath.Join("joined", name)
	if out := r.run("status", joined); !strings.Contains(out, "0 failed, 0 waiting") {
		r.t.Errorf("status of the joined parts:\n%s", out)
	}
	was, now := numbers(r.t, filepath.Join(r.dir, whole)), numbers(r.t, filepath.Join(r.dir, joined))
	if len(was) == 0 || !maps.Equal(was, now) {
		r.t.Errorf("the joined parts have %d files of numbers, the complete sweep %d", len(now), len(was))
	}
	if out := r.run("diff", whole, joined); !strings.Contains(out, "no recorded difference") || !strings.Contains(out, "\n0 of ") {
		r.t.Errorf("diff of the whole and the joined parts:\n%s", out)
	}
	r.run("verify", joined)
}

// judge judges the claims of the paper by the results: each has one verdict, and so has each
// value that a claim judges separately; the terminal counts the same verdicts.
func (r *rehearsalStage) judge(folders []string) {
	r.t.Helper()
	file, err := filepath.Abs(filepath.Join("..", "claims", "inf-ir.yaml"))
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
	times, count := map[[2]string]int{}, map[claims.Verdict]int{} // by claim and value; counts of claims
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
	for _, j := range records { // the commands of the section on the paper store the inputs of the claims
		if slices.Contains([]string{"data", "diversity"}, j.Study) && j.Verdict == claims.NotRun {
			r.t.Errorf("%s is not run: %q", j.ID, j.Remarks)
		}
	}
	for _, c := range f.Claims {
		if times[[2]string{c.ID}] == 0 {
			r.t.Errorf("no verdict on %s", c.ID)
		}
	}
	counts := regexp.MustCompile(fmt.Sprintf(`%d claims: %d hold[^,]*, %d reversed[^,]*, %d not shown[^,]*, %d not run[^,]*\.`,
		len(f.Claims), count[claims.Holds], count[claims.Reversed], count[claims.NotShown], count[claims.NotRun]))
	if out := strings.Join(strings.Fields(r.run(judge...)), " "); !counts.MatchString(out) {
		r.t.Errorf("claims print other counts than %s:\n%s", counts, out)
	}
}

// sweep plans and sweeps an experiment by the command of the page, with the settings of
// miniatures if something is trained, and returns its run folder.
func (r *rehearsalStage) sweep(command []string) string {
	r.t.Helper()
	file, settings := command[1], rehearsalSettings
	if strings.Contains(file, "baselines") {
		settings = nil
	}
	if out := r.run(append([]string{"plan", file}, settings...)...); !strings.Contains(out, "to run") || strings.Contains(out, "time is unknown") {
		r.t.Errorf("plan of %s:\n%s", file, out)
	}
	r.run(slices.Concat(command, settings)...)
	folder := filepath.Join("runs", strings.TrimSuffix(filepath.Base(file), ".yaml"))
	if out := r.run("status", folder); !strings.Contains(out, "0 failed, 0 waiting") {
		r.t.Errorf("status of %s:\n%s", file, out)
	}
	return folder
}

// fetchAll fetches everything else on the hub that the paper's experiments do not need.
func (r *rehearsalStage) fetchAll() {
	r.t.Helper()
	r.run("data", "fetch", "inf-ir-release", "msmarco")
	mair := []string{"data", "fetch", "mair"}
	for _, task := range minihub.MAIRTasks() {
		mair = append(mair, "--task", task)
	}
	if out := r.run(mair...); strings.Contains(out, "IFEval") || !strings.Contains(out, "mair/FairRanking_2022: 12 documents") {
		r.t.Errorf("five tasks of MAIR:\n%s", out)
	}
	if out := r.run("data", "verify"); !strings.Contains(out, "files as locked") {
		r.t.Errorf("data verify:\n%s", out)
	}
	models := []string{"models", "fetch"}
	for _, m := range minihub.Everything() {
		if m.Kind == "model" {
			models = append(models, m.ID)
		}
	}
	r.run(models...)
	for _, id := range models[2:] {
		out := r.run("models", "check", id)
		if isGrit := strings.HasPrefix(id, "GritLM/"); !strings.Contains(out, "yes") || isGrit && !strings.Contains(out, "bidirectional") {
			r.t.Errorf("models check %s:\n%s", id, out)
		}
	}
}

// evaluateBaselines evaluates models of other kinds than the trained ones: lexical, some that
// score pairs, old ones, and three endpoints. It returns their run folders.
func (r *rehearsalStage) evaluateBaselines() (folders []string) {
	r.t.Helper()
	evaluate := func(name string, args ...string) {
		r.t.Helper()
		folders = append(folders, filepath.Join("runs", name))
		r.run(append([]string{"evaluate", "--out", filepath.Join("runs", name)}, args...)...)
	}
	endpoint := httptest.NewServer(minihub.Endpoint{Key: rehearsalKey})
	r.t.Cleanup(endpoint.Close)
	evaluate("bm25", "--model", "bm25-okapi-candidates", "--data", "followir-mteb1")
	evaluate("followir-7b", "--model", r.snapshot("jhu-clsp/FollowIR-7B"), "--data", "followir-mteb1")
	evaluate("cross", "--model", r.snapshot("cross-encoder/ms-marco-MiniLM-L-6-v2"), "--first", "bm25", "--depth", "5", "--data", "bright", "--task", "pony")
	// Published in older forms only: pickled weights, spiece.model, vocab.txt.
	evaluate("contriever", "--model", r.snapshot("facebook/contriever-msmarco"), "--similarity", "dot", "--data", "followir-mteb1")
	evaluate("monobert", "--model", r.snapshot("castorini/monobert-large-msmarco"), "--data", "followir-mteb1")
	evaluate("monot5", "--model", r.snapshot("castorini/monot5-base-msmarco-10k"), "--data", "followir-mteb1")
	// A table of vectors, in the formats of two libraries.
	evaluate("static", "--model", "sentence-transformers/static-retrieval-mrl-en-v1", "--data", "followir-mteb1")
	evaluate("model2vec", "--model", "minishlab/potion-base-8M", "--data", "followir-mteb1")
	for api, base := range map[string]string{"openai": "/v1", "cohere": "/v2", "google": "/v1beta"} {
		evaluate(api, "--model", "remote", "--remote-api", api, "--url", endpoint.URL+base, "--remote-model", "text-embedding-"+api,
			"--dim", fmt.Sprint(minihub.Dim), "--key-env", "OPENAI_API_KEY", "--data", "followir-mteb1")
	}
	return folders
}

// snapshot returns the folder of a model in the cache.
func (r *rehearsalStage) snapshot(id string) string {
	r.t.Helper()
	found, err := filepath.Glob(filepath.Join(r.home, "hub", "models--"+strings.ReplaceAll(id, "/", "--"), "snapshots", "*"))
	if err != nil || len(found) != 1 {
		r.t.Fatalf("%s in the cache: %q, %v", id, found, err)
	}
	return found[0]
}

// asPrinted trains one cell with all settings of the paper: only its data differ from the
// paper.
func (r *rehearsalStage) asPrinted() {
	r.t.Helper()
	r.run("sweep", r.paperFile("paper-designs.yaml"), "--only", "train.epochs=2", "--only", "design.pooling=last", "--only", "design.share_encoder=true", "--runs", "printed")
	out := r.run("report", "printed/paper-designs", "--format", "markdown", "--published", "paper")
	pairs := regexp.MustCompile(`compared, ([1-9][0-9]*) not comparable for settings, ([1-9][0-9]*) of them only because of the training data\.`)
	if n := pairs.FindStringSubmatch(out); n == nil || n[1] != n[2] || !strings.Contains(out, "not comparable: 60 records, the paper 38,759") {
		r.t.Errorf("a cell with the paper's settings differs in more than its data:\n%s", out)
	}
}

// show reports, verifies and publishes run folders.
func (r *rehearsalStage) show(folders []string) {
	r.t.Helper()
	with := func(verb string, more ...string) []string { return append(append([]string{verb}, folders...), more...) }
	for _, view := range reports.Views() {
		r.run(with("report", "--view", view)...)
		r.run(with("report", "--view", view, "--published", "paper")...)
	}
	pairs := regexp.MustCompile(`[1-9][0-9,]* pairs compared, [1-9][0-9,]* not comparable for settings`)
	if out := r.run(with("report", "--format", "markdown", "--published", "paper")...); !pairs.MatchString(out) || !strings.Contains(out, "60 records, the paper 38,759; ") {
		r.t.Error("the pairs with the paper's numbers are not counted, or data of another size is not named")
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
