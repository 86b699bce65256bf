package metrics

import (
	"math"
	"slices"

	"infbench/metrics/trec"
)

// NAUC measures how well the scores of a ranking tell when to abstain. Queries are given up in
// order of confidence, lowest first, at rates 0, 0.1, ..., 0.9. The area under the mean of the
// measure over the kept queries is normalised between that of never choosing (0) and that of an
// oracle (1), which gives up the worst queries. Its value for one query is the measure's. Undefined
// if the oracle gains nothing.
type NAUC struct {
	Of         Measure
	Confidence string // "max", "std" or "diff1"
}

// naucFamily is a function because its make parses the measure, which reads the list of families.
func naucFamily() Family {
	return Family{
		Name: "nAUC", Forms: "nAUC(measure=nDCG@10), nAUC(measure=AP@10,conf='std')",
		Definition: "area under the mean of the measure when abstaining from the least confident queries, between never choosing (0) and an oracle (1); confidence is the highest score (conf='max'), the scores' standard deviation ('std') or the lead of the first ('diff1')",
		Range:      "(-inf,1]", Direction: Higher, Source: "Gisserot-Boukhlef et al. 2024 (arXiv 2402.12997); mteb nauc", Address: "https://arxiv.org/abs/2402.12997",
		make: func(a *arguments) Measure {
			return NAUC{Of: a.measure("measure", "nDCG@10"), Confidence: a.choice("conf", "max", "std", "diff1")}
		},
	}
}

func (m NAUC) String() string {
	return spell("nAUC", 0, "measure="+m.Of.String(), wordOption("conf", m.Confidence, "max"))
}

// Score implements Measure.
func (m NAUC) Score(c *Case) (float64, bool) { return m.Of.Score(c) }

// Summarize implements Summarizer. Queries without a ranking have no confidence
// and are left out.
func (m NAUC) Summarize(rows []Row) (float64, bool) {
	better := familyDirection(m.Of)
	var values, trust []float64 // values are oriented: higher is better
	for _, r := range rows {
		if r.OK && len(r.Case.Ranking) > 0 {
			values = append(values, better.Oriented(r.Value))
			trust = append(trust, m.confidence(r.Case.Ranking))
		}
	}
	if len(values) == 0 {
		return 0, false
	}
	own, oracle := abstention(trust, values), abstention(values, values)
	flat := oracle[0] * abstentionRate(len(oracle)-1)
	if area(oracle) == flat {
		return 0, false
	}
	v := (area(own) - flat) / (area(oracle) - flat)
	return v, !math.IsNaN(v)
}

// confidence computes the confidence from a ranking's scores.
func (m NAUC) confidence(ranking trec.Ranking) float64 {
	switch m.Confidence {
	case "std":
		return deviation(ranking)
	case "diff1":
		if len(ranking) < 2 {
			return 0
		}
		return ranking[0].Score - ranking[1].Score
	}
	return ranking[0].Score
}

// deviation returns the population standard deviation of the scores.
func deviation(ranking trec.Ranking) float64 {
	n := float64(len(ranking))
	mean, squares := 0.0, 0.0
	for i := range ranking {
		mean += ranking[i].Score / n
	}
	for i := range ranking {
		d := ranking[i].Score - mean
		squares += d * d / n
	}
	return math.Sqrt(squares)
}

// abstention returns the mean of values at each rate of abstention. Queries with the lowest trust
// are given up first; ties are given up in the order of the queries.
func abstention(trust, values []float64) [10]float64 {
	order := make([]int, len(trust))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case trust[a] < trust[b]:
			return -1
		case trust[a] > trust[b]:
			return 1
		}
		return 0
	})
	var curve [10]float64
	for i := range curve {
		given := min(int(math.RoundToEven(abstentionRate(i)*float64(len(order)))), len(order)-1)
		sum := 0.0
		for _, at := range order[given:] {
			sum += values[at]
		}
		curve[i] = sum / float64(len(order)-given)
	}
	return curve
}

// abstentionRate returns the i-th of mteb's rates.
func abstentionRate(i int) float64 { return float64(i) * 0.1 }

// area returns the trapezoid area under a curve over the rates.
func area(curve [10]float64) float64 {
	sum := 0.0
	for i := 1; i < len(curve); i++ {
		sum += (abstentionRate(i) - abstentionRate(i-1)) * (curve[i] + curve[i-1]) / 2
	}
	return sum
}
