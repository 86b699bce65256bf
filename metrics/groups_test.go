package metrics

import (
	"math"
	"strings"
	"testing"

	"infbench/metrics/trec"
)

// rowsOf builds rows from queries and values; NaN means undefined.
func rowsOf(queries string, values ...float64) []Row {
	var rows []Row
	for i, q := range strings.Fields(queries) {
		rows = append(rows, Row{&Case{Query: q}, values[i], !math.IsNaN(values[i])})
	}
	return rows
}

// TestSummaries checks the summary of each kind of measure, by hand.
func TestSummaries(t *testing.T) {
	undefined := math.NaN()
	for _, c := range []struct {
		name string
		rows []Row
		want float64
	}{
		{"AP", rowsOf("1 2 3", 0.5, 0.25, undefined), 0.375},
		{"GMAP", rowsOf("1 2", 0.5, 0.125), 0.25},
		{"GMAP", rowsOf("1 2", 0, 0.1), 0.001}, // sqrt(1e-5 * 0.1)
		{"GMBpref", rowsOf("1 2", 1, 0.25), 0.5},
		{"NumRet", rowsOf("1 2", 10, 7), 17},
		{"Robustness@10", rowsOf("a_1 a_2 b_1 c", 0.5, 0.3, 1, 0.2), (0.3 + 1 + 0.2) / 3},
		{"Robustness(sep='|')@10", rowsOf("a_1 a_2|x a_2|y", 0.5, 0.3, 0.1), (0.5 + 0.1) / 2},
		{"PairedAccuracy", rowsOf("a_q1 a_q2 b_q1 b_q2 lone_q1", 1, 1, 1, 0, 1), 1. / 2},
	} {
		m, err := Parse(c.name)
		if err != nil {
			t.Fatal(err)
		}
		if v, ok := Summarize(m, c.rows); !ok || !near(v, c.want) {
			t.Errorf("%s over %d rows = %v, %v, want %v", c.name, len(c.rows), v, ok, c.want)
		}
		if v, ok := Summarize(m, rowsOf("1 2", undefined, undefined)); ok {
			t.Errorf("%s over undefined values = %v, want none", c.name, v)
		}
	}
}

// TestNAUC checks two queries, one scored 0 and one 1: at rates up to 0.2 neither is given up, at
// the others one is, so the oracle's area is 0.775, the flat one 0.45 and that of the worst
// confidence 0.125.
func TestNAUC(t *testing.T) {
	rows := func(first, second trec.Ranking) []Row {
		return []Row{{&Case{Query: "1", Ranking: first}, 0, true}, {&Case{Query: "2", Ranking: second}, 1, true}}
	}
	low := trec.Ranking{{Doc: "a", Score: 1}, {Doc: "b", Score: 0.9}}
	high := trec.Ranking{{Doc: "a", Score: 2}, {Doc: "b", Score: 0}}
	for _, conf := range []string{"max", "std", "diff1"} {
		m := NAUC{Of: NDCG{K: 10}, Confidence: conf}
		if v, ok := m.Summarize(rows(low, high)); !ok || !near(v, 1) {
			t.Errorf("%s, confident where right: %v, %v, want 1", conf, v, ok)
		}
		if v, ok := m.Summarize(rows(high, low)); !ok || !near(v, (0.125-0.45)/(0.775-0.45)) {
			t.Errorf("%s, confident where wrong: %v, %v, want -1", conf, v, ok)
		}
	}
	same := []Row{{&Case{Ranking: low}, 0.5, true}, {&Case{Ranking: high}, 0.5, true}}
	if v, ok := (NAUC{Of: AP{}, Confidence: "max"}).Summarize(same); ok {
		t.Errorf("equal values: %v, want none: the oracle cannot gain", v)
	}
}

// TestFollowIR checks that the ranking under the original instruction is scored with the judgments
// that the name gives.
func TestFollowIR(t *testing.T) {
	c := &Case{
		Before: ranking("a", "b"), Ranking: ranking("b", "a"),
		BeforeJudgments: map[string]int{"a": 1, "b": 1}, Judgments: map[string]int{"a": 0, "b": 1},
	}
	for name, want := range map[string]float64{
		"FollowIR(measure=AP@1000,qrels='original')": 1, "FollowIR(measure=AP@1000,qrels='changed')": 1. / 2, "AP@1000": 1,
	} {
		m, err := Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		c.Prepare()
		if v, ok := m.Score(c); !ok || !near(v, want) {
			t.Errorf("%s = %v, %v, want %v", name, v, ok, want)
		}
	}
}

