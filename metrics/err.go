package metrics

import "math"

// ERR is expected reciprocal rank: the sum over ranks of the probability that a user who reads down
// the ranking stops there, divided by the rank. A document of grade g satisfies the user with
// probability (2^g-1)/2^Max.
type ERR struct {
	K   int
	Max int // the highest grade of the collection's scale
}

// errMax is gdeval's MAX_JUDGMENT.
const errMax = 4

var errFamily = Family{
	Name: "ERR", Forms: "ERR@k, ERR, ERR(max=3)@k",
	Definition: "sum over ranks of the chance to stop there, divided by the rank, a document of grade g satisfying with chance (2^g-1)/2^max; max is 4 by default",
	Range:      "[0,1)", Direction: Higher, Source: "Chapelle et al. 2009; gdeval.pl (max 4)", Address: "https://doi.org/10.1145/1645953.1646033",
	make: func(a *arguments) Measure {
		return ERR{K: a.depth(), Max: a.integer("max", errMax, 1, 62)}
	},
}

func (m ERR) String() string { return spell("ERR", m.K, numberOption("max", float64(m.Max), errMax)) }

// Score implements Measure. It is undefined where a judgment is above Max, which
// gdeval refuses too.
func (m ERR) Score(c *Case) (float64, bool) {
	r, ok := c.relevance()
	if !ok || len(r.judged) > 0 && r.judged[0] > m.Max {
		return 0, false
	}
	sum, reading := 0.0, 1.0
	for i, grade := range r.top(m.K) {
		if grade < 1 {
			continue
		}
		stop := (math.Exp2(float64(grade)) - 1) / math.Exp2(float64(m.Max))
		sum += reading * stop / float64(i+1)
		reading *= 1 - stop
	}
	return sum, true
}
