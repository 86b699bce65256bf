package main

import (
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"infbench/bench/rehearsal"
	"infbench/datasets/chat/chattest"
	"infbench/datasets/shared"
)

// suiteStage is a machine that has nothing, and a hub in miniature with data alone.
func suiteStage(t *testing.T) *rehearsalStage {
	t.Helper()
	server := httptest.NewServer(rehearsal.NewHub("", rehearsal.Datasets()...))
	t.Cleanup(server.Close)
	home := t.TempDir()
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

// newerSuites are the suites of datasets/suites that the hub in miniature has, with the
// measures that each reports and its numbers of tasks.
var newerSuites = []struct {
	name     string
	tasks    int
	measures []string
}{
	{"r2med", 8, []string{"nDCG@10"}},
	{"bright-pro", 7, []string{"nDCG@10", "aspect_nDCG@25", "A-Recall@25", "R@25"}},
	{"browsecomp-plus", 2, []string{"nDCG@10", "R@5", "R@100", "R@1000"}},
	{"obliq-bench", 5, []string{"nDCG@10"}},
	{"limit", 1, []string{"R@2", "R@100"}},
	{"limit-small", 1, []string{"R@2", "R@10"}},
	{"beir-scifact", 1, []string{"nDCG@10", "R@100"}},
	{"beir-msmarco", 1, []string{"nDCG@10", "R@100"}},
	{"followtable", 4, []string{"IRS", "nDCG@10"}},
	{"excluir", 1, []string{"R@1", "RR@10", "dR@1", "dRR@10", "RightRank@10"}},
	{"multiconir", 65, []string{"Monotonicity", "FlipRate", "WholeChain"}},
	{"crumb", 9, []string{"nDCG@10", "R@100", "R@1000", "P@10", "RR@10"}},
	{"rteb", 15, []string{"nDCG@10"}},
}

// TestNewerSuites takes each suite from an empty cache to a verified page: fetch (of
// FollowTable and ExcluIR, which no hub has, import), evaluate, sweep, report, verify.
func TestNewerSuites(t *testing.T) {
	r := suiteStage(t)
	r.fails("fetch it first", "evaluate", "--model", "bm25", "--data", "r2med")
	imported := rehearsal.Imported()
	var names []string
	for _, suite := range newerSuites {
		names = append(names, suite.name)
		if files, own := imported[suite.name]; own {
			r.fails("it is not on the hub: get it from https://github.com/", "data", "fetch", suite.name)
			for name, content := range files {
				r.write("own/"+suite.name+"/"+name, string(content))
			}
			if out := r.run("data", "import", "own/"+suite.name, "--name", suite.name); strings.Count(out, suite.name+"/") < suite.tasks {
				t.Errorf("data import %s:\n%s", suite.name, out)
			}
			continue
		}
		if out := r.run("data", "fetch", suite.name); strings.Count(out, suite.name+"/") < suite.tasks {
			t.Errorf("data fetch %s:\n%s", suite.name, out)
		}
	}
	r.fails("has a part of followtable, without WQT, WTR, TArX, IndusTR: import the folder above", "data", "import", "own/followtable/WTR", "--name", "followtable")
	r.fails(`name "followtable" is taken`, "data", "import", "own/excluir", "--name", "followtable")
	r.fails("benchmark beir-robust04 is not public: TREC disks 4 and 5", "data", "fetch", "beir-robust04")
	if out := r.run("data", "verify"); !strings.Contains(out, "files as locked") {
		t.Errorf("data verify:\n%s", out)
	}
	for _, suite := range newerSuites {
		out := r.run("evaluate", "--model", "bm25", "--data", suite.name, "--out", "runs/"+suite.name)
		for _, measure := range suite.measures {
			if !strings.Contains(out, measure) {
				t.Errorf("evaluate --data %s shows no %s:\n%s", suite.name, measure, out)
			}
		}
	}
	r.write("suites.yaml", fmt.Sprintf("name: suites\nexclude: [{loss: uni(P)}] # nothing is trained\nbaselines: [bm25, random]\nevaluate: [%s]\n", strings.Join(names, ", ")))
	r.run("sweep", "suites.yaml")
	if out := r.run("status", "runs/suites"); !strings.Contains(out, "0 failed, 0 waiting") {
		t.Errorf("status:\n%s", out)
	}
	r.checkSuites()
}

// The experiment on text that was not generated runs on both sets in miniature, with fewer
// records, and its claims are judged.
func TestNegationOnText(t *testing.T) {
	if testing.Short() {
		t.Skip("trains")
	}
	decoder := shared.Path(t, "models/stories260k-hf")
	r := suiteStage(t)
	r.run("data", "fetch", "nevir")
	for name, content := range rehearsal.Imported()["excluir"] {
		r.write("own/excluir/"+name, string(content))
	}
	r.run("data", "import", "own/excluir", "--name", "excluir")
	smaller := strings.NewReplacer("../shared/models/stories260k-hf", decoder, "9600", "24", "3840", "12", "5760", "12", "seed: [1, 2, 3]", "seed: [1]", "mini-negation, ", "")
	for _, name := range []string{"experiments", "claims"} {
		r.write(name+".yaml", smaller.Replace(string(readFile(t, filepath.Join(name, "negation-text.yaml")))))
	}
	r.run("sweep", "experiments.yaml")
	out := r.run("claims", "claims.yaml", "runs/negation-text")
	for _, claim := range []string{"nevir", "excluir", "excluir-asked"} {
		if row := regexp.MustCompile(`(?m)^ *` + claim + ` .*$`).FindString(out); row == "" || strings.Contains(row, "not run") {
			t.Errorf("%s is not judged:\n%s", claim, out)
		}
	}
}

// checkSuites reports on the sweep, in numbers and on a page, and verifies both.
func (r *rehearsalStage) checkSuites() {
	r.t.Helper()
	table := r.run("report", "runs/suites", "--format", "csv")
	for _, suite := range newerSuites {
		for _, measure := range suite.measures {
			if row := regexp.MustCompile(`(?m)^.*` + regexp.QuoteMeta(suite.name) + `.*` + regexp.QuoteMeta(measure) + `.*[01]\.?\d*`); !row.MatchString(table) {
				r.t.Errorf("the report has no number of %s on %s", measure, suite.name)
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
		"CRUMB,average of 8 tasks,best system,nDCG@10,58.7,arXiv 2509.07253 abstract\n")
	out := r.run("report", "runs/suites", "--published", "others.csv", "--format", "markdown")
	for _, want := range []string{"20.1", "41.5", "17.3", "58.7", "not a check"} {
		if !strings.Contains(out, want) {
			r.t.Errorf("published numbers beside: no %s in\n%s", want, out)
		}
	}
	if strings.Contains(out, "| multiconir/books/conditions-01 Monotonicity |") || !strings.Contains(out, "| multiconir (conditions-01, mean of 5 domains) Monotonicity |") {
		r.t.Errorf("not the means over domains lead the board of multiconir:\n%s", out)
	}
}

// A folder is a suite's under its name with all tasks, whatever files are missing: means
// over some would pass for the suite's. What is wrong with a suite's file is said alone.
func TestImportInPart(t *testing.T) {
	r := suiteStage(t)
	for suite, files := range rehearsal.Imported() {
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
	r.fails(`"Query1"]`+"\n", "data", "import", "multiconir") // the end of what is said
}

// TestPrivateText searches everything that commands print and leave for the texts of
// BrowseComp-Plus, in whose miniature each has the canary: run folders, reports in every
// format, pages, logs, what queries show. Only the hub's cache has them.
func TestPrivateText(t *testing.T) {
	r := suiteStage(t)
	said := r.run("data", "fetch", "browsecomp-plus")
	said += r.run("data", "show", "browsecomp-plus") + r.run("data", "stats", "browsecomp-plus")
	for _, model := range []string{"bm25", "random"} {
		said += r.run("evaluate", "--model", model, "--data", "browsecomp-plus", "--out", "runs/"+model)
	}
	r.write("private.yaml", "name: private\nexclude: [{loss: uni(P)}]\nbaselines: [bm25, random]\nevaluate: [browsecomp-plus]\n")
	said += r.run("sweep", "private.yaml") + r.run("status", "runs/private") + r.run("verify", "runs/private")
	for _, format := range []string{"csv", "json", "markdown", "latex", "terminal"} {
		said += r.run("report", "runs/private", "--format", format)
	}
	r.run("report", "runs/private", "--format", "html", "--out", "page.html")
	r.run("publish", "site", "runs/private")
	listed := r.run("query", "runs/private", "--format", "json")
	said += listed + r.run("query", "runs/private", regexp.MustCompile(`browsecomp-plus/\w+/[^"]+`).FindString(listed), "--format", "json")
	said += r.run("status", "runs/private", "--format", "json") + r.run("data", "overlap", "mini-infir", "browsecomp-plus")
	said += r.run("query", "runs/private") + r.run("export", "--format", "mteb", "--out", "exported", "runs/private")
	r.write("answers.jsonl", `{"query_id": "0", "answer": "[1]", "retrieved_docids": ["1"], "correct": true}`)
	said += r.run("agents", "answers.jsonl", "--data", "browsecomp-plus", "--task", "evidence")
	for _, refused := range [][]string{
		{"probe", "bm25", "browsecomp-plus"},
		{"diversity", "browsecomp-plus"},
		{"encode", "browsecomp-plus", "--model", "bm25", "--out", "vectors.npy"},
	} {
		r.fails("private", refused...)
	}
	chat := chattest.New(t, judgeByNumber)
	asked := []string{"evaluate", "--model", "chat", "--chat-model", "m", "--url", chat.URL, "--first", "bm25", "--depth", "3", "--data", "browsecomp-plus", "--out", "runs/asked"}
	r.fails("private, and runs/chat would keep them with the answers: name --answers off", asked...)
	if n := len(chat.Asked()); n != 0 {
		t.Errorf("%d questions were asked whose answers cannot be kept", n)
	}
	said += r.run(append(asked, "--answers", "off")...)
	said += r.run("evaluate", "--model", "bm25", "--data", "browsecomp-plus", "--shards", "3", "--shard", "2", "--out", "runs/shards") // which stays there
	if strings.Contains(said, rehearsal.Canary) {
		t.Error("a command printed a private text")
	}
	searched := 0
	err := filepath.WalkDir(r.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		searched++
		if content := readMaybeGzip(t, path); strings.Contains(content, rehearsal.Canary) {
			t.Errorf("%s has a private text", path)
		}
		return nil
	})
	if err != nil || searched < 20 {
		t.Errorf("%d files searched, %v", searched, err)
	}
}

// A domain of BRIGHT-Pro can be fetched and evaluated alone; a suite
// whose files do not tell its tasks is fetched whole.
func TestSuiteInPart(t *testing.T) {
	r := suiteStage(t)
	r.fails("r2med is fetched whole", "data", "fetch", "r2med", "--task", "biology")
	r.run("data", "fetch", "bright-pro", "--task", "biology")
	if out := r.run("evaluate", "--model", "random", "--data", "bright-pro", "--out", "runs/part"); !strings.Contains(out, "bright-pro/biology") || strings.Contains(out, "bright-pro/economics") {
		t.Errorf("a part of bright-pro:\n%s", out)
	}
	r.fails(`unknown task "biologie"`, "data", "fetch", "bright-pro", "--task", "biologie")
}
