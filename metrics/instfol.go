package metrics

// INSTFOL is IFIR's instruction following: (i-q)/(3-q), where q and i are a judge's 0 to 3 scores
// of the rankings without and with the instruction. Its summary is computed from the means of q and
// i. It is 0 where they are equal and i-q where q is 3; it is at most 1 and has no lower bound.
type INSTFOL struct{}

var instfolFamily = Family{
	Name: "INSTFOL", Forms: "INSTFOL",
	Definition: "(i-q)/(3-q) of a judge's mean 0-3 scores without (q) and with the instruction (i); i-q where q is 3",
	Range:      "(-inf,1]", Direction: Higher, Unranked: true, Source: "Song et al. 2025, IFIR (SighingSnow/IFIR)", Address: "https://arxiv.org/abs/2503.04644",
	make: func(*arguments) Measure { return INSTFOL{} },
}

func (INSTFOL) String() string { return "INSTFOL" }

// Score implements Measure. It is undefined without the judge's scores.
func (INSTFOL) Score(c *Case) (float64, bool) {
	if c.Quality == nil {
		return 0, false
	}
	return instructionGain(*c.Quality), true
}

// Summarize implements Summarizer.
func (INSTFOL) Summarize(rows []Row) (float64, bool) {
	var total Quality
	n := 0.0
	for _, r := range rows {
		if r.OK {
			total.Query += r.Case.Quality.Query
			total.Instructed += r.Case.Quality.Instructed
			n++
		}
	}
	if n == 0 {
		return 0, false
	}
	return instructionGain(Quality{total.Query / n, total.Instructed / n}), true
}

func instructionGain(q Quality) float64 {
	switch {
	case q.Query == q.Instructed:
		return 0
	case q.Query == 3:
		return q.Instructed - q.Query
	}
	return (q.Instructed - q.Query) / (3 - q.Query)
}
