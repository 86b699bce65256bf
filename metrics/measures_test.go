package metrics

import (
	"math"
	"testing"

	"infbench/metrics/trec"
)

// ranking builds a ranking with the documents in this order.
func ranking(docs ...string) trec.Ranking {
	r := make(trec.Ranking, len(docs))
	for i, d := range docs {
		r[i] = trec.Scored{Doc: d, Score: float64(len(docs) - i)}
	}
	return r
}

// worked is the case of the tables below. By rank the grades are 0, 2, none, 1
// and pooled; three documents are relevant (a, b and d, which is not retrieved),
// two are judged not relevant (c and n).
func worked() *Case {
	return &Case{
		Query:     "1",
		Judgments: map[string]int{"a": 2, "b": 1, "c": 0, "d": 1, "e": -1, "n": 0},
		Ranking:   ranking("c", "a", "x", "b", "e"),
	}
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12*math.Max(1, math.Abs(b)) }

// TestMeasures checks every measure of one ranking against fractions worked out
// by hand from its definition.
func TestMeasures(t *testing.T) {
	log3, log5 := math.Log2(3), math.Log2(5)
	ideal := 2 + 1/log3 + 0.5
	dcg := 2/log3 + 1/log5
	for _, c := range []struct {
		name string
		want float64
	}{
		{"AP", (1./2 + 2./4) / 3}, {"AP@1", 0}, {"AP@2", (1. / 2) / 3}, {"AP@1000", 1. / 3}, {"AP(rel=2)", 1. / 2},
		{"GMAP", 1. / 3}, {"GMBpref", 1. / 3},
		{"nDCG", dcg / ideal}, {"nDCG@1", 0}, {"nDCG@2", (2 / log3) / (2 + 1/log3)}, {"nDCG@10", dcg / ideal},
		{"nDCG(dcg='exp-log2')", (3/log3 + 1/log5) / (3 + 1/log3 + 0.5)},
		{"nDCG(gains='2=5,0=1')", (1 + 5/log3 + 1/log5) / (5 + 1/log3 + 1./2 + 1/log5 + 1/math.Log2(6))},
		{"nDCG(gains='1=4')@2", (2 / log3) / (4 + 4/log3)},
		{"P@1", 0}, {"P@2", 1. / 2}, {"P@5", 2. / 5}, {"P@10", 2. / 10}, {"P(rel=2)@5", 1. / 5},
		{"R@1", 0}, {"R@2", 1. / 3}, {"R@4", 2. / 3}, {"R(rel=2)@2", 1},
		{"RR", 1. / 2}, {"RR@1", 0}, {"RR(rel=2)", 1. / 2},
		{"Rprec", 1. / 3}, {"RprecMult@0.5", 1. / 2}, {"RprecMult@2", 2. / 6}, {"RprecMult@0", 0},
		{"Success@1", 0}, {"Success@2", 1},
		{"Bpref", (1./2 + 1./2) / 3}, {"Bpref(rel=2)", 1 - 1.}, // min(n,R)/min(N,R) = 1/1
		{"infAP", (1./2 + 1./2*infEpsilon/(1+2*infEpsilon) + 1./4 + 3./4*2./3*1./2) / 3},
		{"IPrec@0", 1. / 2}, {"IPrec@0.5", 1. / 2}, {"IPrec@1", 0}, {"11-pt", 9. / 22}, {"11-pt(at='0,1')", 1. / 4},
		{"SetP", 2. / 5}, {"SetR", 2. / 3}, {"SetF", 1. / 2}, {"SetF(beta=2)", 6. / 11}, {"SetAP", 4. / 15},
		{"SetRelativeP", 2. / 3}, {"RelativeP@2", 1. / 2}, {"RelativeP@10", 2. / 3},
		{"Utility", 2 - 3}, {"Utility(a=3,b=-1,c=-2)", 6 - 3 - 2},
		{"NumQ", 1}, {"NumRet", 5}, {"NumRel", 3}, {"NumRelRet", 2}, {"NumNonrelJudgedRet", 1}, {"NumRel(rel=2)", 1},
		{"Judged@3", 2. / 3}, {"Judged@10", 3. / 5}, {"Judged", 3. / 5}, {"Unjudged@3", 1. / 3}, {"Unjudged@10", 2. / 10},
		{"RBP(p=0.5)", 1./4 + 1./16}, {"RBP", 0.2 * (0.8 + 0.8*0.8*0.8)}, {"RBP(p=0.5)@3", 1. / 4}, {"RBP(p=0.5,rel=2)", 1. / 4},
		{"RBPResidual(p=0.5)", 1./32 + 1./2*(1./4+1./16)},
		{"ERR(max=2)@5", 3./8 + 1./4*1./4/4}, {"ERR@5", 3./16/2 + 13./16*1./16/4}, {"ERR@2", 3. / 32},
		{"BinG", (1/log3 + 1./2) / 3}, {"G", (2/log3 + 1./2) / 4},
		{"RnDCG", (0 + 2/log3/ideal + dcg/ideal) / 3},
		{"nDCGRel", (2/log3/(2+1/log3) + dcg/ideal + dcg/ideal) / 3},
		{"Robustness@10", dcg / ideal}, {"PairedAccuracy", 0}, {"nAUC(measure=P@5)", 2. / 5},
	} {
		m, err := Parse(c.name)
		if err != nil {
			t.Fatal(err)
		}
		for _, prepared := range []bool{false, true} {
			one := worked()
			if prepared {
				one.Prepare()
			}
			if got, ok := m.Score(one); !ok || !near(got, c.want) {
				t.Errorf("%s = %v, %v, want %v (prepared: %v)", c.name, got, ok, c.want, prepared)
			}
		}
	}
}

