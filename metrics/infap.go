package metrics

// InfAP is inferred average precision for a sampled pool. At a relevant document of rank j the
// precision is 1/j + (j-1)/j * (pooled/(j-1)) * (rel+e)/(rel+nonrel+2e), where the counts are of
// the documents above it and e is 1e-5; the mean is over all R relevant documents. A negative grade
// means "in the pool, not judged". trec_eval's infAP; Yilmaz and Aslam 2006.
type InfAP struct{ Rel int }

var infapFamily = Family{
	Name: "infAP", Forms: "infAP, infAP(rel=2)",
	Definition: "average precision inferred from a sampled pool: precision at rank j estimated from the judged documents above, unpooled ones counting as not relevant",
	Range:      "[0,1]", Direction: Higher, Source: "trec_eval infAP; Yilmaz and Aslam 2006", Address: "https://doi.org/10.1145/1183614.1183633",
	make: func(a *arguments) Measure { return InfAP{Rel: a.rel()} },
}

// infEpsilon smooths infAP's estimate where no document above is judged.
const infEpsilon = 1e-5

func (m InfAP) String() string { return spell("infAP", 0, relOption(m.Rel)) }

// Score implements Measure.
func (m InfAP) Score(c *Case) (float64, bool) {
	r, ok := c.relevance()
	if !ok {
		return 0, false
	}
	level := c.level(m.Rel)
	sum := 0.0
	var relevant, other, unknown float64 // above the current rank: relevant, not relevant, pooled
	for i, grade := range r.grades {
		switch {
		case grade >= level:
			above := float64(i)
			sum += 1 / (above + 1)
			if above > 0 {
				inPool := (relevant + other + unknown) / above
				sum += above / (above + 1) * inPool * (relevant + infEpsilon) / (relevant + other + 2*infEpsilon)
			}
			relevant++
		case grade >= 0:
			other++
		case grade == pooled:
			unknown++
		}
	}
	return ratio(sum, float64(r.relevant(level))), true
}
