package command

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infbench/internal/testkit"
	"infbench/internal/usage"
)

// scoreOut runs score and returns its output; another exit code fails the test.
func scoreOut(t *testing.T, code int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	if got := run(append([]string{"score"}, args...), &out, &errs); got != code {
		t.Fatalf("infbench score %s: exit %d, want %d: %s", strings.Join(args, " "), got, code, errs.String())
	}
	return out.String(), errs.String()
}

// TestScoreArguments checks that score takes its files in trec_eval's order, from any layout of
// judgments, and what it says to other arguments.
func TestScoreArguments(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"r.run": "q1 Q0 d2 1 2 t\nq1 Q0 d1 2 1 t\n", "f/qrels": "q1 0 d1 1\n", "q.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t1\n", "q.json": `{"q1": {"d1": 1}}`} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	for _, qrels := range []string{"f/qrels", "f", "q.tsv", "q.json"} {
		if out, _ := scoreOut(t, exitOK, qrels, "r.run", "--measure", "AP", "--format", "csv"); !strings.Contains(out, "all,AP,0.5") {
			t.Errorf("%s: %s", qrels, out)
		}
	}
	for want, args := range map[string][]string{
		"trec_eval's order is QRELS RUN": {"r.run", "f/qrels"},
		"want QRELS RUN, found 1":        {"r.run"},
		"want QRELS RUN, found 3":        {"f/qrels", "r.run", "r.run"},
		"either as QRELS RUN or by":      {"f/qrels", "r.run", "--run", "r.run"},
	} {
		var out, errs bytes.Buffer
		if code := run(append([]string{"score"}, args...), &out, &errs); code == exitOK || !strings.Contains(errs.String(), want) {
			t.Errorf("score %q: exit %d, %s", args, code, errs.String())
		}
	}
}

// trecGoldens are outputs of trec_eval 10.0 and the options they were made with
// (its Makefile's quicktest; those of golden-runs with -q -m all_trec).
var trecGoldens = []struct{ golden, qrels, run, options string }{
	{"out.test", "qrels.test", "results.test", ""},
	{"out.test", "qrels.test.with-comments", "results.test", ""},
	{"out.comment.test", "qrels.comment.test", "results.comment.test", ""},
	{"out.test.a", "qrels.test", "results.test", "--measure all_trec"},
	{"out.test.aq", "qrels.test", "results.test", "--measure all_trec --per-query"},
	{"out.test.aqc", "qrels.test", "results.trunc", "--measure all_trec --per-query --complete"},
	{"out.test.aqcM", "qrels.test", "results.trunc", "--measure all_trec --per-query --complete --depth 100"},
	{"out.test.aql", "qrels.rel_level", "results.test", "--measure all_trec --measure relstring.20 --per-query --level 2"},
	{"out.test.meas_params", "qrels.test", "results.test", "--per-query --measure iprec_at_recall..10,.20,.25,.75,.50 --measure P.5,7,3 " +
		"--measure recall.20,2000 --measure Rprec_mult.5.0,0.2,0.35 --measure utility.2,-1,0,0 --measure 11pt_avg..25,.5,.75 " +
		"--measure ndcg.1=3,2=9,4=4.5 --measure ndcg_cut.10,20,23.4 --measure success.2,5,20"},
	{"out.test.aqZ", "qrels.test", "results.test", "--measure all_trec --per-query --zscores zscores_file"},
	{"trec_eval.scifact.bm25.txt.gz", "qrels.scifact.trec", "run.scifact.bm25.txt.gz", "--measure all_trec --per-query"},
	{"trec_eval.vaswani.bm25.txt.gz", "qrels.vaswani.trec", "run.vaswani.bm25.txt.gz", "--measure all_trec --per-query"},
}

// TestScoreTrecEval compares --format trec byte for byte with the output of trec_eval. Its
// rbp is compared only if every grade is 0 or 1: for higher grades trec_eval scales gains by
// variables that it never initialises. Left out are the outputs of unsupported measures,
// those of preference files (prefs, qrels_prefs) and of judgment groups (qrels_jg).
func TestScoreTrecEval(t *testing.T) {
	for _, c := range trecGoldens {
		folder := "golden-runs"
		if strings.HasPrefix(c.golden, "out.") {
			folder = filepath.Join("trec_eval-test", "test")
		}
		dir := testkit.SharedPath(t, filepath.Join("data", folder))
		args := append([]string{"--format", "trec", "--qrels", filepath.Join(dir, c.qrels), "--run", filepath.Join(dir, c.run)}, strings.Fields(c.options)...)
		if at := slices.Index(args, "--zscores"); at >= 0 {
			args[at+1] = filepath.Join(dir, args[at+1])
		}
		got, _ := scoreOut(t, exitOK, args...)
		want := readMaybeGzip(t, filepath.Join(dir, c.golden))
		graded := c.qrels == "qrels.rel_level"
		if diff := diffLines(got, want, graded); diff != "" {
			t.Errorf("%s with %q:\n%s", c.golden, c.options, diff)
		}
	}
}

