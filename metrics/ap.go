package metrics

// AP is average precision: the sum of the precisions at the ranks of the
// relevant documents retrieved (in the first K, if K > 0), divided by the number
// of relevant documents R, and 0 where R is 0. trec_eval's map and map_cut.
type AP struct {
	K   int // 0: all ranks
	Rel int // 0: the case's level
}

var apFamily = Family{
	Name: "AP", Aliases: []string{"MAP"}, Forms: "AP, AP@k, AP(rel=2)@k",
	Definition: "mean over the R relevant documents of the precision at each one's rank (0 if it is not retrieved, or not in the first k)",
	Range:      "[0,1]", Direction: Higher, Source: "trec_eval map, map_cut; Harman 1992", Address: trecEval,
	make: func(a *arguments) Measure { return AP{K: a.depth(), Rel: a.rel()} },
}

func (m AP) String() string { return spell("AP", m.K, relOption(m.Rel)) }

// Score implements Measure.
func (m AP) Score(c *Case) (float64, bool) {
	r, ok := c.relevance()
	if !ok {
		return 0, false
	}
	level := c.level(m.Rel)
	sum, found := 0.0, 0
	for i, grade := range r.top(m.K) {
		if grade >= level {
			found++
			sum += float64(found) / float64(i+1)
		}
	}
	return ratio(sum, float64(r.relevant(level))), true
}
