package metrics

import "math"

// geometricFloor is the least value of a query in a geometric mean. It is the floor of trec_eval,
// which prints four digits.
const geometricFloor = 1e-5

// GMAP is AP summarised over queries by the geometric mean; values below 1e-5 count as 1e-5. Its
// value for one query is AP's. trec_eval's gm_map.
type GMAP struct{ Rel int }

var gmapFamily = Family{
	Name: "GMAP", Aliases: []string{"gm_map"}, Forms: "GMAP, GMAP(rel=2)",
	Definition: "geometric mean over queries of max(AP, 1e-5)",
	Range:      "[1e-5,1]", Direction: Higher, Source: "trec_eval gm_map; Robertson 2006", Address: trecEval,
	make: func(a *arguments) Measure { return GMAP{Rel: a.rel()} },
}

func (m GMAP) String() string { return spell("GMAP", 0, relOption(m.Rel)) }

// Score implements Measure.
func (m GMAP) Score(c *Case) (float64, bool) { return AP{Rel: m.Rel}.Score(c) }

// Summarize implements Summarizer.
func (m GMAP) Summarize(rows []Row) (float64, bool) { return geometricMean(rows) }

// GMBpref is Bpref, summarised over queries in the same way as GMAP. trec_eval's gm_bpref.
type GMBpref struct{ Rel int }

var gmbprefFamily = Family{
	Name: "GMBpref", Aliases: []string{"gm_bpref"}, Forms: "GMBpref, GMBpref(rel=2)",
	Definition: "geometric mean over queries of max(Bpref, 1e-5)",
	Range:      "[1e-5,1]", Direction: Higher, Source: "trec_eval gm_bpref", Address: trecEval,
	make: func(a *arguments) Measure { return GMBpref{Rel: a.rel()} },
}

func (m GMBpref) String() string { return spell("GMBpref", 0, relOption(m.Rel)) }

// Score implements Measure.
func (m GMBpref) Score(c *Case) (float64, bool) { return Bpref(m).Score(c) }

// Summarize implements Summarizer.
func (m GMBpref) Summarize(rows []Row) (float64, bool) { return geometricMean(rows) }

// geometricMean returns exp of the mean logarithm of max(value, 1e-5).
func geometricMean(rows []Row) (float64, bool) {
	sum, n := 0.0, 0
	for _, r := range rows {
		if r.OK {
			sum += math.Log(max(r.Value, geometricFloor))
			n++
		}
	}
	if n == 0 {
		return 0, false
	}
	return math.Exp(sum / float64(n)), true
}
