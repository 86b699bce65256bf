package runners

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"infbench/datasets"
	"infbench/internal/testkit"
)

// brightValues are the values of nDCG@10 that others report for BM25 on BRIGHT's domains:
// Anserini's regressions (castorini/anserini @81e3414, bright-DOMAIN.yaml, and .bm25qs.yaml
// with weights on the query side as in BRIGHT), and, in points, the table in BRIGHT's own
// scripts/collect_results.py @d99e839, 0 if that repeats the row of another model.
var brightValues = []struct {
	domain            string
	lucene, querySide float64
	published         float64
}{
	{"biology", .1824, .1972, 19.2},
	{"earth_science", .2791, .2789, 27.1},
	{"economics", .1645, .1518, 14.9},
	{"psychology", .1342, .1266, 12.5},
	{"robotics", .1091, .1390, 13.5},
	{"stackoverflow", .1626, .1855, 16.5},
	{"sustainable_living", .1613, .1515, 15.2},
	{"leetcode", .2471, .2497, 24.4},
	{"pony", .0434, .0789, 7.9},
	{"aops", .0645, .0627, 0},
	{"theoremqa_questions", .0733, .1036, 0},
	{"theoremqa_theorems", .0214, .0492, 0},
}

// TestBrightBM25 needs BRIGHT's documents in the HuggingFace cache ($HF_HUB_CACHE, $HF_HOME or
// the default one), where infbench data fetch bright stores them.
func TestBrightBM25(t *testing.T) {
	for _, want := range brightValues {
		t.Run(want.domain, func(t *testing.T) {
			b, err := datasets.Load("bright", datasets.Options{Tasks: []string{want.domain}})
			if err != nil && strings.Contains(err.Error(), "fetch it first") {
				t.Skipf("SKIP: BRIGHT's documents are not available (infbench data fetch bright): %v", err)
			}
			if err != nil {
				t.Fatal(err)
			}
			task := &b.Tasks[0]
			check := func(variant string, want, tolerance float64) {
				t.Helper()
				r := mustBM25(t, BM25Options{Variant: variant, Join: queryOnly})
				if got := mean(t, "nDCG@10", retrieve(t, r, task, 1000), task.Qrels); math.Abs(got-want) > tolerance {
					t.Errorf("%s: nDCG@10 %.4f, want %.4f within %.4f", variant, got, want, tolerance)
				}
			}
			check("bm25", want.lucene, .0005)
			// Anserini is another program with these weights; BRIGHT's table used an earlier
			// state of the data than its paper.
			check("bm25-bright", want.querySide, .01)
			if want.published > 0 {
				check("bm25-bright", want.published/100, .025)
			}
		})
	}
}

// TestBrightValues: the values equal those of the files from which they were copied.
func TestBrightValues(t *testing.T) {
	published := publishedBright(t)
	if len(brightValues) != 12 {
		t.Fatalf("%d domains", len(brightValues))
	}
	for _, v := range brightValues {
		name := "expected.bright-" + strings.ReplaceAll(v.domain, "_", "-")
		if got := expectedNDCG(t, name+".yaml"); got != v.lucene {
			t.Errorf("%s: %v, recorded %v", name, got, v.lucene)
		}
		if got := expectedNDCG(t, name+".bm25qs.yaml"); got != v.querySide {
			t.Errorf("%s.bm25qs: %v, recorded %v", name, got, v.querySide)
		}
		if got := published[v.domain]; got != fmt.Sprint(v.published) && v.published > 0 {
			t.Errorf("%s: published %s, recorded %v", v.domain, got, v.published)
		}
	}
}

// expectedNDCG reads the nDCG@10 of one of Anserini's regressions.
func expectedNDCG(t *testing.T, name string) float64 {
	t.Helper()
	data, err := os.ReadFile(testkit.SharedPath(t, "data", "bright", name))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(data), "nDCG@10:\n")
	line, _, _ := strings.Cut(rest, "\n")
	value, err := strconv.ParseFloat(strings.TrimPrefix(strings.TrimSpace(line), "- "), 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return value
}

// publishedBright is the BM25 row of BRIGHT's own table, by domain.
func publishedBright(t *testing.T) map[string]string {
	t.Helper()
	file, err := os.Open(testkit.SharedPath(t, "published", "bright_published.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	row := map[string]string{}
	for i, head := range rows[0] {
		if rows[1][1] != "BM25" {
			t.Fatalf("the first row is of %s", rows[1][1])
		}
		row[head] = rows[1][i]
	}
	return row
}