// TestLevel checks that the case's level is the default for rel, that rel overrides it, and that
// nDCG ignores it, as in trec_eval -l.
func TestLevel(t *testing.T) {
	c := worked()
	c.Level = 2
	for name, want := range map[string]string{"AP": "AP(rel=2)", "Bpref": "Bpref(rel=2)", "P@5": "P(rel=2)@5", "AP(rel=1)": "AP(rel=1)", "nDCG@10": "nDCG@10"} {
		m, _ := Parse(name)
		plain, _ := Parse(want)
		got, _ := m.Score(c)
		if expected, _ := plain.Score(worked()); got != expected {
			t.Errorf("%s at level 2 = %v, want %s = %v", name, got, want, expected)
		}
	}
}

// TestNothingRelevant checks trec_eval's value for a query whose judgments have no relevant
// document, and for one with an empty ranking: 0, unless the definition gives no value.
func TestNothingRelevant(t *testing.T) {
	cases := map[string]*Case{
		"nothing relevant":  {Judgments: map[string]int{"a": 0, "b": 0}, Ranking: ranking("a", "x")},
		"only pooled":       {Judgments: map[string]int{"a": -1}, Ranking: ranking("a", "x")},
		"nothing retrieved": {Judgments: map[string]int{"a": 1, "b": 0}},
	}
	for name, c := range cases {
		for _, measure := range []string{"AP", "AP@10", "nDCG", "nDCG@10", "nDCG(dcg='exp-log2')", "P@5", "R@5", "RR", "Rprec", "Success@1", "Bpref",
			"infAP", "IPrec@0", "IPrec@1", "11-pt", "SetP", "SetR", "SetF", "SetAP", "SetRelativeP", "RelativeP@5", "RBP", "ERR@10",
			"RprecMult@0.2", "BinG", "G", "RnDCG", "nDCGRel", "NumRelRet"} {
			m, err := Parse(measure)
			if err != nil {
				t.Fatal(err)
			}
			if v, ok := m.Score(c); !ok || v != 0 {
				t.Errorf("%s, %s = %v, %v, want 0", name, measure, v, ok)
			}
		}
	}
	if _, ok := (Judged{K: 5}).Score(cases["nothing retrieved"]); ok {
		t.Error("Judged of nothing retrieved is defined")
	}
}

// TestUndefined checks that a case without the data that a measure needs has no value.
func TestUndefined(t *testing.T) {
	for _, f := range Families() {
		for _, form := range splitForms(f.Forms) {
			m, err := Parse(form)
			if err != nil {
				t.Fatal(err)
			}
			if v, ok := m.Score(&Case{Ranking: ranking("a", "b")}); ok {
				t.Errorf("%s without judgments, pairs or aspects = %v, want no value", form, v)
			}
		}
	}
	if v, ok := (ERR{K: 10, Max: 4}).Score(&Case{Judgments: map[string]int{"a": 5}, Ranking: ranking("a")}); ok {
		t.Errorf("ERR with a grade above its scale = %v, want no value", v)
	}
	if v, ok := (NDCG{Exp: true}).Score(&Case{Judgments: map[string]int{"a": 5000, "b": 5000}, Ranking: ranking("a")}); ok {
		t.Errorf("exponential nDCG that overflows = %v, want no value", v)
	}
}

// TestDiversity checks the measures of aspects. Document d1 has aspect 1, d2 has 1 and 2, d3 has 2;
// the ranking is d1, d2.
func TestDiversity(t *testing.T) {
	c := &Case{
		Ranking: ranking("d1", "d2"),
		Subtopics: map[string]map[string]int{
			"d1": {"1": 1}, "d2": {"1": 2, "2": 1}, "d3": {"2": 1, "1": 0},
		},
	}
	log3 := math.Log2(3)
	for name, want := range map[string]float64{
		"alpha_nDCG@2":            (1 + 1.5/log3) / (2 + 0.5/log3),
		"alpha_nDCG@1":            1. / 2,
		"alpha_nDCG":              (1 + 1.5/log3) / (2 + 0.5/log3 + 0.5/2),
		"alpha_nDCG(alpha=0)@2":   (1 + 2/log3) / (2 + 1/log3),
		"alpha_nDCG(rel=2)@2":     (1 / log3) / 1, // only d2 has an aspect, at rank 2
		"ERR_IA@2":                (1 + 1.5/2) / (2 + 1./2),
		"ERR_IA@1":                1. / 2,
		"ERR_IA(alpha=1)@2":       (1 + 1./2) / 2,
		"ERR_IA@4":                (1 + 1.5/2) / (2 + 1./2 + 0.5/3 + 0.25/4),
		"alpha_nDCG(alpha=0.5)@9": (1 + 1.5/log3) / (2 + 0.5/log3 + 0.5/2),
	} {
		m, err := Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := m.Score(c); !ok || !near(got, want) {
			t.Errorf("%s = %v, %v, want %v", name, got, ok, want)
		}
	}
}
