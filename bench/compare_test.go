package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"infbench/bench/usage"
)

// Ranks of the one relevant document of each of 12 queries.
var (
	baseRanks  = []int{1, 2, 4, 1, 5, 2, 10, 3, 1, 2, 5, 4}
	goodRanks  = []int{1, 1, 2, 1, 2, 2, 5, 1, 2, 1, 4, 2}
	thirdRanks = []int{2, 2, 5, 1, 4, 3, 10, 4, 1, 2, 5, 5}
)

// trecRun writes a run that puts document "rel" of query i at ranks[i] of 10.
func trecRun(ranks []int) string {
	var b strings.Builder
	for i, rank := range ranks {
		for at := 1; at <= 10; at++ {
			doc := fmt.Sprintf("d%d", at)
			if at == rank {
				doc = "rel"
			}
			fmt.Fprintf(&b, "q%02d Q0 %s %d %d tag\n", i, doc, at, 100-at)
		}
	}
	return b.String()
}

// rankedFiles returns judgments and the three runs.
func rankedFiles(t *testing.T) (qrels, base, good, third string) {
	t.Helper()
	var b strings.Builder
	for i := range baseRanks {
		fmt.Fprintf(&b, "q%02d 0 rel 1\n", i)
	}
	return inFile(t, "qrels.txt", b.String()), inFile(t, "base.trec", trecRun(baseRanks)),
		inFile(t, "good.trec", trecRun(goodRanks)), inFile(t, "third.trec", trecRun(thirdRanks))
}

// Of a measure of which less is better the lowest run is the first, and a query is won
// by the lower value; differences keep their signs. Only document rel is judged, so
// Unjudged@1 is 1 - P@1.
func TestCompareByLower(t *testing.T) {
	qrels, base, good, third := rankedFiles(t)
	type row struct {
		Runs []struct {
			Mean       float64
			Rank       struct{ Low, High int }
			Comparison struct{ Wins, Ties, Losses int } `json:"versus_baseline"`
		}
	}
	var both []row
	out := verbOutput(t, "compare", base, good, third, "--qrels", qrels, "--measure", "P@1", "--measure", "Unjudged@1", "--alpha", "0.4", "--correct", "none", "--format", "json")
	if err := json.Unmarshal([]byte(out), &both); err != nil {
		t.Fatal(err)
	}
	for i, p := range both[0].Runs {
		u := both[1].Runs[i]
		if math.Abs(1-p.Mean-u.Mean) > 1e-12 || p.Rank != u.Rank || p.Comparison != u.Comparison {
			t.Errorf("run %d: %+v by P@1, %+v by Unjudged@1", i, p, u)
		}
	}
	if r := both[1].Runs; r[1].Comparison.Wins <= r[1].Comparison.Losses || r[1].Rank.Low >= r[2].Rank.High {
		t.Errorf("%+v: the second is better than the first and the third", r)
	}
}

