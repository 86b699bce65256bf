package metrics

import "math"

// BinG is the mean over the relevant documents of 1/log2(2+n), where n is the number of documents
// above that are not relevant. trec_eval's binG.
type BinG struct{ Rel int }

var binGFamily = Family{
	Name: "BinG", Forms: "BinG, BinG(rel=2)",
	Definition: "mean over the relevant documents of 1/log2(2 + documents above that are not relevant)",
	Range:      "[0,1]", Direction: Higher, Source: "trec_eval binG (experimental)", Address: trecEval,
	make: func(a *arguments) Measure { return BinG{Rel: a.rel()} },
}

func (m BinG) String() string { return spell("BinG", 0, relOption(m.Rel)) }

// Score implements Measure.
func (m BinG) Score(c *Case) (float64, bool) {
	r, ok := c.relevance()
	if !ok {
		return 0, false
	}
	level, found, sum := c.level(m.Rel), 0, 0.0
	for i, grade := range r.grades {
		if grade >= level {
			found++
			sum += 1 / math.Log2(float64(3+i-found))
		}
	}
	return ratio(sum, float64(r.relevant(level))), true
}

// G is normalised gain: the sum over documents of grade / log2(2 + cost - gain), divided by the sum
// of all grades. cost is the ideal ranking's gain so far (at least 1 per rank), gain that of this
// ranking. trec_eval's G.
type G struct{}

var gFamily = Family{
	Name: "G", Forms: "G",
	Definition: "sum of grade/log2(2 + ideal gain so far, at least 1 a rank, - own gain so far), divided by the sum of all grades",
	Range:      "[0,1]", Direction: Higher, Source: "trec_eval G (experimental)", Address: trecEval,
	make: func(*arguments) Measure { return G{} },
}

func (G) String() string { return "G" }

// Score implements Measure.
func (G) Score(c *Case) (float64, bool) {
	r, ok := c.relevance()
	if !ok {
		return 0, false
	}
	total, cost, own, sum := 0.0, 0.0, 0.0, 0.0
	for _, grade := range r.judged {
		total += float64(grade)
	}
	for i, grade := range r.grades {
		gain := float64(max(grade, 0))
		own += gain
		cost += max(1, idealGain(r, i))
		if gain > 0 {
			sum += gain / math.Log2(2+cost-own)
		}
	}
	return ratio(sum, total), true
}

// idealGain returns the grade at rank i+1 of the ideal ranking.
func idealGain(r *relevance, i int) float64 {
	if i < len(r.judged) {
		return float64(r.judged[i])
	}
	return 0
}

// RnDCG is nDCG averaged over the ranks where the ideal ranking's grade drops, plus the end of the
// ranking if it is longer. trec_eval's Rndcg.
type RnDCG struct{}

var rndcgFamily = Family{
	Name: "RnDCG", Forms: "RnDCG",
	Definition: "mean of nDCG@k over the ranks k where the ideal ranking's grade drops, and the end of the ranking if it lies beyond",
	Range:      "[0,1]", Direction: Higher, Source: "trec_eval Rndcg (experimental)", Address: trecEval,
	make: func(*arguments) Measure { return RnDCG{} },
}

func (RnDCG) String() string { return "RnDCG" }

// Score implements Measure. As in trec_eval it is 0 where nothing is relevant.
func (RnDCG) Score(c *Case) (float64, bool) {
	r, ok := c.relevance()
	if !ok {
		return 0, false
	}
	if r.relevant(c.level(0)) == 0 {
		return 0, true
	}
	positive := r.relevant(1)
	own, ideal, sum, points := 0.0, 0.0, 0.0, 0
	for i := range positive {
		own += discounted(ownGain(r, i), i)
		ideal += discounted(idealGain(r, i), i)
		if i+1 == positive || r.judged[i+1] != r.judged[i] {
			sum += own / ideal
			points++
		}
	}
	// trec_eval notices the drop to 0 one rank late, hence one more rank here.
	if len(r.grades) > positive+1 {
		sum += NDCG{}.dcg(r.grades) / ideal
		points++
	}
	return ratio(sum, float64(points)), true
}

// NDCGRel is nDCG averaged over the ranks of the documents with a gain. A document that is not
// retrieved counts with the nDCG of the complete ranking. trec_eval's ndcg_rel.
type NDCGRel struct{}

var ndcgRelFamily = Family{
	Name: "nDCGRel", Aliases: []string{"ndcg_rel"}, Forms: "nDCGRel",
	Definition: "mean of nDCG@rank over the documents with a positive grade; one that is not retrieved counts with the nDCG of the complete ranking",
	Range:      "[0,1]", Direction: Higher, Source: "trec_eval ndcg_rel (experimental)", Address: trecEval,
	make: func(*arguments) Measure { return NDCGRel{} },
}

func (NDCGRel) String() string { return "nDCGRel" }

// Score implements Measure.
func (NDCGRel) Score(c *Case) (float64, bool) {
	r, ok := c.relevance()
	if !ok {
		return 0, false
	}
	own, ideal, sum, found := 0.0, 0.0, 0.0, 0
	for i, grade := range r.grades {
		own += discounted(float64(max(grade, 0)), i)
		ideal += discounted(idealGain(r, i), i)
		if grade > 0 {
			sum += own / ideal
			found++
		}
	}
	positive := r.relevant(1)
	if missed := positive - found; missed > 0 {
		sum += float64(missed) * own / NDCG{}.dcg(r.judged)
	}
	return ratio(sum, float64(positive)), true
}

// ownGain returns the grade at rank i+1 of the ranking, or 0 beyond its end.
func ownGain(r *relevance, i int) float64 {
	if i < len(r.grades) {
		return float64(max(r.grades[i], 0))
	}
	return 0
}