// readMaybeGzip reads a complete file, unpacked.
func readMaybeGzip(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(path, ".gz") {
		return string(data)
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// diffLines lists the first lines that differ; with anyRBP, differing values of rbp are
// allowed.
func diffLines(got, want string, anyRBP bool) string {
	a, b := strings.SplitAfter(got, "\n"), strings.SplitAfter(want, "\n")
	if len(a) != len(b) {
		return fmt.Sprintf("%d lines, want %d", len(a), len(b))
	}
	var diff []string
	for i := range a {
		if a[i] != b[i] && !(anyRBP && strings.HasPrefix(b[i], "rbp ") && strings.HasPrefix(a[i], "rbp ")) {
			diff = append(diff, fmt.Sprintf("line %d: %q, want %q", i+1, a[i], b[i]))
		}
	}
	return strings.Join(diff[:min(len(diff), 5)], "\n")
}

// writeFiles writes files into a temporary folder and returns it.
func writeFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// scoreJSON runs score --format json and decodes it.
func scoreJSON(t *testing.T, args ...string) (mean map[string]*float64, queries map[string]map[string]*float64) {
	t.Helper()
	out, _ := scoreOut(t, exitOK, append(args, "--format", "json")...)
	var all struct {
		Mean    map[string]*float64
		Queries map[string]map[string]*float64
	}
	if err := json.Unmarshal([]byte(out), &all); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	return all.Mean, all.Queries
}

// TestScoreJSON checks the shape, full precision, null for an undefined value, and that
// measures are labelled as the user named them.
func TestScoreJSON(t *testing.T) {
	dir := writeFiles(t, map[string]string{
		"qrels": "1 0 a 1\n1 0 b 1\n1 0 c 1\n2 0 a 1\n3 0 a 1\n",
		"run":   "1 Q0 a 1 3 t\n1 Q0 x 2 2 t\n1 Q0 b 3 1 t\n2 Q0 x 1 1 t\n9 Q0 a 1 1 t\n",
	})
	base := []string{"--qrels", filepath.Join(dir, "qrels"), "--run", filepath.Join(dir, "run")}
	mean, queries := scoreJSON(t, append(base, "--measure", "AP", "--measure", "map_cut_2", "--measure", "ndcg@10", "--measure", "p-MRR")...)
	if got := slices.Sorted(maps.Keys(queries)); !slices.Equal(got, []string{"1", "2"}) {
		t.Errorf("queries %v, want 1 and 2", got)
	}
	precision := 2.0 // a variable: Go would fold constants exactly, not in float64
	ap := (1 + precision/3) / 3
	if v := queries["1"]["AP"]; v == nil || *v != ap {
		t.Errorf("AP of query 1 = %v, want exactly %v", *v, ap)
	}
	if v := mean["AP"]; v == nil || *v != ap/2 {
		t.Errorf("mean AP = %v, want exactly %v", *v, ap/2)
	}
	if v := mean["AP@2"]; v == nil || *v != 1./6 {
		t.Errorf("mean AP@2 = %v, want 1/6", v)
	}
	if _, labelled := mean["ndcg@10"]; !labelled {
		t.Errorf("no ndcg@10 among %v", slices.Sorted(maps.Keys(mean)))
	}
	if v, found := mean["p-MRR"]; !found || v != nil {
		t.Errorf("p-MRR without a pair = %v, %v, want null", v, found)
	}
	mean, _ = scoreJSON(t, append(base, "--measure", "RBP", "--measure", "rbp", "--measure", "P.1,2")...)
	if got, want := slices.Sorted(maps.Keys(mean)), []string{"P@1", "P@2", "RBP", "RBP(p=0.9)"}; !slices.Equal(got, want) {
		t.Errorf("measures %v, want %v: rbp is trec_eval's", got, want)
	}
	mean, queries = scoreJSON(t, append(base, "--complete", "--measure", "AP")...)
	if len(queries) != 3 || *mean["AP"] != ap/3 {
		t.Errorf("--complete: %d queries, mean %v, want 3, %v", len(queries), *mean["AP"], ap/3)
	}
}

// TestScorePairs checks p-MRR of a pair of runs with each way to give the changes: a file,
// the two judgments, and mteb's suffixed query IDs. Query 1 has a document that falls from
// rank 1 to 2 (+.5), query 2 one that rises from 2 to 1 (-.5) and one that stays; query 3 has
// no changed document.
func TestScorePairs(t *testing.T) {
	before := "1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n2 Q0 a 1 2 t\n2 Q0 b 2 1 t\n2 Q0 c 3 0 t\n3 Q0 a 1 1 t\n"
	after := "1 Q0 a 1 1 t\n1 Q0 b 2 2 t\n2 Q0 a 1 1 t\n2 Q0 b 2 2 t\n2 Q0 c 3 0 t\n3 Q0 a 1 1 t\n"
	suffix := func(text, s string) string {
		var b strings.Builder
		for line := range strings.Lines(text) {
			q, rest, _ := strings.Cut(line, " ")
			b.WriteString(q + s + " " + rest)
		}
		return b.String()
	}
	dir := writeFiles(t, map[string]string{
		"before": before, "after": after, "both": suffix(before, "-og") + suffix(after, "-changed"),
		"tabs": "1\ta\n2\tb\n2\tc\n", "spaces": "1 a\n2 b\n2 c\n",
		"qrels.before": "1 0 a 1\n1 0 b 1\n2 0 a 1\n2 0 b 1\n2 0 c 1\n3 0 a 1\n",
		"qrels.after":  "1 0 a 0\n1 0 b 1\n2 0 a 1\n2 0 b 0\n3 0 a 1\n",
	})
	at := func(name string) string { return filepath.Join(dir, name) }
	for name, args := range map[string][]string{
		"tabs":     {"--run", at("after"), "--run-before", at("before"), "--changed", at("tabs")},
		"spaces":   {"--run", at("after"), "--run-before", at("before"), "--changed", at("spaces")},
		"qrels":    {"--run", at("after"), "--run-before", at("before"), "--qrels", at("qrels.after"), "--qrels-before", at("qrels.before")},
		"both":     {"--run", at("after"), "--run-before", at("before"), "--qrels", at("qrels.after"), "--changed", at("tabs")},
		"suffixed": {"--run", at("both"), "--run-before", at("both"), "--changed", at("tabs")},
	} {
		mean, queries := scoreJSON(t, append(args, "--measure", "p-MRR")...)
		if v := mean["p-MRR"]; v == nil || *v != (0.5-0.25)/2 {
			t.Errorf("%s: p-MRR = %v, want .125", name, v)
		}
		for query, want := range map[string]float64{"1": 0.5, "2": -0.25} {
			if v := queries[query]["p-MRR"]; v == nil || *v != want {
				t.Errorf("%s: p-MRR of query %s = %v, want %v", name, query, v, want)
			}
		}
		if v := queries["3"]["p-MRR"]; v != nil {
			t.Errorf("%s: p-MRR of query 3 = %v, want null", name, *v)
		}
	}
	mean, _ := scoreJSON(t, "--run", at("after"), "--run-before", at("before"), "--qrels", at("qrels.after"), "--qrels-before", at("qrels.before"),
		"--measure", "FollowIR(measure=P@1,qrels='original')", "--measure", "FollowIR(measure=P@1,qrels='changed')", "--measure", "P@1")
	if a, b, c := *mean["FollowIR(measure=P@1,qrels='original')"], *mean["FollowIR(measure=P@1,qrels='changed')"], *mean["P@1"]; a != 1 || b != 2./3 || c != 2./3 {
		t.Errorf("FollowIR P@1: original %v, changed %v, and P@1 of the changed run %v; want 1, 2/3, 2/3", a, b, c)
	}
}

// TestScoreFormats checks the table and the CSV, and that text from data can neither control
// a terminal nor run in a spreadsheet.
func TestScoreFormats(t *testing.T) {
	dir := writeFiles(t, map[string]string{
		"qrels": "=1+1 0 a 1\n\x1b[2J 0 a 1\n",
		"run":   "=1+1 Q0 a 1 3 t\n\x1b[2J Q0 b 1 3 \x1b]0;t\n",
	})
	base := []string{"--qrels", filepath.Join(dir, "qrels"), "--run", filepath.Join(dir, "run"), "--measure", "RR", "--per-query"}
	table, _ := scoreOut(t, exitOK, base...)
	if strings.Contains(table, "\x1b") || !strings.Contains(table, "50.00") {
		t.Errorf("table: %q", table)
	}
	csv, _ := scoreOut(t, exitOK, append(base, "--format", "csv")...)
	if want := "query,measure,value\n\ufffd[2J,RR,0\n'=1+1,RR,1\nall,RR,0.5\n"; csv != want {
		t.Errorf("csv: %q, want %q", csv, want)
	}
}

// TestScoreErrors checks the exit codes, 1 for bad data and 2 for wrong usage, and that each
// error names the place.
func TestScoreErrors(t *testing.T) {
	dir := writeFiles(t, map[string]string{
		"qrels": "1 0 a 1\n", "run": "1 Q0 a 1 1 t\n", "empty": "", "nan": "1 Q0 a 1 1 t\n1 Q0 b 2 nan t\n",
		"twice": "1 Q0 a 1 1 t\n1 Q0 a 2 2 t\n", "other": "2 Q0 a 1 1 t\n", "five": "1 0 a 1 x\n", "three": "1 a b\n",
	})
	at := func(name string) string { return filepath.Join(dir, name) }
	q, r := []string{"--qrels", at("qrels")}, []string{"--run", at("run")}
	for _, c := range []struct {
		code int
		want string
		args []string
	}{
		{exitFailure, "empty: no rankings", append(q, "--run", at("empty"))},
		{exitFailure, "nan:2: ", append(q, "--run", at("nan"))},
		{exitFailure, "twice:2: ", append(q, "--run", at("twice"))},
		{exitFailure, "five:1: ", append(r, "--qrels", at("five"))},
		{exitFailure, "empty: no judgments", append(r, "--qrels", at("empty"))},
		{exitFailure, "no query is in both", append(q, "--run", at("other"))},
		{exitFailure, "absent", append(q, "--run", at("absent"))},
		{exitFailure, "three:1: ", append(append(q, r...), "--run-before", at("run"), "--changed", at("three"))},
		{usage.ExitUsage, "needs --run", q},
		{usage.ExitUsage, "needs --qrels", r},
		{usage.ExitUsage, `did you mean "nDCG"`, append(append(q, r...), "--measure", "nDCGG@10")},
		{usage.ExitUsage, "at least 1", append(append(q, r...), "--measure", "P@0")},
		{usage.ExitUsage, "not a number", append(append(q, r...), "--measure", "P.x")},
		{usage.ExitUsage, "unknown format", append(append(q, r...), "--format", "xml")},
		{usage.ExitUsage, "--level 0", append(append(q, r...), "--level", "0")},
		{usage.ExitUsage, "--depth", append(append(q, r...), "--depth", "-1")},
		{usage.ExitUsage, "--run-before", append(append(q, r...), "--changed", at("three"))},
		{usage.ExitUsage, "unknown flag", append(append(q, r...), "--nope")},
	} {
		if _, stderr := scoreOut(t, c.code, c.args...); !strings.Contains(stderr, c.want) {
			t.Errorf("%v: stderr %q, want %q", c.args, stderr, c.want)
		}
	}
}

// TestScoreNotes checks the notes on ignored input.
func TestScoreNotes(t *testing.T) {
	dir := writeFiles(t, map[string]string{"qrels": "1 0 a 1.5\n2 0 a 1\n", "run": "1 Q0 a 1 1 t\n"})
	_, stderr := scoreOut(t, exitOK, "--qrels", filepath.Join(dir, "qrels"), "--run", filepath.Join(dir, "run"))
	for _, want := range []string{`qrels:1: grade "1.5" read as 1`, "1 of 2 judged queries are not in"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("stderr %q, want %q", stderr, want)
		}
	}
}

// TestScoreOtherFiles checks the measures that read files of their own.
func TestScoreOtherFiles(t *testing.T) {
	dir := writeFiles(t, map[string]string{
		"subtopics": "1 a d1 1\n1 b d2 1\n", "run": "1 Q0 d1 1 2 t\n1 Q0 d2 2 1 t\n", "judge": "1 1 2\n",
		"qrels": "1 0 d1 1\n", "before": "1 Q0 d2 1 2 t\n1 Q0 d1 2 1 t\n", "reversed": "1 Q0 d2 1 2 t\n1 Q0 d3 2 1 t\n1 Q0 d1 3 0 t\n",
	})
	at := func(name string) string { return filepath.Join(dir, name) }
	mean, _ := scoreJSON(t, "--run", at("run"), "--subtopics", at("subtopics"), "--measure", "alpha_nDCG@2", "--measure", "ERR_IA@2")
	if a, e := *mean["alpha_nDCG@2"], *mean["ERR_IA@2"]; a != 1 || e != (1+0.5)/(2+0.5) {
		t.Errorf("alpha_nDCG@2 = %v, ERR_IA@2 = %v, want 1 and .6", a, e)
	}
	mean, _ = scoreJSON(t, "--run", at("run"), "--judge", at("judge"), "--measure", "INSTFOL")
	if v := *mean["INSTFOL"]; v != 0.5 {
		t.Errorf("INSTFOL = %v, want .5", v)
	}
	// d1 goes from rank 2 to 1, and to 3 when reversed; one document is judged, so o < n
	// fails.
	mean, _ = scoreJSON(t, "--run", at("run"), "--qrels", at("qrels"), "--run-before", at("before"), "--run-reversed", at("reversed"), "--measure", "WISE", "--measure", "SICR")
	if w, s := *mean["WISE"], *mean["SICR"]; w != 1-1./20 || s != 1 {
		t.Errorf("WISE = %v, SICR = %v, want .95 and 1", w, s)
	}
}
