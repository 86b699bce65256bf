package metrics

import "infbench/metrics/suites"

// AspectNDCG is BRIGHT-Pro's alpha-nDCG (suites.AlphaNDCG). It differs from AlphaNDCG, which is
// ndeval's: aspects have weights, a document has only one aspect, and a document that is not
// relevant gains nothing. Undefined where no relevant document has an aspect.
type AspectNDCG struct {
	K     int // 0: all ranks
	Alpha float64
}

var aspectNDCGFamily = Family{
	Name: "aspect_nDCG", Forms: "aspect_nDCG@k, aspect_nDCG(alpha=0.5)@k",
	Definition: "nDCG with the gain of a relevant document the weight of its aspect times (1-alpha)^(times the aspect was met above); needs weighted aspects",
	Range:      "[0,1]", Direction: Higher, Source: "Zhao et al. 2026, BRIGHT-Pro alpha-nDCG", Address: "https://arxiv.org/abs/2605.04018",
	make: func(a *arguments) Measure {
		return AspectNDCG{K: a.depth(), Alpha: a.number("alpha", novelty, 0, 1)}
	},
}

func (m AspectNDCG) String() string {
	return spell("aspect_nDCG", m.K, numberOption("alpha", m.Alpha, novelty))
}

// Score implements Measure.
func (m AspectNDCG) Score(c *Case) (float64, bool) {
	if c.Judgments == nil {
		return 0, false
	}
	return suites.AlphaNDCG(retrieved(c.Ranking, m.K), relevantDocs(c), c.Aspects, m.K, m.Alpha)
}

// AspectRecall is BRIGHT-Pro's A-Recall (suites.AspectRecall): the sum of the weights of the
// aspects that the first K documents cover. Undefined without relevant documents or aspects. Unlike
// AspectNDCG, it is 0 where no relevant document has an aspect.
type AspectRecall struct{ K int }

var aspectRecallFamily = Family{
	Name: "A-Recall", Aliases: []string{"aspect_R"}, Forms: "A-Recall@k",
	Definition: "sum of the weights of the aspects of relevant documents that any of the first k documents covers; needs weighted aspects",
	Range:      "[0,1]", Direction: Higher, Source: "Zhao et al. 2026, BRIGHT-Pro A-Recall", Address: "https://arxiv.org/abs/2605.04018",
	make: func(a *arguments) Measure { return AspectRecall{K: a.needDepth()} },
}

func (m AspectRecall) String() string { return spell("A-Recall", m.K) }

// Score implements Measure.
func (m AspectRecall) Score(c *Case) (float64, bool) {
	if c.Judgments == nil || c.Aspects == nil {
		return 0, false
	}
	value, ok := suites.AspectRecall(retrieved(c.Ranking, m.K), relevantDocs(c), c.Aspects, m.K)
	return value, ok
}
