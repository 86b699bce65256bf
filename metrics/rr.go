package metrics

// RR is the reciprocal of the rank of the first relevant document, 0 if none is retrieved (in the
// first K, if K > 0). trec_eval's recip_rank.
type RR struct {
	K   int // 0: all ranks
	Rel int // 0: the case's level
}

var rrFamily = Family{
	Name: "RR", Aliases: []string{"MRR", "recip_rank"}, Forms: "RR, RR@k, RR(rel=2)@k",
	Definition: "1 divided by the rank of the first relevant document",
	Range:      "[0,1]", Direction: Higher, Source: "trec_eval recip_rank; Kantor and Voorhees 2000", Address: trecEval,
	make: func(a *arguments) Measure { return RR{K: a.depth(), Rel: a.rel()} },
}

func (m RR) String() string { return spell("RR", m.K, relOption(m.Rel)) }

// Score implements Measure.
func (m RR) Score(c *Case) (float64, bool) {
	r, ok := c.relevance()
	if !ok {
		return 0, false
	}
	level := c.level(m.Rel)
	for i, grade := range r.top(m.K) {
		if grade >= level {
			return 1 / float64(i+1), true
		}
	}
	return 0, true
}
