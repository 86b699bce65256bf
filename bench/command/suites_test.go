package command

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"infbench/datasets"
	"infbench/internal/testkit"
	"infbench/internal/testkit/chattest"
	"infbench/internal/testkit/minihub"
)

// suiteStage is an empty machine, and a miniature hub with data only.
func suiteStage(t *testing.T) *rehearsalStage {
	t.Helper()
	server := httptest.NewServer(minihub.NewHub("", minihub.Datasets()...))
	t.Cleanup(server.Close)
	home := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "config"))
	return &rehearsalStage{t, t.TempDir(), home, append(os.Environ(), "HF_ENDPOINT="+server.URL, "HF_HOME="+home, "HF_HUB_CACHE=", "HF_TOKEN=")}
}

// write puts a file into the folder.
func (r *rehearsalStage) write(name, content string) {
	r.t.Helper()
	path := filepath.Join(r.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// TestNewerSuites takes each suite from an empty cache to a verified page: fetch (import for
// FollowTable and ExcluIR, which no hub has), evaluate, sweep, report, verify.
func TestNewerSuites(t *testing.T) {
	testkit.Deep(t)
	r := suiteStage(t)
	r.fails("fetch it first", "evaluate", "--model", "bm25", "--data", "r2med")
	imported := minihub.Imported()
	var names []string
	for _, suite := range datasets.Suites() {
		names = append(names, suite.Name)
		if files, own := imported[suite.Name]; own {
			r.fails("it is not on the hub: get it from https://github.com/", "data", "fetch", suite.Name)
			for name, content := range files {
				r.write("own/"+suite.Name+"/"+name, string(content))
			}
			if out := r.run("data", "import", "own/"+suite.Name, "--name", suite.Name); strings.Count(out, suite.Name+"/") < len(suite.Parts) {
				t.Errorf("data import %s:\n%s", suite.Name, out)
			}
			continue
		}
		if out := r.run("data", "fetch", suite.Name); strings.Count(out, suite.Name+"/") < len(suite.Parts) {
			t.Errorf("data fetch %s:\n%s", suite.Name, out)
		}
	}
	r.fails("has a part of followtable, without WQT, WTR, TArX, IndusTR: import the folder above", "data", "import", "own/followtable/WTR", "--name", "followtable")
	r.fails(`name "followtable" is taken`, "data", "import", "own/excluir", "--name", "followtable")
	r.fails("benchmark beir-robust04 is not public: TREC disks 4 and 5", "data", "fetch", "beir-robust04")
	if out := r.run("data", "verify"); !strings.Contains(out, "files as locked") {
		t.Errorf("data verify:\n%s", out)
	}
	for _, suite := range datasets.Suites() {
		out := r.run("evaluate", "--model", "bm25", "--data", suite.Name, "--out", "runs/"+suite.Name)
		for _, measure := range suite.Measures {
			if !strings.Contains(out, measure) {
				t.Errorf("evaluate --data %s shows no %s:\n%s", suite.Name, measure, out)
			}
		}
	}
	r.write("suites.yaml", fmt.Sprintf("name: suites\nbaselines: [bm25, random]\nevaluate: [%s]\n", strings.Join(names, ", ")))
	r.run("sweep", "suites.yaml")
	if out := r.run("status", "runs/suites"); !strings.Contains(out, "0 failed, 0 waiting") {
		t.Errorf("status:\n%s", out)
	}
	r.checkSuites()
}

// The experiment on real text runs on both miniature sets, with fewer records, and its claims
// are judged.
func TestNegationOnText(t *testing.T) {
	testkit.Deep(t)
	decoder := testkit.SharedPath(t, "models/stories260k-hf")
	r := suiteStage(t)
	r.run("data", "fetch", "nevir")
	for name, content := range minihub.Imported()["excluir"] {
		r.write("own/excluir/"+name, string(content))
	}
	r.run("data", "import", "own/excluir", "--name", "excluir")
	smaller := strings.NewReplacer("../shared/models/stories260k-hf", decoder, "9600", "24", "3840", "12", "5760", "12", "seed: [1, 2, 3]", "seed: [1]", "mini-negation, ", "")
	for _, name := range []string{"experiments", "claims"} {
		r.write(name+".yaml", smaller.Replace(string(mustRead(t, filepath.Join("..", name, "negation-text.yaml")))))
	}
	r.run("sweep", "experiments.yaml")
	out := r.run("claims", "claims.yaml", "runs/negation-text")
	for _, claim := range []string{"nevir", "excluir", "excluir-asked"} {
		if row := regexp.MustCompile(`(?m)^ *` + claim + ` .*$`).FindString(out); row == "" || strings.Contains(row, "not run") {
			t.Errorf("%s is not judged:\n%s", claim, out)
		}
	}
	page := filepath.Join("runs", "negation-text", "report.html")
	if !bytes.Contains(mustRead(t, filepath.Join(r.dir, page)), []byte("PairedAccuracy")) {
		t.Error("the page lacks the measure of NevIR's pairs")
	}
	if out := r.run("verify", page, "--runs", "runs"); !strings.Contains(out, "0 differ") {
		t.Errorf("verify:\n%s", out)
	}
}

// checkSuites reports on the sweep, in numbers and on a page, and verifies both.
func (r *rehearsalStage) checkSuites() {
	r.t.Helper()
	table := r.run("report", "runs/suites", "--format", "csv")
	for _, suite := range datasets.Suites() {
		for _, measure := range suite.Measures {
			if row := regexp.MustCompile(`(?m)^.*` + regexp.QuoteMeta(suite.Name) + `.*` + regexp.QuoteMeta(measure) + `.*[01]\.?\d*`); !row.MatchString(table) {
				r.t.Errorf("the report has no number of %s on %s", measure, suite.Name)
			}
		}
	}
	r.run("report", "runs/suites", "--format", "html", "--out", "page.html")
	if out := r.run("verify", "page.html", "--runs", "runs"); !strings.Contains(out, "0 differ") {
		r.t.Errorf("verify of the page:\n%s", out)
	}
	if out := r.run("verify", "runs/suites"); !strings.Contains(out, "0 differences") {
		r.t.Errorf("verify of the folder:\n%s", out)
	}
	r.write("others.csv", "suite,task,system,measure,value,source\n"+
		"R2MED,Biology,BM25,nDCG@10,20.10,the authors' table\n"+
		"BRIGHT-Pro,biology,BM25,alpha-nDCG@25,41.50,\"draft paper, other data version than the release: Table 2\"\n"+
		"BrowseComp-Plus,gold,BM25,nDCG@10,17.3,arXiv 2508.06600 Table 2\n"+
		"R2MED (mteb),R2MEDBiologyRetrieval,BAAI/bge-large-en-v1.5@d4aa6901,ndcg_at_10,12.71,of a model whose size is known\n"+
		"CRUMB,average of 8 tasks,best system,nDCG@10,58.7,arXiv 2509.07253 abstract\n")
	out := r.run("report", "runs/suites", "--published", "others.csv", "--format", "html", "--out", "beside.html")
	if out += r.run("verify", "beside.html", "--runs", "runs", "--published", "others.csv"); !strings.Contains(out, "0 differ") {
		r.t.Errorf("verify of the page with published numbers:\n%s", out)
	}
	out = r.run("report", "runs/suites", "--published", "others.csv", "--format", "markdown")
	for _, want := range []string{"20.1", "41.5", "17.3", "58.7", "not a check"} {
		if !strings.Contains(out, want) {
			r.t.Errorf("published numbers beside: no %s in\n%s", want, out)
		}
	}
	if strings.Contains(out, "| multiconir/books/conditions-01 Monotonicity |") || !strings.Contains(out, "| multiconir (conditions-01, mean of 5 domains) Monotonicity |") {
		r.t.Errorf("not the means over domains lead the board of multiconir:\n%s", out)
	}
}

// A folder registered under a suite's name must have all tasks, or means over some would pass
// for the suite's. An error in a suite's file is reported alone.
func TestImportInPart(t *testing.T) {
	r := suiteStage(t)
	for suite, files := range minihub.Imported() {
		for name, content := range files {
			r.write(suite+"/"+name, string(content))
		}
	}
	if err := os.Rename(filepath.Join(r.dir, "followtable", "WQT"), filepath.Join(r.dir, "followtable", "WTQ")); err != nil {
		t.Fatal(err)
	}
	r.fails("has a part of followtable, without WQT: import the folder above", "data", "import", "followtable")
	r.run("data", "import", "followtable", "--name", "three-sets")
	r.write("multiconir/Task1/Movies_Task1.csv", "Query1\n")
	r.fails(`"Query1"]`+"\n", "data", "import", "multiconir") // the end of the output
}

// privateData are the names by which TestPrivateText reads private texts, with a task each: a
// suite, its repository, a snapshot of it and a copy of that under the user's own names, the
// user's own data, and folders that are named directly.
func (r *rehearsalStage) privateData() map[string]string {
	snapshots, err := filepath.Glob(filepath.Join(r.home, "hub", "datasets--mteb--BrowseCompPlusRetrieval", "snapshots", "*"))
	if err != nil || len(snapshots) != 1 {
		r.t.Fatalf("snapshots %q, %v", snapshots, err)
	}
	r.copyFolder(snapshots[0], filepath.Join(r.home, "copied"))
	r.copyFolder(snapshots[0], filepath.Join(r.home, "mteb", "BrowseCompPlusRetrieval"))
	own := filepath.Join(r.home, "own")
	for name, content := range map[string]string{
		"corpus.jsonl":    fmt.Sprintf("{\"_id\": \"d1\", \"text\": \"the %[1]s moon\"}\n{\"_id\": \"d2\", \"text\": \"the %[1]s sun\"}\n", minihub.Canary),
		"queries.jsonl":   fmt.Sprintf("{\"_id\": \"q1\", \"text\": \"which %s shines at night\"}\n", minihub.Canary),
		"qrels/test.tsv":  "query-id\tcorpus-id\tscore\nq1\td1\t1\n",
		"other/notes.txt": "of another kind",
	} {
		path := filepath.Join(own, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600)); err != nil {
			r.t.Fatal(err)
		}
	}
	r.imports(own, "own", false, "--private")
	r.imports(own, "own", false) // as before
	r.imports(snapshots[0], "mine", true)
	r.imports(filepath.Join(r.home, "copied"), "copied", true)
	return map[string]string{
		"browsecomp-plus": "evidence", "mteb/BrowseCompPlusRetrieval": "gold_only", "mine": "gold_only", "copied": "gold_only", "own": "test",
		own: "test", snapshots[0]: "gold_only", filepath.Join(r.home, "mteb", "BrowseCompPlusRetrieval"): "gold_only",
	}
}

// imports registers a private folder. With always, the output must state that it cannot be
// made public.
func (r *rehearsalStage) imports(dir, name string, always bool, flags ...string) {
	r.t.Helper()
	said := r.run(append([]string{"data", "import", dir, "--name", name}, flags...)...)
	if always {
		said = r.run("data", "import", dir, "--name", name, "--private=false")
	}
	if !strings.Contains(said, "its texts are private") || strings.Contains(said, minihub.Canary) {
		r.t.Errorf("data import %s:\n%s", name, said)
	}
}

// copyFolder copies a folder and the files its links lead to.
func (r *rehearsalStage) copyFolder(from, to string) {
	r.t.Helper()
	err := filepath.WalkDir(from, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		within, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		copied := filepath.Join(to, within)
		return errors.Join(err, os.MkdirAll(filepath.Dir(copied), 0o700), os.WriteFile(copied, text, 0o600))
	})
	if err != nil {
		r.t.Fatal(err)
	}
}

