package metrics

// Judged is the share of the first K retrieved documents that are judged. Where
// fewer are retrieved the share is of those; undefined where none is.
type Judged struct{ K int }

var judgedFamily = Family{
	Name: "Judged", Forms: "Judged@k, Judged",
	Definition: "documents with a judgment among the first k retrieved, divided by the smaller of k and documents retrieved",
	Range:      "[0,1]", Direction: Higher, Source: "ir_measures Judged",
	make: func(a *arguments) Measure { return Judged{K: a.depth()} },
}

func (m Judged) String() string { return spell("Judged", m.K) }

// Score implements Measure.
func (m Judged) Score(c *Case) (float64, bool) {
	r, ok := c.relevance()
	if !ok || len(r.grades) == 0 {
		return 0, false
	}
	top := r.top(m.K)
	return float64(hits(top, 0)) / float64(len(top)), true
}

// Unjudged is the number of documents without a judgment in the first K ranks,
// divided by K even where fewer are retrieved. trec_eval's unj.
type Unjudged struct{ K int }

var unjudgedFamily = Family{
	Name: "Unjudged", Aliases: []string{"unj"}, Forms: "Unjudged@k",
	Definition: "documents without a judgment in the first k, divided by k, even where fewer are retrieved",
	Range:      "[0,1]", Direction: Lower, Source: "trec_eval unj",
	make: func(a *arguments) Measure { return Unjudged{K: a.needDepth()} },
}

func (m Unjudged) String() string { return spell("Unjudged", m.K) }

// Score implements Measure.
func (m Unjudged) Score(c *Case) (float64, bool) {
	r, ok := c.relevance()
	if !ok {
		return 0, false
	}
	top := r.top(m.K)
	return ratio(float64(len(top)-hits(top, 0)), float64(m.K)), true
}
