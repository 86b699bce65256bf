package metrics

// Success is 1 if a relevant document is in the first K ranks, else 0. trec_eval's success, mteb's
// hit rate.
type Success struct{ K, Rel int }

var successFamily = Family{
	Name: "Success", Aliases: []string{"HitRate", "hit_rate"}, Forms: "Success@k, Success(rel=2)@k",
	Definition: "1 if a relevant document is in the first k, else 0",
	Range:      "{0,1}", Direction: Higher, Source: "trec_eval success", Address: trecEval,
	make: func(a *arguments) Measure { return Success{K: a.needDepth(), Rel: a.rel()} },
}

func (m Success) String() string { return spell("Success", m.K, relOption(m.Rel)) }

// Score implements Measure.
func (m Success) Score(c *Case) (float64, bool) {
	r, ok := c.relevance()
	if !ok {
		return 0, false
	}
	return float64(min(1, hits(r.top(m.K), c.level(m.Rel)))), true
}