// showPrivate types every command that shows information on private data, and returns the
// output.
func (r *rehearsalStage) showPrivate(data, task, runs string) (said string) {
	r.t.Helper()
	said += r.run("data", "stats", data)
	for _, model := range []string{"bm25", "random"} {
		said += r.run("evaluate", "--model", model, "--data", data, "--out", runs+"/"+model)
	}
	experiment := filepath.Base(runs)
	r.write(experiment+".yaml", fmt.Sprintf("name: %s\nbaselines: [bm25, random]\nevaluate: [%q]\n", experiment, data))
	said += r.run("sweep", experiment+".yaml")
	swept := "runs/" + experiment
	said += r.run("status", swept) + r.run("verify", swept)
	for _, format := range []string{"csv", "json", "markdown", "latex", "terminal"} {
		said += r.run("report", swept, "--format", format)
	}
	r.run("report", swept, "--format", "html", "--out", runs+".html")
	r.run("publish", runs+"-site", swept)
	for _, of := range []string{swept, runs + "/bm25"} {
		listed := r.run("query", of, "--format", "json")
		shown := r.run("query", of, strings.Trim(regexp.MustCompile(`"[^"]+/`+task+`/[^"]+"`).FindString(listed), `"`), "--format", "json")
		said += listed + shown + r.run("query", of)
	}
	said += r.run("status", swept, "--format", "json") + r.run("data", "overlap", "mini-infir", data)
	said += r.run("export", "--format", "mteb", "--out", runs+"-exported", swept)
	r.write("answers.jsonl", `{"query_id": "0", "answer": "[1]", "retrieved_docids": ["1"], "correct": true}`)
	for _, refused := range [][]string{
		{"probe", "bm25", data},
		{"data", "diversity", data},
		{"encode", data, "--model", "bm25", "--out", "vectors.npy"},
	} {
		r.fails("private", refused...)
	}
	return said
}

