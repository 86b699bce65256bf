package metrics

import "strconv"

// Rprec is the precision after R documents, where R is the number of relevant ones; 0 if R is 0.
// trec_eval's Rprec.
type Rprec struct{ Rel int }

var rprecFamily = Family{
	Name: "Rprec", Forms: "Rprec, Rprec(rel=2)",
	Definition: "precision after as many documents as there are relevant ones",
	Range:      "[0,1]", Direction: Higher, Source: "trec_eval Rprec; Buckley and Voorhees 2005", Address: trecEval,
	make: func(a *arguments) Measure { return Rprec{Rel: a.rel()} },
}

func (m Rprec) String() string { return spell("Rprec", 0, relOption(m.Rel)) }

// Score implements Measure.
func (m Rprec) Score(c *Case) (float64, bool) { return RprecMult{Multiple: 1, Rel: m.Rel}.Score(c) }

// RprecMult is the precision after floor(Multiple*R + 0.9) documents. trec_eval's Rprec_mult.
type RprecMult struct {
	Multiple float64
	Rel      int
}

var rprecMultFamily = Family{
	Name: "RprecMult", Aliases: []string{"Rprec_mult"}, Forms: "RprecMult@0.2",
	Definition: "precision after x*R documents, R being the number of relevant ones; the number of documents is floor(x*R+0.9)",
	Range:      "[0,1]", Direction: Higher, Source: "trec_eval Rprec_mult", Address: trecEval,
	make: func(a *arguments) Measure { return RprecMult{Multiple: a.fraction(100), Rel: a.rel()} },
}

func (m RprecMult) String() string {
	return spell("RprecMult", 0, relOption(m.Rel)) + "@" + strconv.FormatFloat(m.Multiple, 'g', -1, 64)
}

// Score implements Measure.
func (m RprecMult) Score(c *Case) (float64, bool) {
	r, ok := c.relevance()
	if !ok {
		return 0, false
	}
	level := c.level(m.Rel)
	cut := int(m.Multiple*float64(r.relevant(level)) + 0.9)
	if cut == 0 {
		return 0, true
	}
	return float64(hits(r.top(cut), level)) / float64(cut), true
}
