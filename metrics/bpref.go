package metrics

// Bpref is binary preference: the mean over the R relevant documents of 1 - min(n,R)/min(N,R) for
// those retrieved, where n is the number of documents above it that are judged not relevant, and N
// the number of all documents judged not relevant. Documents without a judgment do not count.
// trec_eval's bpref.
type Bpref struct{ Rel int }

var bprefFamily = Family{
	Name: "Bpref", Forms: "Bpref, Bpref(rel=2)",
	Definition: "mean over the R relevant documents of 1-min(n,R)/min(N,R), n being the number of the N judged non-relevant documents above it; unjudged documents are ignored",
	Range:      "[0,1]", Direction: Higher, Source: "trec_eval bpref; Buckley and Voorhees 2004", Address: "https://doi.org/10.1145/1008992.1009000",
	make: func(a *arguments) Measure { return Bpref{Rel: a.rel()} },
}

func (m Bpref) String() string { return spell("Bpref", 0, relOption(m.Rel)) }

// Score implements Measure.
func (m Bpref) Score(c *Case) (float64, bool) {
	r, ok := c.relevance()
	if !ok {
		return 0, false
	}
	level := c.level(m.Rel)
	relevant := r.relevant(level)
	worst := float64(min(len(r.judged)-relevant, relevant))
	above, sum := 0, 0.0
	for _, grade := range r.grades {
		switch {
		case grade >= level:
			preferred := 1.0
			if above > 0 {
				preferred -= float64(min(above, relevant)) / worst
			}
			sum += preferred
		case grade >= 0:
			above++
		}
	}
	return ratio(sum, float64(relevant)), true
}
