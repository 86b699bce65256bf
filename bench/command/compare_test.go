package command

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"infbench/internal/usage"
)

// Ranks of each query's one relevant document, for 12 queries.
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

// For a measure where lower is better, the lowest run comes first and the lower value wins a
// query; differences keep their signs. Only document rel is judged, so Unjudged@1 is 1 - P@1.
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

// Expected: scipy 1.10.1 permutation_test, ttest_rel and binomtest, and scipy 1.17.1
// wilcoxon(correction=False), on the reciprocal ranks; Holm by hand.
func TestCompareAgainstScipy(t *testing.T) {
	qrels, base, good, third := rankedFiles(t)
	for _, c := range []struct {
		test        string
		good, third float64
	}{
		{"randomization", 0.078125, 0.125},
		{"t", 0.07338895127827286, 0.1453876756745207},
		{"wilcoxon", 0.07421875, 0.125},
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

// A query that a run lacks is left out and named, or is scored 0 with --complete.
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

// With one run on each side the smallest difference is that of the paired t test:
// 0.8886542653 standard deviations of 12 queries at 0.05, 1.0082164082 at 0.025 (noncentral
// t, integrated outside this program; the same integral gives G*Power's 0.8077775 for 34
// pairs of effect 0.5). Tukey's HSD of two runs equals the paired t test: scipy's p.
func TestComparePower(t *testing.T) {
	qrels, base, good, third := rankedFiles(t)
	type detected struct {
		Runs []struct {
			Power *struct {
				Smallest float64 `json:"smallest_difference"`
				P        float64 `json:"p_tukey_hsd"`
				Alpha    float64
			}
		}
	}
	matchesGolden(t, "compare-power.golden", verbOutput(t, "compare", base, good, third, "--qrels", qrels,
		"--measure", "RR", "--power", "--difference", "0.1", "--moved", "0"))
	const deviation = 0.1763888888888889 / 0.571301195806053 // delta over d_z, as above
	for _, c := range []struct {
		runs            []string
		alpha, smallest float64
	}{
		{[]string{base, good}, 0.05, 0.8886542652934765 * deviation},
		{[]string{base, good, third}, 0.025, 1.0082164082172813 * deviation},
	} {
		var all []detected
		out := verbOutput(t, append([]string{"compare", "--qrels", qrels, "--measure", "RR", "--power", "--format", "json"}, c.runs...)...)
		if err := json.Unmarshal([]byte(out), &all); err != nil {
			t.Fatal(err)
		}
		got := all[0].Runs[1].Power
		if all[0].Runs[0].Power != nil || got.Alpha != c.alpha || math.Abs(got.Smallest-c.smallest) > 1e-8 {
			t.Errorf("%d runs: %+v, want %v at %v", len(c.runs), got, c.smallest, c.alpha)
		}
		if len(c.runs) == 2 && math.Abs(got.P-0.07338895127827286) > 1e-8 {
			t.Errorf("p = %v, want that of the paired t test", got.P)
		}
	}
}

// Runs joined by commas are one system with several seeds.
func TestCompareSeeds(t *testing.T) {
	qrels, base, good, third := rankedFiles(t)
	args := []string{"compare", base, good + "," + third, "--qrels", qrels, "--measure", "RR", "--moved", "0"}
	powered := append(args, "--power=0.9", "--difference", "0.3")
	matchesGolden(t, "compare-seeds.golden", verbOutput(t, powered...))
	matchesGolden(t, "compare-seeds.csv.golden", verbOutput(t, append(powered, "--format", "csv")...))
	var all []struct{ Runs []struct{ Mean float64 } }
	if err := json.Unmarshal([]byte(verbOutput(t, append(args, "--format", "json")...)), &all); err != nil {
		t.Fatal(err)
	}
	if got, want := all[0].Runs[1].Mean, (0.6625+0.41944444444444445)/2; math.Abs(got-want) > 1e-12 {
		t.Errorf("mean of two seeds %v, want %v", got, want)
	}
	comma := filepath.Join(t.TempDir(), "a,b.trec") // a file name, despite the comma
	if err := os.WriteFile(comma, []byte(trecRun(goodRanks)), 0o644); err != nil {
		t.Fatal(err)
	}
	if out := verbOutput(t, "compare", base, comma, "--qrels", qrels); !strings.Contains(out, " a,b.trec") {
		t.Error(out)
	}
	same := verbOutput(t, "compare", base, base, "--qrels", qrels, "--power", "--difference", "0.1", "--format", "csv")
	if !strings.Contains(same, ",0,0,0,0.8,0.05,,0.1,,,1,false\n") {
		t.Errorf("identical runs:\n%s", same)
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
		{usage.ExitUsage, "measure GMAP is not a mean over queries", []string{"compare", base, good, "--qrels", qrels, "--measure", "GMAP"}},
		{exitFailure, "p-MRR: no query has a value", []string{"compare", base, good, "--qrels", qrels, "--measure", "p-MRR"}},
		{usage.ExitUsage, "unknown format", []string{"compare", base, good, "--qrels", qrels, "--format", "xml"}},
		{usage.ExitUsage, "--power", []string{"compare", base, good, "--qrels", qrels, "--power=1"}},
		{usage.ExitUsage, "--difference", []string{"compare", base, good, "--qrels", qrels, "--difference", "0.1"}},
		{usage.ExitUsage, "--alpha", []string{"compare", base, good, "--qrels", qrels, "--alpha", "5"}},
		{exitFailure, "bad.trec:2", []string{"compare", base, bad, "--qrels", qrels}},
		{exitFailure, "absent.trec", []string{"compare", base, "absent.trec", "--qrels", qrels}},
		{exitFailure, "no query has a value in all runs", []string{"compare", base, good, "--qrels", other}},
	} {
		verbFails(t, c.code, c.want, c.args...)
	}
}

// TestCompareDirection: two runs differ in every query; the one with fewer unjudged documents
// wins and comes first.
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
