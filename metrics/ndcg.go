package metrics

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// NDCG is normalised discounted cumulative gain: the sum of gain/log2(rank+1) over the ranking (its
// first K, if K > 0) divided by the same sum of the best ranking of all judged documents. The gain
// is the grade, or 2^grade-1 with Exp; a grade below 1 gains nothing. The case's level is ignored.
// The value is 0 if no document has a gain. trec_eval's ndcg and ndcg_cut.
type NDCG struct {
	K     int    // 0: all ranks
	Exp   bool   // exponential gain, dcg='exp-log2' in ir_measures
	Gains string // gains of some grades instead of their own: "1=3.5,2=9"
}

var ndcgFamily = Family{
	Name: "nDCG", Forms: "nDCG, nDCG@k, nDCG(dcg='exp-log2')@k, nDCG(gains='1=3.5,2=9')",
	Definition: "sum of gain/log2(rank+1), where the gain is the grade, divided by that of the ideal ranking; the gain is 2^grade-1 with dcg='exp-log2', or as gains='1=3.5,2=9' gives it",
	Range:      "[0,1]", Direction: Higher, Source: "trec_eval ndcg, ndcg_cut; Järvelin and Kekäläinen 2002; exp-log2: Burges et al. 2005", Address: "https://doi.org/10.1145/582415.582418",
	make: func(a *arguments) Measure {
		m := NDCG{K: a.depth(), Exp: a.choice("dcg", "log2", "exp-log2") == "exp-log2"}
		if text, given := a.take("gains"); given {
			gains, err := parseGains(text)
			if err != nil {
				a.errs = append(a.errs, err)
			}
			m.Gains = spellGains(gains)
		}
		return m
	},
}

func (m NDCG) String() string {
	dcg := ""
	if m.Exp {
		dcg = "dcg='exp-log2'"
	}
	return spell("nDCG", m.K, dcg, wordOption("gains", m.Gains, ""))
}

// Score implements Measure. It is undefined if 2^grade overflows.
func (m NDCG) Score(c *Case) (float64, bool) {
	r, ok := c.relevance()
	if !ok {
		return 0, false
	}
	own, ideal := r.top(m.K), r.judged
	if m.Gains != "" {
		return m.custom(own, ideal)
	}
	if m.K > 0 && m.K < len(ideal) {
		ideal = ideal[:m.K]
	}
	v := ratio(m.dcg(own), m.dcg(ideal))
	return v, !math.IsNaN(v)
}

// dcg returns the discounted cumulative gain of grades in rank order.
func (m NDCG) dcg(grades []int) float64 {
	sum := 0.0
	for i, grade := range grades {
		if grade > 0 {
			sum += discounted(m.gain(grade), i)
		}
	}
	return sum
}

func (m NDCG) gain(grade int) float64 {
	if m.Exp {
		return math.Exp2(float64(grade)) - 1
	}
	return float64(grade)
}

// discounted returns the discounted value of a gain at rank i+1.
func discounted(gain float64, i int) float64 { return gain / math.Log2(float64(i+2)) }

// custom returns nDCG with custom gains for some grades. Grade 0 may have a gain; the ideal ranking
// is sorted by gain and holds positive gains only.
func (m NDCG) custom(own, judged []int) (float64, bool) {
	gains, err := parseGains(m.Gains)
	if err != nil {
		return 0, false
	}
	worth := func(grade int) float64 {
		if gain, given := gains[grade]; given && grade >= 0 {
			return gain
		}
		return m.gain(max(grade, 0))
	}
	ideal := make([]float64, len(judged))
	for i, grade := range judged {
		ideal[i] = worth(grade)
	}
	slices.SortFunc(ideal, func(a, b float64) int { return cmp.Compare(b, a) })
	best, sum := 0.0, 0.0
	for i, gain := range ideal {
		if gain > 0 && (m.K == 0 || i < m.K) {
			best += discounted(gain, i)
		}
	}
	for i, grade := range own {
		sum += discounted(worth(grade), i)
	}
	return ratio(sum, best), true
}

// parseGains parses "grade=gain,grade=gain".
func parseGains(text string) (map[int]float64, error) {
	gains := map[int]float64{}
	for _, pair := range strings.Split(text, ",") {
		left, right, _ := strings.Cut(pair, "=")
		grade, err := strconv.Atoi(strings.TrimSpace(left))
		gain, err2 := strconv.ParseFloat(strings.TrimSpace(right), 64)
		if err != nil || err2 != nil || grade < 0 || !(math.Abs(gain) <= 1e9) {
			return nil, fmt.Errorf("gains: %q is not of the form grade=gain", pair)
		}
		if _, twice := gains[grade]; twice {
			return nil, fmt.Errorf("gains: grade %d is given twice", grade)
		}
		gains[grade] = gain
	}
	return gains, nil
}

// spellGains writes gains in the order of their grades.
func spellGains(gains map[int]float64) string {
	var pairs []string
	for _, grade := range slices.Sorted(maps.Keys(gains)) {
		pairs = append(pairs, strconv.Itoa(grade)+"="+strconv.FormatFloat(gains[grade], 'g', -1, 64))
	}
	return strings.Join(pairs, ",")
}
