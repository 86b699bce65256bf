package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// theWriters are the verbs that write, with inputs as small as can be.
func theWriters() []aWriter {
	return []aWriter{
		{verb: "evaluate", args: "--model bm25 --data data --out out", inputs: tinyData, journal: "out/.replace.json", cheap: true},
		{verb: "import", args: "run.trec --data data --model own", inputs: tinyRun, cheap: true},
		{verb: "report", args: "runs/evaluation --format html --out page/report.html", inputs: tinyEvaluation, cheap: true},
	}
}

// tinyData is a collection in the folder data.
func tinyData(t *testing.T, dir string) {
	for name, text := range tinyBEIR {
		writeFile(t, filepath.Join(dir, "data", filepath.FromSlash(name)), text)
	}
}

// tinyRun is the collection and a ranking of another program.
func tinyRun(t *testing.T, dir string) {
	tinyData(t, dir)
	writeFile(t, filepath.Join(dir, "run.trec"), "q1 Q0 d1 1 2.5 own\nq1 Q0 d2 2 1.5 own\n")
}

// tinyEvaluation is the collection and an evaluation on it.
func tinyEvaluation(t *testing.T, dir string) {
	tinyData(t, dir)
	inPeace(t, dir, "evaluate", "--model", "bm25", "--data", "data", "--out", "runs/evaluation")
}

// inPeace runs a command in a folder, which must end well.
func inPeace(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := infbench(t, args...)
	cmd.Dir = dir
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := runApart(cmd); err != nil {
		t.Fatalf("infbench %q: %v\n%s", args, err, out.String())
	}
}
