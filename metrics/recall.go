package metrics

// Recall is the share of the relevant documents that are in the first K ranks,
// 0 where there are none. trec_eval's recall.
type Recall struct{ K, Rel int }

var recallFamily = Family{
	Name: "R", Aliases: []string{"Recall"}, Forms: "R@k, R(rel=2)@k",
	Definition: "relevant documents in the first k, divided by all relevant documents",
	Range:      "[0,1]", Direction: Higher, Source: "trec_eval recall",
	make: func(a *arguments) Measure { return Recall{K: a.needDepth(), Rel: a.rel()} },
}

func (m Recall) String() string { return spell("R", m.K, relOption(m.Rel)) }

// Score implements Measure.
func (m Recall) Score(c *Case) (float64, bool) {
	r, ok := c.relevance()
	if !ok {
		return 0, false
	}
	level := c.level(m.Rel)
	return ratio(float64(hits(r.top(m.K), level)), float64(r.relevant(level))), true
}
