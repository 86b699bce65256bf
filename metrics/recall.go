package metrics

// Recall is the share of the relevant documents that are in the first K ranks, 0 without relevant
// documents. trec_eval's recall.
type Recall struct{ K, Rel int }

var recallFamily = Family{
	Name: "R", Aliases: []string{"Recall"}, Forms: "R@k, R(rel=2)@k",
	Definition: "relevant documents in the first k, divided by all relevant documents",
	Range:      "[0,1]", Direction: Higher, Source: "trec_eval recall", Address: trecEval,
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

// CappedRecall is the number of relevant documents in the first K ranks divided by the smaller of K
// and the number of all relevant documents, so that 1 can be reached. Undefined without relevant
// documents. mteb's R_cap@k, of BEIR.
type CappedRecall struct{ K, Rel int }

var cappedRecallFamily = Family{
	Name: "R_cap", Forms: "R_cap@k, R_cap(rel=2)@k",
	Definition: "relevant documents in the first k, divided by the smaller of k and all relevant documents",
	Range:      "[0,1]", Direction: Higher, Source: "Thakur et al. 2021, BEIR; mteb recall_cap", Address: "https://arxiv.org/abs/2104.08663",
	make: func(a *arguments) Measure { return CappedRecall{K: a.needDepth(), Rel: a.rel()} },
}

func (m CappedRecall) String() string { return spell("R_cap", m.K, relOption(m.Rel)) }

// Score implements Measure.
func (m CappedRecall) Score(c *Case) (float64, bool) {
	r, ok := c.relevance()
	if !ok {
		return 0, false
	}
	level := c.level(m.Rel)
	relevant := r.relevant(level)
	if relevant == 0 {
		return 0, false
	}
	return float64(hits(r.top(m.K), level)) / float64(min(relevant, m.K)), true
}
