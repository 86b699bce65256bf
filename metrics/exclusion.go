package metrics

// DeltaRecall is the share of the relevant documents in the first K ranks minus the share of the
// documents judged not relevant there: requested minus excluded documents. Undefined unless both
// kinds exist. ExcluIR's delta R@1, where each query has one document of each kind.
type DeltaRecall struct{ K int }

var deltaRecallFamily = Family{
	Name: "dR", Aliases: []string{"DeltaRecall"}, Forms: "dR@k",
	Definition: "share of the relevant documents in the first k less the share of those judged not relevant",
	Range:      "[-1,1]", Direction: Higher, Source: "Zhang et al. 2024, ExcluIR delta R@1", Address: "https://arxiv.org/abs/2404.17288",
	make: func(a *arguments) Measure { return DeltaRecall{K: a.needDepth()} },
}

func (m DeltaRecall) String() string { return spell("dR", m.K) }

// Score implements Measure.
func (m DeltaRecall) Score(c *Case) (float64, bool) {
	e, ok := exclusionOf(c, m.K)
	if !ok {
		return 0, false
	}
	return float64(len(e.wanted))/float64(e.relevant) - float64(len(e.unwanted))/float64(e.excluded), true
}

// DeltaRR is RR@K of the relevant documents minus RR@K of the documents judged not relevant.
// Undefined unless both kinds exist. ExcluIR's delta MRR@10.
type DeltaRR struct{ K int }

var deltaRRFamily = Family{
	Name: "dRR", Aliases: []string{"DeltaMRR"}, Forms: "dRR@k",
	Definition: "reciprocal rank, in the first k, of the first relevant document less that of the first judged not relevant",
	Range:      "[-1,1]", Direction: Higher, Source: "Zhang et al. 2024, ExcluIR delta MRR@10", Address: "https://arxiv.org/abs/2404.17288",
	make: func(a *arguments) Measure { return DeltaRR{K: a.needDepth()} },
}

func (m DeltaRR) String() string { return spell("dRR", m.K) }

// Score implements Measure.
func (m DeltaRR) Score(c *Case) (float64, bool) {
	e, ok := exclusionOf(c, m.K)
	if !ok {
		return 0, false
	}
	return reciprocalOfFirst(e.wanted) - reciprocalOfFirst(e.unwanted), true
}

// RightRank is 1 if a relevant document is in the first K ranks and above every document that is
// judged not relevant, else 0. Undefined unless both kinds exist. ExcluIR's right rank.
type RightRank struct{ K int }

var rightRankFamily = Family{
	Name: "RightRank", Forms: "RightRank@k",
	Definition: "1 if a relevant document is in the first k and no document judged not relevant is above it, else 0",
	Range:      "{0,1}", Direction: Higher, Source: "Zhang et al. 2024, ExcluIR RR", Address: "https://arxiv.org/abs/2404.17288",
	make: func(a *arguments) Measure { return RightRank{K: a.needDepth()} },
}

func (m RightRank) String() string { return spell("RightRank", m.K) }

// Score implements Measure.
func (m RightRank) Score(c *Case) (float64, bool) {
	e, ok := exclusionOf(c, m.K)
	if !ok {
		return 0, false
	}
	if len(e.wanted) > 0 && (len(e.unwanted) == 0 || e.wanted[0] < e.unwanted[0]) {
		return 1, true
	}
	return 0, true
}

// exclusion holds the ranks of the documents that a query asks for and of those that it excludes.
type exclusion struct {
	wanted, unwanted   []int // ranks among the first k, ascending
	relevant, excluded int   // numbers of all such documents
}

// exclusionOf finds both kinds; ok is false if the query lacks one.
func exclusionOf(c *Case, k int) (e exclusion, ok bool) {
	r, judged := c.relevance()
	if !judged {
		return e, false
	}
	level := c.level(0)
	e.relevant = r.relevant(level)
	e.excluded = len(r.judged) - e.relevant
	for i, grade := range r.top(k) {
		if grade >= level {
			e.wanted = append(e.wanted, i+1)
		} else if grade >= 0 {
			e.unwanted = append(e.unwanted, i+1)
		}
	}
	return e, e.relevant > 0 && e.excluded > 0
}

// reciprocalOfFirst returns 1 divided by the first rank, or 0 for no ranks.
func reciprocalOfFirst(ranks []int) float64 {
	if len(ranks) == 0 {
		return 0
	}
	return 1 / float64(ranks[0])
}
