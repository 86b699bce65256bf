package metrics

// Count counts something for each query; its summary is the sum over queries.
type Count struct {
	Of  string // the name of a counter: "NumRet"
	Rel int
}

// counter defines one Count.
type counter struct {
	name, alias, definition string
	count                   func(r *relevance, level int) int
}

var counters = []counter{
	{"NumQ", "num_q", "queries", func(*relevance, int) int { return 1 }},
	{"NumRet", "num_ret", "documents retrieved", func(r *relevance, _ int) int { return len(r.grades) }},
	{"NumRel", "num_rel", "relevant documents", func(r *relevance, level int) int { return r.relevant(level) }},
	{"NumRelRet", "num_rel_ret", "relevant documents retrieved", func(r *relevance, level int) int { return hits(r.grades, level) }},
	{"NumNonrelJudgedRet", "num_nonrel_judged_ret", "documents retrieved that are judged not relevant", func(r *relevance, level int) int {
		return hits(r.grades, 0) - hits(r.grades, level)
	}},
}

// countFamilies lists a family for each counter.
func countFamilies() []Family {
	var all []Family
	for _, n := range counters {
		all = append(all, Family{
			Name: n.name, Aliases: []string{n.alias}, Forms: n.name + ", " + n.name + "(rel=2)",
			Definition: "number of " + n.definition + ", summed over queries",
			Range:      "0, 1, ...", Direction: Neither, Count: true, Source: "trec_eval " + n.alias, Address: trecEval,
			make: func(a *arguments) Measure { return Count{Of: n.name, Rel: a.rel()} },
		})
	}
	return all
}

func (m Count) String() string { return spell(m.Of, 0, relOption(m.Rel)) }

// Score implements Measure.
func (m Count) Score(c *Case) (float64, bool) {
	r, ok := c.relevance()
	if !ok {
		return 0, false
	}
	for _, n := range counters {
		if n.name == m.Of {
			return float64(n.count(r, c.level(m.Rel))), true
		}
	}
	return 0, false
}

// Summarize implements Summarizer.
func (m Count) Summarize(rows []Row) (float64, bool) {
	total, n := sum(rows)
	return total, n > 0
}
