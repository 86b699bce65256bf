package runners

import (
	"math"
	"testing"

	"infbench/datasets/format"
	"infbench/internal/testkit"
	"infbench/metrics/trec"
)

// The golden runs have the top 100 of Lucene 8.7 with Anserini's analysis chain. The scores
// have nine digits, which distinguish any two float32 values.
func TestBM25EqualsLucene(t *testing.T) {
	for _, name := range []string{"scifact", "vaswani"} {
		t.Run(name, func(t *testing.T) {
			golden, _, err := format.OpenRun(testkit.SharedPath(t, "data", "golden-runs", "run."+name+".lucene8.txt.gz"), trec.Options{})
			if err != nil {
				t.Fatal(err)
			}
			run := retrieve(t, mustBM25(t, BM25Options{}), sharedTask(t, name), 200)
			different := 0
			for query, want := range golden {
				if at, ok := agrees(run[query], want); !ok {
					different++
					t.Logf("query %s differs at rank %d: got %v, want %v", query, at+1, run[query][at], want[at])
				}
			}
			if len(golden) < 93 || different > 0 {
				t.Errorf("%d of %d queries differ from Lucene", different, len(golden))
			}
		})
	}
}

// agrees compares the head of a ranking with a golden one. At the last score of the golden
// ranking, its choice among tied documents is Lucene's insertion order, so there only the
// scores must agree.
func agrees(got, want trec.Ranking) (at int, ok bool) {
	if len(got) < len(want) {
		return len(got) - 1, false
	}
	last := want[len(want)-1].Score
	for i, w := range want {
		if math.Abs(got[i].Score-w.Score) > 1e-8*w.Score || w.Score > last && got[i].Doc != w.Doc {
			return i, false
		}
	}
	return 0, true
}

// Published values: Anserini's regression for BEIR SciFact, nDCG@10 .6789 and R@100 .9253.
// Vaswani and SciFact's MAP were measured with Lucene 8.7.
func TestBM25Published(t *testing.T) {
	for _, c := range []struct {
		collection, measure string
		want                float64
	}{
		{"scifact", "nDCG@10", .6789},
		{"scifact", "R@100", .9253},
		{"scifact", "AP", .6401},
		{"vaswani", "AP", .2857},
		{"vaswani", "nDCG@10", .4368},
		{"vaswani", "R@100", .6184},
	} {
		task := sharedTask(t, c.collection)
		run := retrieve(t, mustBM25(t, BM25Options{}), task, 1000)
		if got := mean(t, c.measure, run, task.Qrels); math.Abs(got-c.want) > 0.00005 {
			t.Errorf("%s %s = %.5f, want %.4f", c.collection, c.measure, got, c.want)
		}
	}
}
