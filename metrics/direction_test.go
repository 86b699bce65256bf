package metrics

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"infbench/metrics/stats"
	"infbench/metrics/suites"
	"infbench/metrics/trec"
)

func TestBetter(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		a, b          float64
		higher, lower bool
	}{
		{2, 1, true, false}, {1, 2, false, true}, {1, 1, false, false}, {0, math.Copysign(0, -1), false, false},
		{.1 + .2, .3, false, false}, {.3, .1 + .2, false, false},
		{-0.1, -0.2, true, false}, {math.Inf(1), 1, true, false}, {nan, 1, false, false}, {1, nan, false, false}, {nan, nan, false, false},
	} {
		if got := Higher.Better(c.a, c.b); got != c.higher {
			t.Errorf("higher: %v better than %v: %t", c.a, c.b, got)
		}
		if got := Lower.Better(c.a, c.b); got != c.lower {
			t.Errorf("lower: %v better than %v: %t", c.a, c.b, got)
		}
		if Neither.Better(c.a, c.b) || Direction("").Better(c.a, c.b) {
			t.Errorf("%v is better than %v without a direction", c.a, c.b)
		}
		for _, d := range []Direction{Higher, Lower} {
			if got := stats.Compare(d.Oriented(c.a), d.Oriented(c.b)) > 0; got != d.Better(c.a, c.b) {
				t.Errorf("%s: %v and %v are ordered otherwise when oriented", d, c.a, c.b)
			}
		}
	}
	if Higher.Oriented(0.3) != 0.3 || Lower.Oriented(0.3) != -0.3 || Neither.Oriented(0.3) != 0 {
		t.Error("oriented wrongly")
	}
}

// TestDirections lists the families with a direction other than Higher: those whose lower values
// are better, and those that do not rate a ranking.
func TestDirections(t *testing.T) {
	other := map[string]Direction{
		"Unjudged": Lower, "RBPResidual": Lower, "Hole": Lower, "FlipRate": Lower,
		"NumQ": Neither, "NumRet": Neither, "NumRel": Neither, "NumRelRet": Neither, "NumNonrelJudgedRet": Neither,
	}
	for _, f := range Families() {
		want, named := other[f.Name]
		if !named {
			want = Higher
		}
		if f.Direction != want {
			t.Errorf("%s: %s, want %s", f.Name, f.Direction, want)
		}
		for _, form := range splitForms(f.Forms) {
			if d, err := DirectionOf(form); d != want || err != nil {
				t.Errorf("%s: %s, %v; want %s", form, d, err, want)
			}
		}
	}
}

// TestDirectionOf looks measures up by the names that results carry, where options can reverse a
// measure.
func TestDirectionOf(t *testing.T) {
	for name, want := range map[string]Direction{
		"nDCG@10": Higher, "p-MRR": Higher, "P@5": Higher, "unj@10": Lower, "Unjudged@10": Lower, "rbp_resid": Lower,
		"RBPResidual(p=0.5)": Lower, "num_rel(rel=2)": Neither,
		"FollowIR(measure=AP@1000,qrels='original')":     Higher,
		"FollowIR(measure=Unjudged@10,qrels='original')": Lower,
		"FollowIR(measure=NumRet,qrels='changed')":       Neither,
		"nAUC(measure=Unjudged@10)":                      Higher,
		"Utility(a=2,b=-1,c=-1)":                         Higher,
		"Utility(a=0,b=1,c=1)":                           Lower,   // counts errors
		"Utility(b=1)":                                   Neither, // counts retrieved documents
	} {
		if d, err := DirectionOf(name); d != want || err != nil {
			t.Errorf("%s: %s, %v; want %s", name, d, err, want)
		}
	}
	if d, err := DirectionOf("nDGC@10"); d != Neither || err == nil || !strings.Contains(err.Error(), `did you mean "nDCG"`) {
		t.Errorf("an unknown measure: %s, %v", d, err)
	}
}

// ranked builds a ranking with the documents in this order.
func ranked(docs string) (r trec.Ranking) {
	for i, d := range strings.Fields(docs) {
		r = append(r, trec.Scored{Doc: d, Score: float64(100 - i)})
	}
	return r
}

