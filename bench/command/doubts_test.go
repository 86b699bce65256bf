package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// writeBEIR writes a collection of two documents with the judgments qrels.
func (r *rehearsalStage) writeBEIR(folder, qrels string) {
	r.write(folder+"/corpus.jsonl", `{"_id": "d1", "text": "the moon"}`+"\n"+`{"_id": "d2", "text": "the sun"}`+"\n")
	r.write(folder+"/queries.jsonl", `{"_id": "q1", "text": "which shines at night"}`+"\n"+`{"_id": "q2", "text": "which shines by day"}`+"\n")
	r.write(folder+"/qrels/test.tsv", "query-id\tcorpus-id\tscore\n"+qrels)
}

// Warnings about data are printed wherever the data are read, kept with the numbers, and
// shown next to them in reports; sound data cause none.
func TestDoubtfulData(t *testing.T) {
	r := suiteStage(t)
	r.writeBEIR("own", "q1\td1\t1\nq1\td9\t1\nq2\td8\t1\nq2\td2\t1\n")
	r.writeBEIR("sound", "q1\td1\t1\nq2\td2\t1\n")
	r.write("own.yaml", "name: own\nbaselines: [bm25]\nevaluate: [own]\n")
	r.write("sound.yaml", "name: sound\nbaselines: [bm25]\nevaluate: [sound]\n")
	const doubt = `own/test: 2 of 4 judgments are of documents the corpus lacks, first test.tsv:3: query "q1", document "d9"`
	for _, name := range []string{"own", "sound"} {
		said := map[string]string{
			"data import": r.run("data", "import", name), "data stats": r.run("data", "stats", name),
			"evaluate":         r.run("evaluate", "--model", "bm25", "--data", name, "--out", "runs/evaluated-"+name),
			"evaluate by path": r.run("evaluate", "--model", "random", "--data", "./"+name, "--out", "runs/path-"+name),
		}
		r.run("sweep", name+".yaml")
		said["report of a sweep"] = r.run("report", "runs/"+name, "--format", "markdown")
		said["report of an evaluation"] = r.run("report", "runs/evaluated-"+name, "--format", "markdown")
		r.run("report", "runs/"+name, "--format", "html", "--out", name+".html")
		if out := r.run("verify", name+".html", "--runs", "runs"); !strings.Contains(out, "0 differ") {
			t.Errorf("verify of the page of %s:\n%s", name, out)
		}
		said["page"] = strings.NewReplacer("&#34;", `"`, "&quot;", `"`).Replace(string(mustRead(t, filepath.Join(r.dir, name+".html"))))
		said["log"] = r.logs("runs/" + name)
		for where, text := range said {
			if strings.Contains(text, doubt) != (name == "own") {
				t.Errorf("%s of %s:\n%.3000s", where, name, text)
			}
		}
		if kept := r.warningsKept("runs/evaluated-" + name); (kept != nil) != (name == "own") {
			t.Errorf("provenance of %s: %q", name, kept)
		}
	}
}

// logs returns the logs of the trials of a run folder, joined.
func (r *rehearsalStage) logs(run string) string {
	r.t.Helper()
	files, err := filepath.Glob(filepath.Join(r.dir, run, "logs", "*"))
	if err != nil || len(files) == 0 {
		r.t.Fatalf("logs %q, %v", files, err)
	}
	var all strings.Builder
	for _, file := range files {
		all.Write(mustRead(r.t, file))
	}
	return all.String()
}

// warningsKept returns the warnings about data that an evaluation keeps.
func (r *rehearsalStage) warningsKept(folder string) map[string][]string {
	r.t.Helper()
	var p struct {
		Benchmarks []struct {
			Warnings map[string][]string
		}
	}
	if err := json.Unmarshal(mustRead(r.t, filepath.Join(r.dir, folder, "provenance.json")), &p); err != nil || len(p.Benchmarks) != 1 {
		r.t.Fatalf("%+v, %v", p, err)
	}
	return p.Benchmarks[0].Warnings
}

// Every verb refuses a collection whose corpus has none of the judged documents.
func TestUnfoundJudgments(t *testing.T) {
	r := suiteStage(t)
	r.writeBEIR("own", "q1\td9\t1\n")
	for _, args := range [][]string{
		{"data", "import", "own"}, {"data", "stats", "./own"}, {"evaluate", "--model", "bm25", "--data", "./own"},
	} {
		r.fails(`none of the judged documents is in the corpus, first test.tsv:2: query "q1", document "d9"`, args...)
	}
	if _, err := os.Stat(filepath.Join(r.dir, "infbench.lock")); err == nil {
		t.Error("it was imported")
	}
}
