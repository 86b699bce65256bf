package metrics

import (
	"slices"
	"strconv"

	"infbench/metrics/suites"
)

// IRS is FollowTable's Instruction Responsiveness Score (suites.Responsiveness). It measures how
// the documents that the instruction keeps (relevant by Judgments) and those it excludes (relevant
// by BeforeJudgments only) moved from the ranking before to the ranking now.
//
// Undefined without both rankings and both judgments, because the authors skip such pairs, and
// where the number of documents is unknown or less than the number of ranked documents.
type IRS struct {
	Documents int // 0: that of the case
}

var irsFamily = Family{
	Name: "IRS", Forms: "IRS, IRS(documents=9546)",
	Definition: "how far the instruction moved what it keeps up and what it rules out down (1/log2(rank+1)), relative to the best or, below 0, the worst that a ranking of all documents can do; needs the ranking and judgments of the bare query, and is beyond its range where rankings are cut",
	Range:      "[-1,1]", Direction: Higher, Pairs: true, Source: "Jin et al. 2026, FollowTable (irs.py)", Address: "https://arxiv.org/abs/2605.00400",
	make: func(a *arguments) Measure { return IRS{Documents: a.integer("documents", 0, 1, 1e9)} },
}

func (m IRS) String() string {
	if m.Documents == 0 {
		return "IRS"
	}
	return spell("IRS", 0, "documents="+strconv.Itoa(m.Documents))
}

// Score implements Measure.
func (m IRS) Score(c *Case) (float64, bool) {
	size := m.Documents
	if size == 0 {
		size = c.Documents
	}
	if size < len(c.Ranking) || size < len(c.Before) || len(c.Before) == 0 || len(c.Ranking) == 0 || c.Judgments == nil || c.BeforeJudgments == nil {
		return 0, false
	}
	wanted := relevantDocs(c)
	unwanted := relevantDocs(&Case{Judgments: c.BeforeJudgments, Level: c.Level})
	unwanted = slices.DeleteFunc(unwanted, func(doc string) bool { return c.Judgments[doc] >= c.level(0) })
	return suites.Responsiveness(retrieved(c.Ranking, 0), retrieved(c.Before, 0), wanted, unwanted, size), true
}