// TestWISE checks the formula for one document, by hand from its definition: ranks under the
// original query, the instruction and the reversal, and the number of judged documents.
func TestWISE(t *testing.T) {
	for _, c := range []struct{ o, i, r, n, want float64 }{
		{3, 1, 5, 10, 1},                                  // first under the instruction, fell under the reversal
		{12, 1, 30, 10, (1 - 11./20) / 1},                 // o is not below n
		{5, 4, 9, 10, (1 - 1./20) / 2},                    // rose a little
		{30, 4, 90, 10, 0.01},                             // rose from beyond 20
		{2, 5, 9, 10, (2. - 5) / 5},                       // fell under the instruction
		{5, 2, 4, 10, (4. - 5) / 5},                       // rose under the reversal
		{3, 3, 3, 10, 0}, {3, 3, 6, 10, 1 / math.Sqrt(3)}, // did not move; fell under the reversal only
	} {
		if got := wiseScore(c.o, c.i, c.r, c.n); !near(got, c.want) {
			t.Errorf("wise(%v, %v, %v, %v) = %v, want %v", c.o, c.i, c.r, c.n, got, c.want)
		}
	}
}

// TestInfoSearch checks WISE and SICR over two relevant documents, a and b: a
// rises 2 to 1 and falls to 3; b falls 1 to 2, and stays first when reversed.
func TestInfoSearch(t *testing.T) {
	c := &Case{
		Judgments: map[string]int{"a": 1, "b": 1, "c": 0},
		Before:    trec.Ranking{{Doc: "b", Score: 3}, {Doc: "a", Score: 2}, {Doc: "c", Score: 1}},
		Ranking:   trec.Ranking{{Doc: "a", Score: 4}, {Doc: "b", Score: 2}, {Doc: "c", Score: 1}},
		Reversed:  trec.Ranking{{Doc: "b", Score: 3}, {Doc: "c", Score: 2}, {Doc: "a", Score: 1}},
	}
	if v, ok := (WISE{}).Score(c); !ok || !near(v, (1-1./2)/2) {
		t.Errorf("WISE = %v, %v, want (1 - 1/2)/2", v, ok)
	}
	if v, ok := (SICR{}).Score(c); !ok || !near(v, 1./2) {
		t.Errorf("SICR = %v, %v, want 1/2", v, ok)
	}
	c.Ranking[0].Score = 2 // a rises in rank but not in score
	c.Ranking[1].Score = 1.5
	if v, ok := (SICR{}).Score(c); !ok || v != 0 {
		t.Errorf("SICR without a higher score = %v, %v, want 0", v, ok)
	}
	first := func(score float64, ahead ...string) trec.Ranking {
		r := ranking(append(ahead, "a")...)
		r[len(ahead)].Score = score
		return r
	}
	stays := &Case{Judgments: map[string]int{"a": 1}, Before: first(2), Ranking: first(2), Reversed: first(1, "x")}
	if v, ok := (SICR{}).Score(stays); !ok || v != 1 {
		t.Errorf("SICR of a document that stays first = %v, %v, want 1", v, ok)
	}
	stays.Ranking = first(1.5)
	if v, ok := (SICR{}).Score(stays); !ok || v != 0 {
		t.Errorf("SICR of a document that stays first with a lower score = %v, %v, want 0", v, ok)
	}
}

// TestINSTFOL checks the formula, and that the summary is computed from the means: (2-1)/(3-1) and
// (2.5-2)/(3-2) are both .5, and the means 1.5 and 2.25 give .5 too; with 1 to 3 and 2 to 2 the
// values are 1 and 0, and the means 1.5 and 2.5 give 2/3.
func TestINSTFOL(t *testing.T) {
	of := func(q, i float64) *Case { return &Case{Quality: &Quality{q, i}} }
	for _, c := range []struct{ q, i, want float64 }{{1, 2, 0.5}, {2, 2, 0}, {3, 1, -2}, {3, 3, 0}, {2.9, 0, -29}} {
		if v, ok := (INSTFOL{}).Score(of(c.q, c.i)); !ok || math.Abs(v-c.want) > 1e-9 {
			t.Errorf("INSTFOL(%v, %v) = %v, %v, want %v", c.q, c.i, v, ok, c.want)
		}
	}
	rows := ScoreAll([]Measure{INSTFOL{}}, []*Case{of(1, 3), of(2, 2)})[0]
	if v, ok := Summarize(INSTFOL{}, rows); !ok || !near(v, 2./3) {
		t.Errorf("INSTFOL over two queries = %v, %v, want 2/3", v, ok)
	}
}
