package metrics

import "infbench/metrics/trec"

// PMRR is p-MRR of FollowIR: how far the documents that the changed instruction makes irrelevant
// moved down, from before to after. For each such document with ranks o before and n after:
//
//	n/o - 1 if o >= n (it rose: at most 0), else 1 - o/n (it fell: above 0)
//
// The query's value is the mean over its documents; a document that is listed twice counts twice. A
// document that is not retrieved has the rank after the last. The value is in (-1,1); FollowIR's
// tables show it times 100.
//
// Undefined without changed documents or without either ranking: mteb skips such queries. Weller et
// al. 2024 (arXiv 2403.15246), mteb's evaluate_p_mrr_change.
type PMRR struct {
	// Insertion keeps ties in the order in which the run lists them, as in mteb before 2.19.5;
	// otherwise ties are sorted by document ID, descending.
	Insertion bool
}

var pmrrFamily = Family{
	Name: "p-MRR", Aliases: []string{"pMRR"}, Forms: "p-MRR, p-MRR(ties='insertion')",
	Definition: "how far documents move in the direction that the changed instruction asks for: mean, over those whose relevance changed, of 1-o/n if their rank fell from o to n, n/o-1 if it rose; ties='insertion' is mteb before 2.19.5",
	Range:      "(-1,1)", Direction: Higher, Pairs: true, Shift: true, Source: "Weller et al. 2024, FollowIR; mteb 2.20", Address: "https://arxiv.org/abs/2403.15246",
	make: func(a *arguments) Measure {
		return PMRR{Insertion: a.choice("ties", "docid", "insertion") == "insertion"}
	},
}

func (m PMRR) String() string {
	if m.Insertion {
		return "p-MRR(ties='insertion')"
	}
	return "p-MRR"
}

// Score implements Measure.
func (m PMRR) Score(c *Case) (float64, bool) {
	before, after := c.Before, c.Ranking
	if m.Insertion {
		before, after = c.BeforeArrival, c.Arrival
	}
	return rankShift(before, after, c.Changed)
}

// rankShift returns the mean shift of docs from one ranking to the other.
func rankShift(before, after trec.Ranking, docs []string) (float64, bool) {
	if len(docs) == 0 || len(before) == 0 || len(after) == 0 {
		return 0, false
	}
	old, now := ranksOf(before, docs), ranksOf(after, docs)
	sum := 0.0
	for _, d := range docs {
		sum += Shift(old[d], now[d])
	}
	return sum / float64(len(docs)), true
}

// Shift returns the contribution of one document to p-MRR: positive if it fell from rank o to n.
func Shift(o, n int) float64 {
	if o >= n {
		return float64(n)/float64(o) - 1
	}
	return 1 - float64(o)/float64(n)
}

// ranksOf returns the ranks of docs from 1; a document that is not retrieved has the rank after the
// last.
func ranksOf(ranking trec.Ranking, docs []string) map[string]int {
	ranks := make(map[string]int, len(docs))
	for _, d := range docs {
		ranks[d] = len(ranking) + 1
	}
	for i := range ranking {
		if _, asked := ranks[ranking[i].Doc]; asked {
			ranks[ranking[i].Doc] = i + 1
		}
	}
	return ranks
}
