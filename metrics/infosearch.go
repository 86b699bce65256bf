package metrics

import (
	"math"
	"slices"

	"infbench/metrics/trec"
)

// WISE is InfoSearch's instruction score. For each relevant document it compares the ranks o under
// the original query, i under the instruction and r under its reversal; n is the number of judged
// documents.
//
//	i <= o < r:  1 if o < n and i = 1; (1-(o-i)/20)/sqrt(i) if o <= 20; else 0.01
//	else o <= i: (o-i)/i
//	else:        (r-o)/o
//
// The query's value is the mean over its relevant documents. It is undefined without relevant
// documents or without any of the three rankings. A document that is not retrieved has the rank
// after the last.
type WISE struct{}

var wiseFamily = Family{
	Name: "WISE", Forms: "WISE",
	Definition: "mean over the relevant documents of a reward for rising under the instruction and falling under its reversal, or of the penalty for not doing so; needs the three rankings",
	Range:      "(-1,1]", Direction: Higher, Pairs: true, Source: "Zhou et al. 2024, InfoSearch (EIT-NLP/InfoSearch)", Address: "https://arxiv.org/abs/2410.23841",
	make: func(*arguments) Measure { return WISE{} },
}

func (WISE) String() string { return "WISE" }

// Score implements Measure.
func (WISE) Score(c *Case) (float64, bool) {
	return meanOverRelevant(c, func(original, instructed, reversed place, judged int) float64 {
		return wiseScore(float64(original.rank), float64(instructed.rank), float64(reversed.rank), float64(judged))
	})
}

// wiseScore returns the value of one document, from its ranks o, i and r and n judged documents.
func wiseScore(o, i, r, n float64) float64 {
	switch {
	case i <= o && o < r:
		if o < n && i == 1 {
			return 1
		}
		if o <= 20 {
			return (1 - (o-i)/20) / math.Sqrt(i)
		}
		return 0.01
	case o <= i:
		return (o - i) / i
	}
	return (r - o) / o
}

// SICR is InfoSearch's strict instruction compliance ratio: the share of the relevant documents
// that rise in both rank and score under the instruction and fall in both under its reversal. A
// document that was first must stay first without losing score, and fall under the reversal. The
// paper describes this mean over documents; the released code divides the last document's value
// alone by their number.
type SICR struct{}

var sicrFamily = Family{
	Name: "SICR", Forms: "SICR",
	Definition: "share of the relevant documents that rise in rank and score under the instruction and fall in both under its reversal (the mean over documents, not the released code's last one); needs the three rankings",
	Range:      "[0,1]", Direction: Higher, Pairs: true, Source: "Zhou et al. 2024, InfoSearch", Address: "https://arxiv.org/abs/2410.23841",
	make: func(*arguments) Measure { return SICR{} },
}

func (SICR) String() string { return "SICR" }

// Score implements Measure.
func (SICR) Score(c *Case) (float64, bool) {
	return meanOverRelevant(c, func(original, instructed, reversed place, _ int) float64 {
		if complies(original, instructed, reversed) {
			return 1
		}
		return 0
	})
}

// complies reports whether one document moved as the instruction asks.
func complies(original, instructed, reversed place) bool {
	if original.rank == 1 {
		return instructed.rank == 1 && reversed.rank > 1 &&
			instructed.score >= original.score && original.score > reversed.score
	}
	return instructed.rank < original.rank && original.rank < reversed.rank &&
		instructed.score > original.score && original.score > reversed.score
}

// place is the position of a document in a ranking.
type place struct {
	rank  int
	score float64 // -Inf if it is not retrieved
}

// meanOverRelevant returns the mean of a function over a case's relevant documents. The function
// receives the document's places under the original query, the instruction and its reversal.
func meanOverRelevant(c *Case, of func(original, instructed, reversed place, judged int) float64) (float64, bool) {
	if len(c.Before) == 0 || len(c.Ranking) == 0 || len(c.Reversed) == 0 {
		return 0, false
	}
	r, ok := c.relevance()
	if !ok {
		return 0, false
	}
	docs := relevantDocs(c)
	before, now, reversed := placesOf(c.Before, docs), placesOf(c.Ranking, docs), placesOf(c.Reversed, docs)
	sum := 0.0
	for i := range docs {
		sum += of(before[i], now[i], reversed[i], len(r.judged))
	}
	if len(docs) == 0 {
		return 0, false
	}
	return sum / float64(len(docs)), true
}

// placesOf returns the places of docs in a ranking.
func placesOf(ranking trec.Ranking, docs []string) []place {
	ranks := ranksOf(ranking, docs)
	places := make([]place, len(docs))
	for i, d := range docs {
		places[i] = place{ranks[d], math.Inf(-1)}
		if at := ranks[d] - 1; at < len(ranking) {
			places[i].score = ranking[at].Score
		}
	}
	return places
}

// relevantDocs lists the documents at the case's level or above in byte order.
func relevantDocs(c *Case) []string {
	var docs []string
	for doc, grade := range c.Judgments {
		if grade >= c.level(0) {
			docs = append(docs, doc)
		}
	}
	slices.Sort(docs)
	return docs
}
