package metrics

import (
	"testing"

	"infbench/metrics/trec"
)

// narrowing returns a query whose instruction keeps p and excludes n, among seven documents: p
// rises from rank 3 to 1, n falls from 1 to 3.
func narrowing() *Case {
	return &Case{
		Query: "1_0", Documents: 7,
		Judgments: map[string]int{"p": 1, "n": 0}, BeforeJudgments: map[string]int{"p": 1, "n": 1},
		Ranking: ranking("p", "b", "n", "d", "e", "f", "g"), Before: ranking("n", "b", "p", "d", "e", "f", "g"),
	}
}

// TestIRS, worked by hand: S = (1-1/2)-(1/2-1) = 1, and the best value is (1-1/2)-(1/log2(8)-1) =
// 7/6. With 127 documents the best ranking has n at 1/log2(128) = 1/7.
func TestIRS(t *testing.T) {
	for name, want := range map[string]float64{"IRS": 6. / 7, "IRS(documents=127)": 1 / (1./2 + 6./7)} {
		m, err := Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := m.Score(narrowing()); !ok || !near(got, want) {
			t.Errorf("%s = %v, %v; want %v", name, got, ok, want)
		}
	}
	for lacking, spoil := range map[string]func(*Case){
		"the ranking":             func(c *Case) { c.Ranking = nil },
		"the ranking before":      func(c *Case) { c.Before = nil },
		"the judgments":           func(c *Case) { c.Judgments = nil },
		"the judgments before":    func(c *Case) { c.BeforeJudgments = nil },
		"the number of documents": func(c *Case) { c.Documents = 0 },
		"room for the ranking":    func(c *Case) { c.Documents = 6 },
		"room for that before":    func(c *Case) { c.Documents, c.Ranking = 6, c.Ranking[:6] },
	} {
		c := narrowing()
		spoil(c)
		if v, ok := (IRS{}).Score(c); ok {
			t.Errorf("IRS without %s = %v", lacking, v)
		}
	}
}

// TestAspects: g belongs to the aspect of weight 3/4, h to that of 1/4, and s, which is not
// relevant, covers the first. The ranking is s, h, g.
func TestAspects(t *testing.T) {
	c := &Case{
		Judgments: map[string]int{"g": 1, "h": 1, "s": 0}, Ranking: ranking("s", "h", "g"),
		Aspects: []Aspect{{ID: "a1", Weight: 0.75, Docs: []string{"g", "s"}}, {ID: "a2", Weight: 0.25, Docs: []string{"h"}}},
	}
	const log3 = 1.584962500721156
	best := 0.75 + 0.25/log3
	for name, want := range map[string]float64{
		"aspect_nDCG@3": (0.25/log3 + 0.75/2) / best, "aspect_nDCG@2": 0.25 / log3 / best, "aspect_nDCG": (0.25/log3 + 0.75/2) / best,
		"A-Recall@1": 0.75, "A-Recall@2": 1, "A-Recall@25": 1,
	} {
		m, err := Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := m.Score(c); !ok || !near(got, want) {
			t.Errorf("%s = %v, %v; want %v", name, got, ok, want)
		}
	}
	c.Aspects = []Aspect{{ID: "a1", Weight: 1, Docs: []string{"s"}}} // no relevant document has an aspect
	if v, ok := (AspectNDCG{K: 25, Alpha: novelty}).Score(c); ok {
		t.Errorf("aspect_nDCG without a gold document that has an aspect = %v", v)
	}
	if v, ok := (AspectRecall{K: 25}).Score(c); !ok || v != 0 {
		t.Errorf("A-Recall there = %v, %v; want 0", v, ok)
	}
	c.Aspects = nil
	if v, ok := (AspectRecall{K: 25}).Score(c); ok {
		t.Errorf("A-Recall without aspects = %v", v)
	}
}

// TestConditions: documents of grades 3, 2, 1 and 0 score 9, 7, 7 and 8, so that one of three
// comparisons is a fall; before, they scored 9, 8, 7, 6.
func TestConditions(t *testing.T) {
	scored := func(scores ...float64) trec.Ranking {
		var r trec.Ranking
		for i, s := range scores {
			r = append(r, trec.Scored{Doc: string(rune('a' + i)), Score: s})
		}
		r.Sort()
		return r
	}
	c := &Case{Judgments: map[string]int{"a": 3, "b": 2, "c": 1, "d": 0}, Ranking: scored(9, 7, 7, 8), Before: scored(9, 8, 7, 6)}
	for _, test := range []struct {
		m    Measure
		want float64
	}{{Monotonicity{}, 1. / 3}, {Monotonicity{Step: 1}, 1}, {Monotonicity{Step: 3}, 0}, {WholeChain{}, 0}, {FlipRate{}, 2. / 3}} {
		if got, ok := test.m.Score(c); !ok || !near(got, test.want) {
			t.Errorf("%s = %v, %v; want %v", test.m, got, ok, test.want)
		}
	}
	c.Ranking = scored(9, 8, 7) // d is not retrieved: below all
	if got, ok := (WholeChain{}).Score(c); !ok || got != 1 {
		t.Errorf("WholeChain = %v, %v; want 1", got, ok)
	}
	if v, ok := (Monotonicity{Step: 4}).Score(c); ok {
		t.Errorf("the fourth fall of three = %v", v)
	}
	c.Judgments = map[string]int{"a": 1, "b": 1}
	if v, ok := (Monotonicity{}).Score(c); ok {
		t.Errorf("Monotonicity of one grade = %v", v)
	}
}

// TestHoleAsksAllQueries: x is judged for another query, y for none.
func TestHoleAsksAllQueries(t *testing.T) {
	c := &Case{Judgments: map[string]int{"a": 1}, Ranking: ranking("a", "x", "y"),
		Pool: NewPool(trec.Qrels{"1": {"a": 1}, "2": {"x": 0}})}
	for name, want := range map[string]float64{"Hole@3": 1. / 3, "Hole@4": 1. / 4, "Hole@2": 0, "Unjudged@3": 2. / 3} {
		m, err := Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := m.Score(c); !ok || !near(got, want) {
			t.Errorf("%s = %v, %v; want %v", name, got, ok, want)
		}
	}
}
