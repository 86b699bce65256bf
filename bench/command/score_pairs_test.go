package command

import (
	"path/filepath"
	"strings"
	"testing"

	"infbench/internal/usage"
)

// Two pairs, named as mteb 2 names its queries. For 301, document a is no longer relevant and
// falls from rank 1 to 2 (+.5); for 302 it rises from 2 to 1 (-.5).
const (
	bothRuns = "301-og Q0 a 1 2 t\n301-og Q0 b 2 1 t\n301-changed Q0 b 1 2 t\n301-changed Q0 a 2 1 t\n" +
		"302-og Q0 b 1 2 t\n302-og Q0 a 2 1 t\n302-changed Q0 a 1 2 t\n302-changed Q0 b 2 1 t\n"
	bothQrels = "301-og 0 a 1\n301-og 0 b 1\n301-changed 0 a 0\n301-changed 0 b 1\n302-og 0 a 1\n302-og 0 b 1\n302-changed 0 a 0\n302-changed 0 b 1\n"
)

// sides returns the lines of a text whose query has the ending.
func sides(text, ending string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if query, _, _ := strings.Cut(line, " "); strings.HasSuffix(query, ending) {
			out.WriteString(line)
		}
	}
	return out.String()
}

// TestScoreMTEB2 reads mteb 2's IDs for every layout of the two sides: one file or two, with
// the changes named, with judgments of both, or under bare IDs.
func TestScoreMTEB2(t *testing.T) {
	dir := writeFiles(t, map[string]string{
		"run": bothRuns, "run.og": sides(bothRuns, "-og"), "run.changed": sides(bothRuns, "-changed"),
		"qrels": bothQrels, "qrels.og": sides(bothQrels, "-og"), "qrels.changed": sides(bothQrels, "-changed"), "moved": "301\ta\n302\ta\n",
	})
	at := func(name string) string { return filepath.Join(dir, name) }
	for name, args := range map[string][]string{
		"one run, both judgments":         {"--run", at("run"), "--qrels", at("qrels")},
		"the same files twice":            {"--run", at("run"), "--run-before", at("run"), "--qrels", at("qrels"), "--qrels-before", at("qrels")},
		"two runs, two judgments":         {"--run", at("run.changed"), "--run-before", at("run.og"), "--qrels", at("qrels.changed"), "--qrels-before", at("qrels.og")},
		"two runs, both judgments":        {"--run", at("run.changed"), "--run-before", at("run.og"), "--qrels", at("qrels")},
		"one run, what moved":             {"--run", at("run"), "--changed", at("moved")},
		"one run, judgments, what moved":  {"--run", at("run"), "--qrels", at("qrels"), "--changed", at("moved")},
		"one run, judgments of each side": {"--run", at("run"), "--qrels", at("qrels.changed"), "--qrels-before", at("qrels.og")},
	} {
		mean, queries := scoreJSON(t, append(args, "--measure", "p-MRR")...)
		if v := mean["p-MRR"]; v == nil || *v != 0 || len(queries) != 2 {
			t.Errorf("%s: p-MRR %v of %d pairs, want 0 of 2", name, v, len(queries))
			continue
		}
		for query, want := range map[string]float64{"301": 0.5, "302": -0.5} {
			if v := queries[query]["p-MRR"]; v == nil || *v != want {
				t.Errorf("%s: p-MRR of %s = %v, want %v", name, query, v, want)
			}
		}
	}
	// Together with p-MRR, a measure of one ranking uses the changed one; alone it is
	// trec_eval's, over all four.
	mean, _ := scoreJSON(t, "--run", at("run"), "--qrels", at("qrels"), "--measure", "p-MRR", "--measure", "RR", "--measure", "FollowIR(measure=RR,qrels='original')")
	if *mean["RR"] != (1+0.5)/2 || *mean["FollowIR(measure=RR,qrels='original')"] != 1 {
		t.Errorf("RR %v, FollowIR %v, want .75 and 1", *mean["RR"], *mean["FollowIR(measure=RR,qrels='original')"])
	}
	if _, queries := scoreJSON(t, "--run", at("run"), "--qrels", at("qrels"), "--measure", "RR"); len(queries) != 4 {
		t.Errorf("RR alone is of %d queries, want 4", len(queries))
	}
	_, stderr := scoreOut(t, exitOK, "--run", at("run"), "--qrels", at("qrels"), "--measure", "p-MRR")
	if want := "2 pairs of queries X-og and X-changed: measures of one ranking use X-changed"; !strings.Contains(stderr, want) {
		t.Errorf("stderr %q, want %q", stderr, want)
	}
}

