package metrics

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"infbench/metrics/trec"
)

// novelty is the default alpha: the share of an aspect's worth that each repetition removes.
const novelty = 0.5

// AlphaNDCG is nDCG in which the gain of a document is the sum over its aspects of (1-Alpha)^n,
// where n counts the documents above that have the aspect; the ideal ranking is built greedily. A
// document has an aspect if its grade for it is Rel or more. Undefined without subtopic judgments.
// ndeval's alpha-nDCG@k.
type AlphaNDCG struct {
	K     int
	Alpha float64
	Rel   int
}

var alphaNDCGFamily = Family{
	Name: "alpha_nDCG", Aliases: []string{"alpha-nDCG", "alphaNDCG"}, Forms: "alpha_nDCG@k, alpha_nDCG(alpha=0.5,rel=1)@k",
	Definition: "nDCG with the gain of a document the sum over its aspects of (1-alpha)^(times met above), against a greedy ideal; needs subtopic judgments",
	Range:      "[0,1]", Direction: Higher, Source: "ndeval alpha-nDCG; Clarke et al. 2008", Address: "https://doi.org/10.1145/1390334.1390446",
	make: func(a *arguments) Measure {
		return AlphaNDCG{K: a.depth(), Alpha: a.number("alpha", novelty, 0, 1), Rel: a.rel()}
	},
}

func (m AlphaNDCG) String() string {
	return spell("alpha_nDCG", m.K, numberOption("alpha", m.Alpha, novelty), relOption(m.Rel))
}

// Score implements Measure. The greedy ideal is not always the best ranking, so the value can
// slightly exceed 1, as in ndeval.
func (m AlphaNDCG) Score(c *Case) (float64, bool) {
	a, ok := aspectsOf(c, m.Rel)
	if !ok {
		return 0, false
	}
	discount := func(i int) float64 { return 1 / math.Log2(float64(i+2)) }
	own := a.gain(retrieved(c.Ranking, m.K), m.Alpha, discount)
	return ratio(own, a.gain(a.ideal(m.Alpha, m.K), m.Alpha, discount)), true
}

// ERRIA is intent-aware expected reciprocal rank: the sum over ranks of AlphaNDCG's gain divided by
// the rank, relative to the same sum of a ranking whose documents all have every aspect. ndeval's
// ERR-IA@k, except that ndeval 4.5 omits the normalisation at k = 1.
type ERRIA struct {
	K     int
	Alpha float64
	Rel   int
}

var erriaFamily = Family{
	Name: "ERR_IA", Aliases: []string{"ERR-IA"}, Forms: "ERR_IA@k, ERR_IA(alpha=0.5,rel=1)@k",
	Definition: "sum over ranks of the alpha_nDCG gain divided by the rank, relative to documents that have every aspect; needs subtopic judgments",
	Range:      "[0,1]", Direction: Higher, Source: "ndeval ERR-IA; Chapelle et al. 2011",
	make: func(a *arguments) Measure {
		return ERRIA{K: a.depth(), Alpha: a.number("alpha", novelty, 0, 1), Rel: a.rel()}
	},
}

func (m ERRIA) String() string {
	return spell("ERR_IA", m.K, numberOption("alpha", m.Alpha, novelty), relOption(m.Rel))
}

// Score implements Measure.
func (m ERRIA) Score(c *Case) (float64, bool) {
	a, ok := aspectsOf(c, m.Rel)
	if !ok {
		return 0, false
	}
	discount := func(i int) float64 { return 1 / float64(i+1) }
	depth := m.K
	if depth == 0 {
		depth = len(c.Ranking)
	}
	best, worth := 0.0, float64(a.count)
	for i := range depth {
		best += worth * discount(i)
		worth *= 1 - m.Alpha
	}
	return ratio(a.gain(retrieved(c.Ranking, m.K), m.Alpha, discount), best), true
}

// aspects maps documents to the aspects of the query that they have.
type aspects struct {
	of    map[string][]int // document ID -> aspects, numbered from 0, ascending
	count int              // number of aspects that any document has
}

// aspectsOf reads a case's subtopic judgments; ok is false without any.
func aspectsOf(c *Case, rel int) (aspects, bool) {
	if c.Subtopics == nil {
		return aspects{}, false
	}
	level := c.level(rel)
	a := aspects{of: make(map[string][]int, len(c.Subtopics))}
	number := numbered(c.Subtopics, level)
	for doc, grades := range c.Subtopics {
		for aspect, grade := range grades {
			if grade >= level {
				a.of[doc] = append(a.of[doc], number[aspect])
			}
		}
		slices.Sort(a.of[doc])
	}
	a.count = len(number)
	return a, true
}

// numbered numbers, from 0, the aspects for which some document has a grade of level or above. The
// order is that in which ndeval adds up their gains: numeric names by number, others by bytes.
func numbered(docs map[string]map[string]int, level int) map[string]int {
	number := map[string]int{}
	for _, grades := range docs {
		for aspect, grade := range grades {
			if grade >= level {
				number[aspect] = 0
			}
		}
	}
	byNumber := func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b)) }
	for i, aspect := range slices.SortedFunc(maps.Keys(number), byNumber) {
		number[aspect] = i
	}
	return number
}

// gain returns the discounted gain of docs in rank order.
func (a aspects) gain(docs []string, alpha float64, discount func(i int) float64) float64 {
	worth := a.fresh()
	sum := 0.0
	for i, doc := range docs {
		sum += a.meet(doc, worth, alpha) * discount(i)
	}
	return sum
}

// fresh returns the worth of each aspect before any document.
func (a aspects) fresh() []float64 {
	worth := make([]float64, a.count)
	for i := range worth {
		worth[i] = 1
	}
	return worth
}

// value returns the gain of doc at the current worth of the aspects.
func (a aspects) value(doc string, worth []float64) float64 {
	v := 0.0
	for _, aspect := range a.of[doc] {
		v += worth[aspect]
	}
	return v
}

// meet returns doc's value and reduces the worth of its aspects.
func (a aspects) meet(doc string, worth []float64, alpha float64) float64 {
	v := a.value(doc, worth)
	for _, aspect := range a.of[doc] {
		worth[aspect] *= 1 - alpha
	}
	return v
}

// ideal ranks the documents greedily by their gain, with ties by document ID descending, down to
// rank k (0: all).
func (a aspects) ideal(alpha float64, k int) []string {
	var rest []string
	for doc := range a.of {
		rest = append(rest, doc)
	}
	slices.SortFunc(rest, func(x, y string) int { return strings.Compare(y, x) })
	worth := a.fresh()
	var ranked []string
	for len(rest) > 0 && (k == 0 || len(ranked) < k) {
		best := 0
		for i := range rest {
			if cmp.Compare(a.value(rest[i], worth), a.value(rest[best], worth)) > 0 {
				best = i
			}
		}
		a.meet(rest[best], worth, alpha)
		ranked = append(ranked, rest[best])
		rest = slices.Delete(rest, best, best+1)
	}
	return ranked
}

// retrieved lists the first k document IDs of a ranking, or all for k = 0.
func retrieved(ranking trec.Ranking, k int) []string {
	if k > 0 && k < len(ranking) {
		ranking = ranking[:k]
	}
	docs := make([]string, len(ranking))
	for i := range ranking {
		docs[i] = ranking[i].Doc
	}
	return docs
}