// searchPrivate searches the output and every file for private texts.
func (r *rehearsalStage) searchPrivate(said string) {
	r.t.Helper()
	for line := range strings.Lines(said) {
		if strings.Contains(line, minihub.Canary) {
			r.t.Errorf("a command printed a private text: %s", line)
		}
	}
	searched := 0
	err := filepath.WalkDir(r.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		searched++
		if content := readMaybeGzip(r.t, path); strings.Contains(content, minihub.Canary) {
			r.t.Errorf("%s has a private text", path)
		}
		return nil
	})
	if err != nil || searched < 20 {
		r.t.Errorf("%d files searched, %v", searched, err)
	}
}

// TestPrivateText searches everything that commands print and write for the texts of
// BrowseComp-Plus (in its miniature each has the canary), under every name, and for the
// user's own private data: run folders, reports in every format, pages, logs, the output of
// queries. Only the hub's cache and the folders themselves contain them.
func TestPrivateText(t *testing.T) {
	r := suiteStage(t)
	said := r.run("data", "fetch", "browsecomp-plus", "mteb/BrowseCompPlusRetrieval") + r.run("data", "show", "browsecomp-plus")
	i := 0
	for data, task := range r.privateData() {
		if i++; data != "browsecomp-plus" && data != "own" && !testkit.IsDeep() {
			continue
		}
		said += r.showPrivate(data, task, fmt.Sprintf("runs/private-%d", i))
	}
	said += r.run("score", "agents", "answers.jsonl", "--data", "browsecomp-plus", "--task", "evidence")
	chat := chattest.New(t, judgeByNumber)
	for _, data := range []string{"browsecomp-plus", "mteb/BrowseCompPlusRetrieval", "own"} {
		asked := []string{"evaluate", "--model", "chat", "--chat-model", "m", "--url", chat.URL, "--first", "bm25", "--depth", "3", "--data", data, "--out", "runs/asked-" + filepath.Base(data)}
		before := len(chat.Asked())
		r.fails("private, and runs/chat would keep them with the answers: use --answers off", asked...)
		if n := len(chat.Asked()) - before; n != 0 {
			t.Errorf("%d questions were asked whose answers cannot be kept", n)
		}
		said += r.run(append(asked, "--answers", "off")...)
	}
	said += r.run("evaluate", "--model", "bm25", "--data", "browsecomp-plus", "--shards", "3", "--shard", "2", "--out", "runs/shards") // it stays there
	r.searchPrivate(said)
}

