package metrics

import "strings"

// Grouped is a measure whose summary is the mean, over groups of queries, of the lowest value in
// the group.
type Grouped interface {
	Summarizer
	Group(query string) string // the group of a query
	Least() int                // smallest number of queries of a group; smaller groups are left out
}

// OfGroups reports whether a measure's name is that of a Grouped measure.
func OfGroups(name string) bool {
	m, err := Parse(name)
	_, grouped := m.(Grouped)
	return err == nil && grouped
}

// Robustness is robustness@K of InstructIR: the mean over groups of queries of the lowest nDCG@K in
// the group. Its value for one query is nDCG@K. The queries of a group have the same ID up to the
// first Separator.
type Robustness struct {
	K         int
	Separator string
}

// groupSeparator is the separator at which mteb splits InstructIR's query IDs.
const groupSeparator = "_"

var robustnessFamily = Family{
	Name: "Robustness", Forms: "Robustness@10, Robustness(sep='[SEP]')@10",
	Definition: "mean over groups of queries of the lowest nDCG@k in the group; a group shares the query ID up to the first separator, _ by default",
	Range:      "[0,1]", Direction: Higher, Source: "Oh et al. 2024, InstructIR; mteb robustness_at_10", Address: "https://arxiv.org/abs/2402.14334",
	make: func(a *arguments) Measure {
		return Robustness{K: a.needDepth(), Separator: a.text("sep", groupSeparator)}
	},
}

func (m Robustness) String() string {
	return spell("Robustness", m.K, wordOption("sep", m.Separator, groupSeparator))
}

// Score implements Measure.
func (m Robustness) Score(c *Case) (float64, bool) { return NDCG{K: m.K}.Score(c) }

// Summarize implements Summarizer.
func (m Robustness) Summarize(rows []Row) (float64, bool) {
	return meanOfLowest(rows, m)
}

// Group implements Grouped.
func (m Robustness) Group(query string) string {
	group, _, _ := strings.Cut(query, m.Separator)
	return group
}

// Least implements Grouped.
func (Robustness) Least() int { return 1 }

// PairedAccuracy is the share of query pairs in which both queries have all their relevant
// documents at rank 1. Its value for one query is 1 if that holds for the query, else 0. A pair is
// X_q1 and X_q2; a query without its partner is left out.
type PairedAccuracy struct{}

var pairedAccuracyFamily = Family{
	Name: "PairedAccuracy", Aliases: []string{"paired_accuracy"}, Forms: "PairedAccuracy",
	Definition: "share of query pairs, X_q1 and X_q2, in which both queries have recall 1 at rank 1",
	Range:      "[0,1]", Direction: Higher, Source: "Weller et al. 2023, NevIR; mteb paired_accuracy", Address: "https://arxiv.org/abs/2305.07614",
	make: func(*arguments) Measure { return PairedAccuracy{} },
}

func (PairedAccuracy) String() string { return "PairedAccuracy" }

// Score implements Measure.
func (PairedAccuracy) Score(c *Case) (float64, bool) {
	recall, ok := Recall{K: 1}.Score(c)
	if recall < 1 {
		return 0, ok
	}
	return 1, ok
}

// Summarize implements Summarizer.
func (m PairedAccuracy) Summarize(rows []Row) (float64, bool) {
	return meanOfLowest(rows, m)
}

// Group implements Grouped.
func (PairedAccuracy) Group(query string) string {
	for _, side := range []string{"_q1", "_q2"} {
		if pair, ok := strings.CutSuffix(query, side); ok {
			return pair
		}
	}
	return query
}

// Least implements Grouped.
func (PairedAccuracy) Least() int { return 2 }

// meanOfLowest returns the mean over groups of the lowest value in the group. Groups of fewer than
// by.Least() queries, and queries without a value, are left out.
func meanOfLowest(rows []Row, by Grouped) (float64, bool) {
	type group struct {
		lowest float64
		size   int
	}
	groups := map[string]*group{}
	var order []*group
	for _, r := range rows {
		if !r.OK {
			continue
		}
		name := by.Group(r.Case.Query)
		g := groups[name]
		if g == nil {
			g = &group{lowest: r.Value}
			groups[name] = g
			order = append(order, g)
		}
		g.lowest = min(g.lowest, r.Value)
		g.size++
	}
	sum, n := 0.0, 0
	for _, g := range order {
		if g.size >= by.Least() {
			sum += g.lowest
			n++
		}
	}
	if n == 0 {
		return 0, false
	}
	return sum / float64(n), true
}
