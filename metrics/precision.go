package metrics

// Precision is the share of relevant documents in the first K ranks. Ranks that the run left empty
// count as not relevant. trec_eval's P.
type Precision struct{ K, Rel int }

var precisionFamily = Family{
	Name: "P", Aliases: []string{"Precision"}, Forms: "P@k, P(rel=2)@k",
	Definition: "relevant documents in the first k, divided by k, even where fewer are retrieved",
	Range:      "[0,1]", Direction: Higher, Source: "trec_eval P", Address: trecEval,
	make: func(a *arguments) Measure { return Precision{K: a.needDepth(), Rel: a.rel()} },
}

func (m Precision) String() string { return spell("P", m.K, relOption(m.Rel)) }

// Score implements Measure.
func (m Precision) Score(c *Case) (float64, bool) {
	r, ok := c.relevance()
	if !ok {
		return 0, false
	}
	return ratio(float64(hits(r.top(m.K), c.level(m.Rel))), float64(m.K)), true
}
