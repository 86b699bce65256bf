package metrics

import "math"

// NDCG is normalised discounted cumulative gain: the sum of gain/log2(rank+1)
// over the ranking (its first K, if K > 0) divided by the same sum of the best
// ranking of all judged documents. The gain is the grade, or 2^grade-1 with Exp;
// a grade below 1 gains nothing. The case's level has no part in it. 0 where
// nothing has a gain. trec_eval's ndcg and ndcg_cut.
type NDCG struct {
	K   int  // 0: the whole ranking
	Exp bool // exponential gain, dcg='exp-log2' in ir_measures
}

var ndcgFamily = Family{
	Name: "nDCG", Forms: "nDCG, nDCG@k, nDCG(dcg='exp-log2')@k",
	Definition: "sum of gain/log2(rank+1) divided by that of the ideal ranking; the gain is the grade (dcg='log2', default) or 2^grade-1 (dcg='exp-log2')",
	Range:      "[0,1]", Direction: "higher", Source: "trec_eval ndcg, ndcg_cut; Järvelin and Kekäläinen 2002; exp-log2: Burges et al. 2005",
	make: func(a *arguments) Measure {
		return NDCG{K: a.depth(), Exp: a.choice("dcg", "log2", "exp-log2") == "exp-log2"}
	},
}

func (m NDCG) String() string {
	dcg := ""
	if m.Exp {
		dcg = "dcg='exp-log2'"
	}
	return spell("nDCG", m.K, dcg)
}

// Score implements Measure. It is undefined where 2^grade overflows.
func (m NDCG) Score(c *Case) (float64, bool) {
	r, ok := c.relevance()
	if !ok {
		return 0, false
	}
	ideal := r.judged
	if m.K > 0 && m.K < len(ideal) {
		ideal = ideal[:m.K]
	}
	v := ratio(m.dcg(r.top(m.K)), m.dcg(ideal))
	return v, !math.IsNaN(v)
}

// dcg is the discounted cumulative gain of grades in rank order.
func (m NDCG) dcg(grades []int) float64 {
	sum := 0.0
	for i, grade := range grades {
		if grade > 0 {
			sum += m.gain(grade) / math.Log2(float64(i+2))
		}
	}
	return sum
}

func (m NDCG) gain(grade int) float64 {
	if m.Exp {
		return math.Exp2(float64(grade)) - 1
	}
	return float64(grade)
}
