package metrics

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"infbench/metrics/trec"
)

// rankOf builds a ranking of n documents with d at rank r.
func rankOf(d string, r, n int) trec.Ranking {
	docs := make([]string, n)
	for i := range docs {
		docs[i] = "filler" + strconv.Itoa(i)
	}
	docs[r-1] = d
	return ranking(docs...)
}

// TestPMRR checks single documents: their ranks before and after, and their value. The first eleven
// are worked by hand; the last two are mteb's tests.
func TestPMRR(t *testing.T) {
	const missing = 0
	for _, c := range []struct {
		before, after, depth int
		want                 float64
	}{
		{2, 5, 10, 0.6}, {5, 2, 10, -0.6}, {10, 1, 10, -0.9}, {1, 10, 10, 0.9}, {3, 3, 10, 0}, {1, 2, 10, 0.5}, {2, 1, 10, -0.5},
		{100, 1000, 1000, 0.9}, {2, missing, 10, 1 - 2./11}, {1000, missing, 1000, 1 - 1000./1001}, {missing, 2, 10, 2./11 - 1},
		{4, 1, 10, -0.75}, {1, 4, 10, 0.75},
	} {
		at := func(r int) trec.Ranking {
			if r == missing {
				return rankOf("other", 1, c.depth)
			}
			return rankOf("d", r, c.depth)
		}
		got, ok := PMRR{}.Score(&Case{Before: at(c.before), Ranking: at(c.after), Changed: []string{"d"}})
		if !ok || !near(got, c.want) {
			t.Errorf("from rank %d to %d of %d: %v, %v, want %v", c.before, c.after, c.depth, got, ok, c.want)
		}
	}
}

// TestPMRRMeans checks the mean over documents, then over queries: A has +.6 and
// -.6, B +.5, so the value is (0+.5)/2 and not the mean of the three documents.
func TestPMRRMeans(t *testing.T) {
	a := &Case{Query: "A", Before: ranking("x", "u", "y", "z", "v"), Ranking: ranking("x", "v", "y", "z", "u"), Changed: []string{"u", "v"}}
	b := &Case{Query: "B", Before: ranking("u", "x"), Ranking: ranking("x", "u"), Changed: []string{"u"}}
	nothing := &Case{Query: "C", Before: ranking("u"), Ranking: ranking("u")}
	absent := &Case{Query: "D", Ranking: ranking("u"), Changed: []string{"u"}}
	rows := ScoreAll([]Measure{PMRR{}}, []*Case{a, b, nothing, absent})[0]
	if v, ok := Summarize(PMRR{}, rows); !ok || !near(v, 0.25) {
		t.Errorf("p-MRR = %v, %v, want .25", v, ok)
	}
	if rows[2].OK || rows[3].OK {
		t.Error("a query without changed documents or without the original ranking has a value")
	}
	a.Changed = []string{"u", "u", "v"} // a document that is listed twice counts twice
	if v, _ := (PMRR{}).Score(a); !near(v, (0.6+0.6-0.6)/3) {
		t.Errorf("with a document twice: %v, want .2", v)
	}
	if _, ok := Summarize(PMRR{}, rows[2:]); ok {
		t.Error("p-MRR over no defined query is defined")
	}
}

// TestPMRRTies checks the two tie policies on rankings whose scores are all
// equal: by document ID the order is c, b, a in both runs, by insertion it is
// that of the file.
func TestPMRRTies(t *testing.T) {
	flat := func(docs ...string) trec.Ranking {
		var r trec.Ranking
		for _, d := range docs {
			r = append(r, trec.Scored{Doc: d, Score: 1})
		}
		return r
	}
	in := Inputs{
		Run: trec.Run{"q": flat("b", "c", "a")}, Before: trec.Run{"q": flat("a", "b", "c")},
		Changed: trec.Changed{"q": {"a"}}, Arrival: true,
	}
	cases, err := in.Cases()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]float64{"p-MRR": 0, "p-MRR(ties='insertion')": 1 - 1./3} {
		m, _ := Parse(name)
		if v, ok := m.Score(cases[0]); !ok || !near(v, want) {
			t.Errorf("%s = %v, %v, want %v", name, v, ok, want)
		}
	}
}

// TestPMRRAntisymmetry checks on random rankings that exchanging the runs changes the sign, and
// that the value stays inside (-1,1).
func TestPMRRAntisymmetry(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		c := randomCase(random)
		there, ok := PMRR{}.Score(c)
		c.Before, c.Ranking = c.Ranking, c.Before
		back, ok2 := PMRR{}.Score(c)
		if ok != ok2 || !near(there, -back) || there <= -1 || there >= 1 {
			t.Fatalf("p-MRR %v (%v) and, exchanged, %v (%v)", there, ok, back, ok2)
		}
	}
}

// randomCase builds a random case, with ties, with unjudged and unretrieved documents, and with a
// pair of rankings.
func randomCase(random *rand.Rand) *Case {
	docs := 1 + random.IntN(40)
	c := &Case{Query: "q", Judgments: map[string]int{}}
	for i := range docs {
		doc := strconv.Itoa(i)
		if random.IntN(3) > 0 {
			c.Judgments[doc] = random.IntN(5) - 1
		}
		if random.IntN(4) > 0 {
			c.Ranking = append(c.Ranking, trec.Scored{Doc: doc, Score: float64(random.IntN(10))})
		}
		if random.IntN(4) > 0 {
			c.Before = append(c.Before, trec.Scored{Doc: doc, Score: float64(random.IntN(10))})
		}
		if random.IntN(4) == 0 {
			c.Changed = append(c.Changed, doc)
		}
	}
	c.Ranking.Sort()
	c.Before.Sort()
	c.Changed = slices.Clone(c.Changed)
	return c
}