// TestScoreHalfPairs: a pair with a query missing from one run is named, in every format.
func TestScoreHalfPairs(t *testing.T) {
	dir := writeFiles(t, map[string]string{
		"before": "1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n2 Q0 a 1 2 t\n", "after": "1 Q0 b 1 2 t\n1 Q0 a 2 1 t\n3 Q0 a 1 2 t\n", "moved": "1\ta\n2\ta\n3\ta\n",
	})
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, format := range scoreFormats {
		_, stderr := scoreOut(t, exitOK, "--run", at("after"), "--run-before", at("before"), "--changed", at("moved"), "--measure", "p-MRR", "--format", format)
		for _, want := range []string{
			"1 of 3 pairs is not in " + at("after") + " (2): p-MRR is undefined there",
			"1 of 3 pairs is not in " + at("before") + " (3): p-MRR is undefined there",
		} {
			if !strings.Contains(stderr, want) {
				t.Errorf("%s: stderr %q, want %q", format, stderr, want)
			}
		}
	}
}

// TestScoreNeeds: for a measure that is defined for no query, the missing inputs are named.
func TestScoreNeeds(t *testing.T) {
	dir := writeFiles(t, map[string]string{"run": "1 Q0 a 1 2 t\n", "qrels": "1 0 a 1\n"})
	base := []string{"--run", filepath.Join(dir, "run"), "--qrels", filepath.Join(dir, "qrels")}
	for measure, want := range map[string]string{
		"p-MRR": "--run-before", "p-MRR(ties='insertion')": "--changed", "FollowIR(measure=AP,qrels='original')": "--run-before",
		"WISE": "--run-reversed", "SICR": "--run-reversed", "alpha_nDCG@5": "--subtopics", "ERR_IA@5": "--subtopics", "INSTFOL": "--judge",
	} {
		_, stderr := scoreOut(t, exitOK, append(base, "--measure", measure)...)
		if !strings.Contains(stderr, measure+" is not defined for any of 1 queries: it needs ") || !strings.Contains(stderr, want) {
			t.Errorf("%s: stderr %q, want %q", measure, stderr, want)
		}
	}
	_, stderr := scoreOut(t, exitOK, "--run", base[1], "--qrels", inFile(t, "high", "1 0 a 5\n"), "--measure", "ERR@5")
	if !strings.Contains(stderr, "it needs grades of at most 4") {
		t.Errorf("ERR: stderr %q", stderr)
	}
	if _, stderr := scoreOut(t, exitOK, append(base, "--measure", "AP")...); stderr != "" {
		t.Errorf("AP: stderr %q", stderr)
	}
}

// TestScoreJudgeAlone: a judge's scores need no run.
func TestScoreJudgeAlone(t *testing.T) {
	dir := writeFiles(t, map[string]string{"judge": "1 1 2\n2 0 3\n", "run": "1 Q0 a 1 2 t\n"})
	judge := filepath.Join(dir, "judge")
	mean, queries := scoreJSON(t, "--judge", judge, "--measure", "INSTFOL")
	if v := mean["INSTFOL"]; v == nil || *v != (2.5-0.5)/(3-0.5) || len(queries) != 2 {
		t.Errorf("INSTFOL = %v of %d queries, want .8 of 2", v, len(queries))
	}
	if table, stderr := scoreOut(t, exitOK, "--judge", judge, "--measure", "INSTFOL"); !strings.Contains(table, "80.00") || stderr != "" {
		t.Errorf("%s%s", table, stderr)
	}
	_, stderr := scoreOut(t, usage.ExitUsage, "--judge", judge, "--measure", "INSTFOL", "--measure", "AP")
	if !strings.Contains(stderr, "AP needs --run") {
		t.Errorf("stderr %q", stderr)
	}
	if _, stderr := scoreOut(t, usage.ExitUsage, "--judge", judge); !strings.Contains(stderr, "score needs --run") {
		t.Errorf("stderr %q", stderr)
	}
}
