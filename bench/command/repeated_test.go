package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"infbench/internal/testkit"
)

// TestVerbsRepeat runs the verbs that compute on one input several times (see same): they
// print the same bytes every time, in every format.
func TestVerbsRepeat(t *testing.T) {
	f := repeatedFiles(t)
	scoring := []string{"score", "--run", f["run"], "--qrels", f["qrels"], "--run-before", f["before"], "--qrels-before", f["qrels.before"],
		"--run-reversed", f["reversed"], "--subtopics", f["subtopics"], "--judge", f["judge"], "--per-query", "--measure", "all_trec"}
	for _, name := range measureNames(t) {
		scoring = append(scoring, "--measure", name)
	}
	compare := []string{"compare", f["run"], f["before"], f["reversed"], "--qrels", f["qrels"], "--measure", "nDCG@10", "--measure", "AP"}
	verbs := [][]string{
		{"data", "agreement", f["picks"], "--raters", "h1,h2,h3,good,poor", "--models", "good,poor", "--resamples", "200"},
		{"data", "agreement", f["picks"], "--raters", "h1,h2,h3,good,poor", "--weights", "quadratic", "--scale", "ordinal", "--resamples", "200"},
		{"data", "diversity", f["texts"], "--embeddings", f["vectors"], "--resamples", "200"},
		{"data", "diversity", f["texts"], "--ingf", "simpson", "--sample", "4"},
		compare, append(slices.Clone(compare), "--test", "tukey"),
		{"list", "measures"},
	}
	for _, format := range scoreFormats {
		same(t, append(slices.Clone(scoring), "--format", format)...)
	}
	for _, verb := range verbs {
		for _, format := range []string{"table", "json", "csv"} {
			same(t, append(slices.Clone(verb), "--format", format)...)
		}
	}
}

// TestFoldersRepeat is TestVerbsRepeat for verbs that read evaluations.
func TestFoldersRepeat(t *testing.T) {
	data, folders := writeFiles(t, fourQueries()), t.TempDir()
	var made []string
	for _, model := range []string{"bm25", "random", inFile(t, "part.trec", "q2 Q0 d2 1 1 part\nq1 Q0 d2 1 1 part\n")} {
		out := filepath.Join(folders, strconv.Itoa(len(made)))
		verbOutput(t, "evaluate", "--model", model, "--data", data, "--out", out)
		made = append(made, out)
	}
	for _, format := range []string{"terminal", "markdown", "latex", "csv", "json", "html"} {
		same(t, append([]string{"report", made[0], made[1], made[2]}, "--format", format)...)
	}
	for _, format := range []string{"text", "json"} {
		same(t, "diff", made[0], made[1], "--format", format)
	}
}

// same runs a command line 3 times, in deep tests 20, and compares the complete output.
func same(t *testing.T, args ...string) {
	t.Helper()
	first, turns := "", 3
	if testkit.IsDeep() {
		turns = 20
	}
	for turn := range turns {
		var out bytes.Buffer
		if code := run(args, &out, &out); code != exitOK {
			t.Fatalf("infbench %s: exit %d, %s", args[0], code, out.String())
		}
		if turn == 0 {
			first = out.String()
		} else if out.String() != first {
			t.Errorf("infbench %s ... --format %s: turn %d differs from the first", args[0], args[len(args)-1], turn)
			return
		}
	}
}

// measureNames returns all measures of infbench list measures, in every form, at the cutoffs
// of their examples or 7, and with other weights of novelty.
func measureNames(t *testing.T) []string {
	t.Helper()
	var all []measureInfo
	if err := json.Unmarshal([]byte(verbOutput(t, "list", "measures", "--format", "json")), &all); err != nil {
		t.Fatal(err)
	}
	names := []string{"alpha_nDCG(alpha=0.3)@20", "ERR_IA(alpha=0.3)@20", "alpha_nDCG(alpha=0.9)@20"}
	for _, m := range all {
		names = append(names, strings.Split(strings.ReplaceAll(m.Forms, "@k", "@7"), ", ")...)
	}
	return names
}

// repeatedFiles writes the inputs of the verbs: three runs with ties, two judgments, 12
// aspects, a judge's scores, ratings, texts and vectors.
func repeatedFiles(t *testing.T) map[string]string {
	t.Helper()
	random := rand.New(rand.NewPCG(5, 8))
	files := map[string]*strings.Builder{}
	line := func(name, format string, args ...any) {
		if files[name] == nil {
			files[name] = &strings.Builder{}
		}
		fmt.Fprintf(files[name], format+"\n", args...)
	}
	for _, query := range strings.Fields("a_q1 a_q2 b_q1 b_q2 c_q1") {
		for doc := range 60 {
			for _, run := range []string{"run", "before", "reversed"} {
				line(run, "%s Q0 d%d 0 %v %s", query, doc, float64(random.IntN(20))/7, run)
			}
			line("qrels", "%s 0 d%d %d", query, doc, random.IntN(5)-1)
			line("qrels.before", "%s 0 d%d %d", query, doc, random.IntN(5)-1)
			for aspect := range 12 {
				line("subtopics", "%s %d d%d %d", query, aspect, doc, random.IntN(4)/2)
			}
		}
		line("judge", "%s %v %v", query, 3*random.Float64(), 3*random.Float64())
	}
	paths := map[string]string{
		"picks": inFile(t, "picks.csv", ratedPicks), "texts": inFile(t, "texts.jsonl", sixTexts), "vectors": inFile(t, "vectors.jsonl", sixVectors),
	}
	for name, text := range files {
		paths[name] = inFile(t, name, text.String())
	}
	return paths
}