// echoing is an endpoint that refuses every request, repeats it in the error, and counts
// requests.
func echoing(t *testing.T) (url string, asked *atomic.Int32) {
	asked = new(atomic.Int32)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		asked.Add(1)
		body, _ := io.ReadAll(req.Body)
		at := max(0, bytes.Index(body, []byte(minihub.Canary))) // in the part that errors quote
		http.Error(w, "cannot read: "+string(body[at:]), http.StatusBadRequest)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1", asked
}

// TestPrivateEcho searches everything that commands print and write when endpoints refuse
// private texts and repeat them: errors contain the status and no text, on the terminal, in
// the logs and failures of a sweep and on its page.
func TestPrivateEcho(t *testing.T) {
	r := suiteStage(t)
	r.run("data", "fetch", "browsecomp-plus")
	url, asked := echoing(t)
	remote := []string{"evaluate", "--model", "remote", "--url", url, "--remote-model", "m", "--dim", "4", "--data", "browsecomp-plus", "--out", "runs/remote"}
	chat := []string{"evaluate", "--model", "chat", "--chat-model", "m", "--url", url, "--first", "bm25", "--depth", "3", "--answers", "off", "--data", "browsecomp-plus", "--out", "runs/chat-asked"}
	refused := func(want string, args ...string) string {
		before := asked.Load()
		defer func() {
			if asked.Load() == before {
				t.Errorf("%s asked nothing", args)
			}
		}()
		return r.fails(want, args...)
	}
	said := refused("status 400; the endpoint's message is left out: the texts are private", remote...)
	for _, how := range []string{"pointwise", "pairwise", "listwise"} {
		said += refused("rejected, status 400; the details are left out: the texts are private", append(chat, "--how", how)...)
	}
	r.write("echo.yaml", fmt.Sprintf(`name: echo
baselines:
  - bm25
  - {remote: {url: %[1]q, model: m, dim: 4}}
  - {rerank: {chat: m, url: %[1]q}, first: bm25, depth: 3}
evaluate: [browsecomp-plus]
`, url))
	said += refused("2 of 3", "sweep", "echo.yaml", "--answers", "off")
	said += r.run("status", "runs/echo") + r.run("report", "runs/echo", "--format", "markdown")
	r.run("report", "runs/echo", "--format", "html", "--out", "page.html")
	if page := readMaybeGzip(t, filepath.Join(r.dir, "page.html")); !strings.Contains(page, "status 400") {
		t.Error("the page does not show why trials failed")
	}
	r.searchPrivate(said)
}

