package metrics

// RBP is rank-biased precision: (1-P) times the sum of P^(rank-1) over the relevant documents (in
// the first K, if K > 0). trec_eval's rbp differs: it scales gains by a minimum and maximum that it
// never initialises.
type RBP struct {
	P   float64 // persistence, in [0,1)
	K   int     // 0: all ranks
	Rel int
}

// rbpPersistence is ir_measures' default; trec_eval's is 0.9.
const rbpPersistence = 0.8

var rbpFamily = Family{
	Name: "RBP", Forms: "RBP, RBP(p=0.9), RBP(p=0.9,rel=2)@k",
	Definition: "(1-p) times the sum of p^(rank-1) over the relevant documents; p is 0.8 by default",
	Range:      "[0,1)", Direction: Higher, Source: "Moffat and Zobel 2008, equation 4", Address: "https://doi.org/10.1145/1416950.1416952",
	make: func(a *arguments) Measure {
		return RBP{P: a.number("p", rbpPersistence, 0, 0.999999), K: a.depth(), Rel: a.rel()}
	},
}

func (m RBP) String() string {
	return spell("RBP", m.K, numberOption("p", m.P, rbpPersistence), relOption(m.Rel))
}

// Score implements Measure.
func (m RBP) Score(c *Case) (float64, bool) {
	r, ok := c.relevance()
	if !ok {
		return 0, false
	}
	level := c.level(m.Rel)
	sum, weight := 0.0, 1.0
	for _, grade := range r.top(m.K) {
		if grade >= level {
			sum += weight
		}
		weight *= m.P
	}
	return (1 - m.P) * sum, true
}

// RBPResidual is the increase of RBP if every retrieved document without a judgment, and every
// document that was not retrieved, were relevant; 0 if every retrieved document is judged.
// trec_eval's rbp_resid.
type RBPResidual struct{ P float64 }

var rbpResidualFamily = Family{
	Name: "RBPResidual", Aliases: []string{"rbp_resid"}, Forms: "RBPResidual, RBPResidual(p=0.9)",
	Definition: "p^retrieved plus (1-p) times the sum of p^(rank-1) over the documents without a judgment, 0 if there are none; p is 0.8 by default",
	Range:      "[0,1]", Direction: Lower, Source: "trec_eval rbp_resid; Moffat and Zobel 2008", Address: "https://doi.org/10.1145/1416950.1416952",
	make: func(a *arguments) Measure { return RBPResidual{P: a.number("p", rbpPersistence, 0, 0.999999)} },
}

func (m RBPResidual) String() string {
	return spell("RBPResidual", 0, numberOption("p", m.P, rbpPersistence))
}

// Score implements Measure.
func (m RBPResidual) Score(c *Case) (float64, bool) {
	r, ok := c.relevance()
	if !ok {
		return 0, false
	}
	sum, weight := 0.0, 1.0
	for _, grade := range r.grades {
		if grade < 0 {
			sum += weight
		}
		weight *= m.P
	}
	if sum == 0 {
		return 0, true
	}
	return weight + (1-m.P)*sum, true
}
