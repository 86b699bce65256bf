package metrics

import (
	"math"
	"strconv"
)

// IPrec is interpolated precision at a recall level: the highest precision at or below the rank
// where round(Recall*R) relevant documents are found, 0 if they are not all found. trec_eval's
// iprec_at_recall; version 9 rounded differently.
type IPrec struct {
	Recall float64 // in [0,1]
	Rel    int
}

var iprecFamily = Family{
	Name: "IPrec", Forms: "IPrec@0.1, IPrec(rel=2)@0.1",
	Definition: "highest precision at or after the rank where round(x*R) relevant documents are found",
	Range:      "[0,1]", Direction: Higher, Source: "trec_eval 10 iprec_at_recall", Address: trecEval,
	make: func(a *arguments) Measure { return IPrec{Recall: a.fraction(1), Rel: a.rel()} },
}

func (m IPrec) String() string {
	return spell("IPrec", 0, relOption(m.Rel)) + "@" + strconv.FormatFloat(m.Recall, 'g', -1, 64)
}

// Score implements Measure.
func (m IPrec) Score(c *Case) (float64, bool) {
	r, ok := c.relevance()
	if !ok {
		return 0, false
	}
	level := c.level(m.Rel)
	return atRecall(r.interpolated(level), m.Recall, r.relevant(level)), true
}

// interpolated returns the interpolated precision of the grades, cached for the case's own level.
func (r *relevance) interpolated(level int) []float64 {
	if level == r.level {
		return r.best()
	}
	return interpolated(r.grades, level)
}

// interpolated returns the highest precision at or after the rank of the first,
// second, ... relevant document.
func interpolated(grades []int, level int) []float64 {
	var best []float64
	for i, grade := range grades {
		if grade >= level {
			best = append(best, float64(len(best)+1)/float64(i+1))
		}
	}
	for i := len(best) - 2; i >= 0; i-- {
		best[i] = max(best[i], best[i+1])
	}
	return best
}

// atRecall returns the interpolated precision at which this share of all relevant documents is
// found.
func atRecall(best []float64, recall float64, relevant int) float64 {
	need := max(1, int(math.Round(recall*float64(relevant))))
	if need > len(best) {
		return 0
	}
	return best[need-1]
}