// Runs on the user's own private data stay private where the import is unknown: the runs
// record it.
func TestPrivateRunElsewhere(t *testing.T) {
	r := suiteStage(t)
	r.run("data", "fetch", "browsecomp-plus")
	r.privateData()
	r.run("evaluate", "--model", "bm25", "--data", "own", "--out", "runs/own")
	if err := os.Remove(filepath.Join(r.dir, "infbench.lock")); err != nil {
		t.Fatal(err)
	}
	said := r.run("query", "runs/own", "own/test/q1", "--format", "json")
	if !strings.Contains(said, `"d1"`) {
		t.Errorf("query:\n%s", said)
	}
	if strings.Contains(said, minihub.Canary) {
		t.Errorf("a run on private data does not remember it:\n%s", said)
	}
	r.run("data", "import", filepath.Join(r.home, "own"), "--name", "own", "--private")
	if said := r.run("data", "import", filepath.Join(r.home, "own"), "--name", "own", "--private=false"); strings.Contains(said, "private") {
		t.Errorf("data of one's own cannot be made public:\n%s", said)
	}
	r.write("training/train.jsonl", `{"query": "which shines", "positive": "the moon"}`+"\n")
	r.fails("holds training data", "data", "import", "training", "--private")
}

// A private collection's texts are never shown, however it is named: from any folder, with
// any lock, as a folder or as one of its files, in a copy or in a run from before it was
// private.
func TestPrivateWherever(t *testing.T) {
	r := suiteStage(t)
	own, before := filepath.Join(r.home, "own"), filepath.Join(r.home, "before")
	text := func(id, words string) string {
		return fmt.Sprintf("{\"_id\": %q, \"text\": \"%s %s\"}\n", id, minihub.Canary, words)
	}
	for name, content := range map[string]string{
		"corpus.jsonl": text("d1", "the moon and all its craters") + text("d2", "the sun"), "queries.jsonl": text("q1", "which shines at night"), "qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t1\n",
	} {
		path := filepath.Join(own, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	r.run("evaluate", "--model", "bm25", "--data", own, "--out", before)
	if said := r.run("query", before, "own/test/q1", "--format", "json"); !strings.Contains(said, minihub.Canary) {
		t.Fatalf("a run on public data shows no text:\n%s", said)
	}
	r.run("data", "import", own, "--name", "own", "--private")

	r.dir = t.TempDir() // another folder, with its own lock
	copied, file := filepath.Join(r.home, "copied"), filepath.Join(r.home, "file", "texts.jsonl")
	r.copyFolder(own, copied)
	r.copyFolder(own, filepath.Join(r.home, "bare"))
	bare := filepath.Join(r.home, "bare")
	corpus, err := os.ReadFile(filepath.Join(own, "corpus.jsonl"))
	if err := errors.Join(err, os.Remove(filepath.Join(bare, ".infbench-private")), os.Mkdir(filepath.Dir(file), 0o700), os.WriteFile(file, corpus, 0o600)); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(r.home, "link.jsonl")
	if err := os.Symlink(filepath.Join(own, "corpus.jsonl"), link); err != nil {
		t.Fatal(err)
	}
	said := r.run("query", before, "own/test/q1", "--format", "json") + r.run("report", before, "--format", "html", "--out", "page.html") + r.run("report", before)
	for i, name := range []string{own, copied, bare} {
		out := fmt.Sprint("runs/after", i)
		said += r.run("evaluate", "--model", "bm25", "--data", name, "--out", out) + r.run("query", out, filepath.Base(name)+"/test/q1", "--format", "json")
		r.fails("are private", "map", name, "--method", "pca", "--model", "nosuch", "--out", "map")
	}
	for i, name := range []string{filepath.Join(own, "corpus.jsonl"), filepath.Join(copied, "corpus.jsonl"), filepath.Join(bare, "queries.jsonl"), file, link} {
		r.fails("are private", "map", name, "--field", "text", "--method", "pca", "--model", "nosuch", "--out", "map")
		r.write(fmt.Sprintf("c%d.yaml", i), fmt.Sprintf("name: leak\nseeds: [{from: %s, query: text, passage: text, records: 1}]\nauthor: {offline: true, errors: 0.4}\njudges:\n  - {name: judge, offline: true, errors: 0.1}\nkeep: judge\ndistractors: 1\n", name))
		r.fails("are private", "curate", fmt.Sprintf("c%d.yaml", i))
		r.fails("are private", "data", "mine", "--data", name, "--model", "nosuch", "--out", "mined.jsonl")
	}
	r.searchPrivate(said)

	// Training data in a private folder are imported, and remain marked as private.
	training := filepath.Join(own, "training")
	if err := errors.Join(os.Mkdir(training, 0o700), os.WriteFile(filepath.Join(training, "train.jsonl"), []byte(`{"query": "which shines", "positive": "the moon"}`+"\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	r.run("data", "import", training, "--name", "training")
	r.fails("are private", "map", own, "--method", "pca", "--model", "nosuch", "--out", "map")
	if err := os.RemoveAll(training); err != nil {
		t.Fatal(err)
	}

	// Data made public again are shown again.
	r.run("data", "import", own, "--name", "own", "--private=false")
	if said := r.run("query", before, "own/test/q1", "--format", "json"); !strings.Contains(said, minihub.Canary) {
		t.Errorf("what is public again shows no text:\n%s", said)
	}
}

// A domain of BRIGHT-Pro can be fetched and evaluated alone; a suite whose files do not name
// its tasks is fetched completely.
func TestSuiteInPart(t *testing.T) {
	r := suiteStage(t)
	r.fails("r2med can only be fetched completely", "data", "fetch", "r2med", "--task", "biology")
	r.run("data", "fetch", "bright-pro", "--task", "biology")
	if out := r.run("evaluate", "--model", "random", "--data", "bright-pro", "--out", "runs/part"); !strings.Contains(out, "bright-pro/biology") || strings.Contains(out, "bright-pro/economics") {
		t.Errorf("a part of bright-pro:\n%s", out)
	}
	r.fails(`unknown task "biologie"`, "data", "fetch", "bright-pro", "--task", "biologie")
}
