package metrics

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"

	"infbench/metrics/suites"
	"infbench/metrics/trec"
)

// Monotonicity is the share of neighbouring grades, from the highest down, between which the score
// falls strictly: the lowest score of the better grade is above the highest score of the next. A
// tie is not a fall, and a document that is not retrieved scores below all others. Undefined with
// fewer than two grades. For one document per grade it equals MultiConIR's win rates, and Step
// selects a single one of them; for two documents it is MultiConIR's task 1.
type Monotonicity struct {
	Step int // number of the fall from the highest grade, from 1; 0: all
}

var monotonicityFamily = Family{
	Name: "Monotonicity", Aliases: []string{"WinRate"}, Forms: "Monotonicity, Monotonicity(step=1)",
	Definition: "share of neighbouring grades between which the score falls strictly; with a step only those of that number, from the highest grade",
	Range:      "[0,1]", Direction: Higher, Source: "Lu et al. 2025, MultiConIR win rates", Address: "https://arxiv.org/abs/2503.08046",
	make: func(a *arguments) Measure { return Monotonicity{Step: a.integer("step", 0, 1, 1e6)} },
}

func (m Monotonicity) String() string {
	if m.Step == 0 {
		return "Monotonicity"
	}
	return spell("Monotonicity", 0, "step="+strconv.Itoa(m.Step))
}

// Score implements Measure.
func (m Monotonicity) Score(c *Case) (float64, bool) {
	falls := fallsOf(c.Ranking, c.Judgments)
	if m.Step > len(falls) {
		return 0, false
	}
	if m.Step > 0 {
		falls = falls[m.Step-1 : m.Step]
	}
	return shareOf(falls, func(_ int, fell bool) bool { return fell })
}

// WholeChain is 1 where the score falls strictly between all neighbouring grades, else 0.
type WholeChain struct{}

var wholeChainFamily = Family{
	Name: "WholeChain", Forms: "WholeChain",
	Definition: "1 if the score falls strictly from each grade to the next, else 0",
	Range:      "{0,1}", Direction: Higher, Source: "ours, to go with MultiConIR's win rates",
	make: func(*arguments) Measure { return WholeChain{} },
}

func (WholeChain) String() string { return "WholeChain" }

// Score implements Measure.
func (WholeChain) Score(c *Case) (float64, bool) {
	rate, ok := Monotonicity{}.Score(c)
	return math.Floor(rate), ok
}

// FlipRate is the share of neighbouring grades whose comparison (see Monotonicity) has another
// result in the ranking before: it shows how much the wording of a query matters. Undefined without
// both rankings or with fewer than two grades. MultiConIR's task 3.
type FlipRate struct{}

var flipRateFamily = Family{
	Name: "FlipRate", Forms: "FlipRate",
	Definition: "share of neighbouring grades for which the score falls strictly in only one of two rankings; needs the ranking before",
	Range:      "[0,1]", Direction: Lower, Pairs: true, Source: "Lu et al. 2025, MultiConIR flip rate", Address: "https://arxiv.org/abs/2503.08046",
	make: func(*arguments) Measure { return FlipRate{} },
}

func (FlipRate) String() string { return "FlipRate" }

// Score implements Measure.
func (FlipRate) Score(c *Case) (float64, bool) {
	if len(c.Before) == 0 || len(c.Ranking) == 0 {
		return 0, false
	}
	before := fallsOf(c.Before, c.Judgments)
	return shareOf(fallsOf(c.Ranking, c.Judgments), func(i int, fell bool) bool { return fell != before[i] })
}

// shareOf returns the share of falls among the comparisons that count; ok is false if none counts.
func shareOf(falls []bool, counts func(i int, fell bool) bool) (float64, bool) {
	n := 0
	for i, fell := range falls {
		if counts(i, fell) {
			n++
		}
	}
	if len(falls) == 0 {
		return 0, false
	}
	return float64(n) / float64(len(falls)), true
}

// fallsOf reports, for each two neighbouring grades from the highest down, whether the score falls
// strictly.
func fallsOf(ranking trec.Ranking, judgments map[string]int) []bool {
	scores := scoresOf(ranking)
	lowest, highest := map[int]float64{}, map[int]float64{}
	for doc, grade := range judgments {
		if grade < 0 {
			continue
		}
		score, found := scores[doc]
		if !found {
			score = math.Inf(-1)
		}
		if _, met := lowest[grade]; !met {
			lowest[grade], highest[grade] = score, score
		}
		lowest[grade], highest[grade] = min(lowest[grade], score), max(highest[grade], score)
	}
	grades := slices.SortedFunc(maps.Keys(lowest), func(a, b int) int { return cmp.Compare(b, a) })
	var falls []bool
	for i := range max(0, len(grades)-1) {
		falls = append(falls, suites.Falls([]float64{lowest[grades[i]], highest[grades[i+1]]})...)
	}
	return falls
}

// scoresOf returns the scores of a ranking by document.
func scoresOf(ranking trec.Ranking) map[string]float64 {
	scores := make(map[string]float64, len(ranking))
	for _, d := range ranking {
		scores[d.Doc] = d.Score
	}
	return scores
}