// TestDirectionsFitDefinitions checks each direction against the measure's values for the best and
// the worst possible ranking, with the same number of documents: relevant r, judged not relevant n,
// unjudged u.
func TestDirectionsFitDefinitions(t *testing.T) {
	judgments := map[string]int{"r": 2, "n1": 0, "n2": 0, "n3": 0}
	with := func(ranking string, quality Quality) *Case {
		return &Case{
			Documents: 8, Pool: NewPool(trec.Qrels{"q_1": judgments}), Aspects: []suites.Aspect{{ID: "a", Weight: 1, Docs: []string{"r"}}},
			Query: "q_1", Judgments: judgments, BeforeJudgments: judgments, Ranking: ranked(ranking), Arrival: ranked(ranking),
			Before: ranked("n1 n2 r n3"), BeforeArrival: ranked("n1 n2 r n3"), Changed: []string{"n1", "n2"},
			Reversed: ranked("n2 n1 u3 n3 r"), Quality: &quality,
			Subtopics: map[string]map[string]int{"r": {"a": 1, "b": 1}},
		}
	}
	good, bad := with("r n1 n2 n3", Quality{1, 3}), with("n1 u1 n2 u2", Quality{1, 0})
	for _, m := range everyMeasure(t) {
		if f, ok := m.(FollowIR); ok { // FollowIR scores the ranking before
			m = f.Of
		}
		if _, ok := m.(FlipRate); ok { // FlipRate measures the effect of wording, not the quality of a ranking
			continue
		}
		d, err := DirectionOf(m.String())
		if err != nil {
			t.Fatal(err)
		}
		a, ok := m.Score(good)
		b, ok2 := m.Score(bad)
		switch {
		case !ok || !ok2:
			t.Errorf("%s is undefined for the best or the worst ranking", m)
		case d != Neither && !d.Better(a, b):
			t.Errorf("%s, %s is better: %v of the best ranking, %v of the worst", m, d, a, b)
		}
	}
}

func TestParseSelector(t *testing.T) {
	for _, name := range []string{"ndcg@10", "p-MRR", "Unjudged@10", "rbp_resid", "FollowIR(measure=Unjudged@10,qrels='changed')"} {
		m, d, err := ParseSelector(name)
		if want, _ := DirectionOf(name); err != nil || d != want || d == Neither || fmt.Sprint(m) == "" {
			t.Errorf("%s: %v, %s, %v", name, m, d, err)
		}
	}
	for name, want := range map[string]string{
		"num_q":        "measure NumQ has no direction",
		"NumRel":       "measure NumRel has no direction",
		"Utility(b=1)": "measure Utility(b=1) has no direction",
		"GMAP":         "measure GMAP is not a mean over queries",
		"nAUC":         "measure nAUC(measure=nDCG@10) is not a mean over queries",
		"nDGC":         `did you mean "nDCG"`,
	} {
		_, d, err := ParseSelector(name)
		if err == nil || d != Neither || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %s, %v; want %q", name, d, err, want)
			continue
		}
		if name == "nDGC" {
			continue
		}
		_, list, _ := strings.Cut(err.Error(), "measures that can select: ")
		names := strings.Split(list, ", ")
		for _, in := range []string{"AP", "nDCG", "p-MRR", "Unjudged", "RBPResidual", "FollowIR"} {
			if !slices.Contains(names, in) {
				t.Errorf("%v does not name %s", err, in)
			}
		}
		for _, out := range []string{"GMAP", "NumQ", "NumRet", "nAUC", "Robustness", "INSTFOL"} {
			if slices.Contains(names, out) {
				t.Errorf("%v names %s", err, out)
			}
		}
	}
}

// TestNAUCOfLower: for a measure whose lower values are better, an oracle gives up the queries with
// the highest values. The two queries are those of TestNAUC.
func TestNAUCOfLower(t *testing.T) {
	m := NAUC{Of: Unjudged{K: 10}, Confidence: "max"}
	sure, unsure := trec.Ranking{{Doc: "a", Score: 2}}, trec.Ranking{{Doc: "a", Score: 1}}
	for want, first := range map[float64][2]trec.Ranking{1: {sure, unsure}, (0.45 - 0.775) / (0.45 - 0.125): {unsure, sure}} {
		rows := []Row{{&Case{Query: "1", Ranking: first[0]}, 0, true}, {&Case{Query: "2", Ranking: first[1]}, 1, true}}
		if v, ok := m.Summarize(rows); !ok || !near(v, want) {
			t.Errorf("confident of %v: %v, %v; want %v", first[0], v, ok, want)
		}
	}
}