// Expected: scipy 1.10.1 permutation_test, ttest_rel, wilcoxon and binomtest on
// the reciprocal ranks; Holm by hand.
func TestCompareAgainstScipy(t *testing.T) {
	qrels, base, good, third := rankedFiles(t)
	for _, c := range []struct {
		test        string
		good, third float64
	}{
		{"randomization", 0.078125, 0.125},
		{"t", 0.07338895127827286, 0.1453876756745207},
		{"wilcoxon", 0.06512650367135635, 0.07154597258900632},
		{"sign", 0.0390625, 0.21875},
	} {
		out := verbOutput(t, "compare", base, good, third, "--qrels", qrels, "--measure", "RR", "--test", c.test, "--format", "csv")
		rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		column := make(map[string]int)
		for i, name := range rows[0] {
			column[name] = i
		}
		number := func(row int, name string) float64 {
			v, err := strconv.ParseFloat(rows[row][column[name]], 64)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		smaller, larger := min(c.good, c.third), max(c.good, c.third)
		for _, w := range []struct {
			row  int
			name string
			want float64
		}{
			{1, "mean", 0.4861111111111111}, {2, "mean", 0.6625}, {3, "mean", 0.41944444444444445},
			{2, "delta", 0.1763888888888889}, {2, "p", c.good}, {3, "p", c.third},
			{2, "d_z", 0.571301195806053}, {2, "wins", 8}, {2, "ties", 3}, {2, "losses", 1},
			{2, "p_corrected", 2 * smaller}, {3, "p_corrected", max(larger, 2*smaller)},
		} {
			if got := number(w.row, w.name); math.Abs(got-w.want) > 1e-9 {
				t.Errorf("%s: %s of %s = %v, want %v", c.test, w.name, rows[w.row][1], got, w.want)
			}
		}
	}
}

func TestCompareGolden(t *testing.T) {
	qrels, base, good, third := rankedFiles(t)
	matchesGolden(t, "compare.golden", verbOutput(t, "compare", base, good, third, "--qrels", qrels, "--measure", "RR", "--moved", "2"))
	matchesGolden(t, "compare-tukey.golden", verbOutput(t, "compare", base, good, third, "--qrels", qrels,
		"--measure", "RR", "--measure", "P@1", "--test", "tukey", "--moved", "0"))
}

// The same seed prints the same bytes on one processor and on many.
func TestCompareIsDeterministic(t *testing.T) {
	qrels, base, good, third := rankedFiles(t)
	args := []string{"compare", base, good, third, "--qrels", qrels, "--test", "tukey", "--seed", "5", "--format", "json"}
	first := verbOutput(t, args...)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if verbOutput(t, args...) != first {
		t.Error("output depends on GOMAXPROCS")
	}
}

// A query that a run lacks is left out and named, or is scored 0 on demand.
func TestCompareMissingQueries(t *testing.T) {
	qrels, base, good, _ := rankedFiles(t)
	short := inFile(t, "short.trec", trecRun(goodRanks[:9]))
	type result struct {
		Queries int
		Missing []string
		Runs    []struct{ Mean float64 }
	}
	read := func(args ...string) result {
		var all []result
		if err := json.Unmarshal([]byte(verbOutput(t, append(args, "--qrels", qrels, "--measure", "RR", "--format", "json")...)), &all); err != nil {
			t.Fatal(err)
		}
		return all[0]
	}
	if r := read("compare", base, good, short); r.Queries != 9 || len(r.Missing) != 3 || r.Missing[0] != "q09" || r.Runs[1].Mean != r.Runs[2].Mean {
		t.Errorf("left out: %+v", r)
	}
	if r := read("compare", base, good, short, "--complete"); r.Queries != 12 || len(r.Missing) != 0 || r.Runs[1].Mean <= r.Runs[2].Mean {
		t.Errorf("complete: %+v", r)
	}
}

func TestCompareIdenticalRuns(t *testing.T) {
	qrels, base, _, _ := rankedFiles(t)
	for _, test := range []string{"randomization", "t", "wilcoxon", "sign", "tukey"} {
		out := verbOutput(t, "compare", base, base, "--qrels", qrels, "--test", test)
		if !strings.Contains(out, "~ (p=1 n=12)") || !strings.Contains(out, "no query moved") {
			t.Errorf("%s of identical runs:\n%s", test, out)
		}
	}
}

func TestCompareErrors(t *testing.T) {
	qrels, base, good, _ := rankedFiles(t)
	bad := inFile(t, "bad.trec", "q00 Q0 d1 1 2 tag\nq00 Q0 d2\n")
	other := inFile(t, "other.txt", "elsewhere 0 d1 1\n")
	for _, c := range []struct {
		code int
		want string
		args []string
	}{
		{usage.ExitUsage, "compare: requires at least 2 arg(s)", []string{"compare", base, "--qrels", qrels}},
		{usage.ExitUsage, "--qrels is required", []string{"compare", base, good}},
		{usage.ExitUsage, `did you mean "wilcoxon"?`, []string{"compare", base, good, "--qrels", qrels, "--test", "wilcoxn"}},
		{usage.ExitUsage, `did you mean "holm"?`, []string{"compare", base, good, "--qrels", qrels, "--correct", "holms"}},
		{usage.ExitUsage, "unknown measure", []string{"compare", base, good, "--qrels", qrels, "--measure", "nDGC@10"}},
		{usage.ExitUsage, "has no direction", []string{"compare", base, good, "--qrels", qrels, "--measure", "Utility(b=1)"}},
		{usage.ExitUsage, "is no mean over queries", []string{"compare", base, good, "--qrels", qrels, "--measure", "GMAP"}},
		{exitFailure, "p-MRR: no query has a value", []string{"compare", base, good, "--qrels", qrels, "--measure", "p-MRR"}},
		{usage.ExitUsage, "unknown format", []string{"compare", base, good, "--qrels", qrels, "--format", "xml"}},
		{usage.ExitUsage, "--alpha", []string{"compare", base, good, "--qrels", qrels, "--alpha", "5"}},
		{exitFailure, "bad.trec:2", []string{"compare", base, bad, "--qrels", qrels}},
		{exitFailure, "absent.trec", []string{"compare", base, "absent.trec", "--qrels", qrels}},
		{exitFailure, "no query has a value in all runs", []string{"compare", base, good, "--qrels", other}},
	} {
		verbFails(t, c.code, c.want, c.args...)
	}
}

// TestCompareDirection: of two runs that differ in every query, the one with fewer
// documents without a judgment wins and comes first.
func TestCompareDirection(t *testing.T) {
	qrels, base, _, _ := rankedFiles(t)
	judged := inFile(t, "judged.trec", trecRun(slices.Repeat([]int{1}, 12)))
	unjudged := inFile(t, "unjudged.trec", trecRun(slices.Repeat([]int{10}, 12)))
	out := verbOutput(t, "compare", unjudged, judged, base, "--qrels", qrels, "--measure", "Unjudged@2", "--format", "csv")
	rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := func(row int, column string) string { return rows[row][slices.Index(rows[0], column)] }
	if at(2, "wins") != "12" || at(2, "losses") != "0" || at(2, "delta") != "-0.5" {
		t.Errorf("12 wins of 12 by -0.5 expected: %v", rows[2])
	}
	if at(2, "rank_low") != "1" || at(1, "rank_low") == "1" {
		t.Errorf("the lower number is not the first:\n%s", out)
	}
}
