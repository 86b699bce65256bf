package metrics

import (
	"errors"
	"maps"
	"slices"

	"infbench/metrics/trec"
)

// Inputs holds the data of all queries of one scoring, by query ID, and the options for reading it.
// Every Case is made from it.
type Inputs struct {
	Run   trec.Run   // may be nil for measures that need no run
	Qrels trec.Qrels // may be nil for measures that need no judgments

	// For instruction pairs. If Changed is nil, it is computed from the two qrels.
	Before      trec.Run
	BeforeQrels trec.Qrels
	Changed     trec.Changed
	Reversed    trec.Run

	Subtopics trec.Subtopics
	Quality   map[string]Quality
	Aspects   map[string][]Aspect
	Documents int   // as in Case
	Pool      *Pool // as in Case; if nil, that of Qrels

	// Arrival is set if Run and Before are in the order of their files' lines; Cases then
	// sorts both by Sort and by SortByArrival.
	Arrival bool

	// The same as the trec_eval options named here.
	Complete   bool // -c: score queries that the run lacks as empty rankings
	Level      int  // -l: the grade from which a document counts as relevant, 0 means 1
	Depth      int  // -M: ranks kept of each ranking; 0: all
	JudgedOnly bool // -J: drop documents without a judgment from the rankings
}

// ErrNoQueries reports that no query has both a ranking and judgments.
var ErrNoQueries = errors.New("no query is in both the run and the judgments")

// Cases returns a case for each query that is in the run and has judgments of any kind, in byte
// order of the queries. With Complete, or without a run, it returns all queries that have
// judgments. After Paired, the queries of mteb 2's pairs have bare IDs.
func (in Inputs) Cases() ([]*Case, error) {
	in.Changed = in.moved()
	if in.Pool == nil {
		in.Pool = NewPool(in.Qrels)
	}
	var cases []*Case
	for _, query := range in.queries() {
		c := in.Case(Unit{query, query, query, query, in.Changed[query]})
		if !in.Complete && in.Run != nil && c.Ranking == nil {
			continue
		}
		cases = append(cases, c)
	}
	if len(cases) == 0 {
		return nil, ErrNoQueries
	}
	return cases, nil
}

// Missing counts the judged queries that the run lacks.
func (in Inputs) Missing() int {
	n := 0
	for query := range in.Qrels {
		if _, found := in.Run[query]; !found {
			n++
		}
	}
	return n
}

// queries lists the queries with judgments of any kind in byte order.
func (in Inputs) queries() []string {
	all := map[string]bool{}
	addKeys(all, in.Qrels)
	addKeys(all, in.Changed)
	addKeys(all, in.Subtopics)
	addKeys(all, in.Quality)
	return slices.Sorted(maps.Keys(all))
}

func addKeys[V any](set map[string]bool, m map[string]V) {
	for key := range m {
		set[key] = true
	}
}

// Unit identifies one value: a query, or a pair of queries.
type Unit struct {
	Name     string   // name of the value
	Query    string   // query ID; for a pair, that of the changed side
	Original string   // for a pair, the query ID of the original side in Before; otherwise ""
	Reversed string   // the same for the reversed side
	Moved    []string // documents whose relevance the changed instruction altered
}

// Case builds the case of one unit. Its Pool is in.Pool.
func (in Inputs) Case(u Unit) *Case {
	c := &Case{
		Query: u.Name, Level: in.Level,
		Judgments:       in.Qrels[u.Query],
		BeforeJudgments: in.BeforeQrels[u.Original],
		Changed:         u.Moved,
		Subtopics:       in.Subtopics[u.Query],
		Aspects:         in.Aspects[u.Query],
		Documents:       in.Documents,
		Pool:            in.Pool,
	}
	if q, judged := in.Quality[u.Query]; judged {
		c.Quality = &q
	}
	c.Ranking, c.Arrival = in.both(in.Run[u.Query], c.Judgments)
	judged := c.BeforeJudgments
	if judged == nil {
		judged = c.Judgments
	}
	c.Before, c.BeforeArrival = in.both(in.Before[u.Original], judged)
	c.Reversed, _ = in.both(in.Reversed[u.Reversed], c.Judgments)
	return c
}

// both returns a ranking sorted by Sort and, if the order of arrival is known, by SortByArrival.
// Both are cut to the ranks that are scored.
func (in Inputs) both(ranking trec.Ranking, judgments map[string]int) (ranked, arrival trec.Ranking) {
	if in.Arrival && ranking != nil {
		arrival = slices.Clone(ranking)
		arrival.SortByArrival()
		ranking = slices.Clone(ranking)
		ranking.Sort()
		arrival = in.cut(arrival, judgments)
	}
	return in.cut(ranking, judgments), arrival
}

// cut truncates a ranking, then drops unjudged documents if JudgedOnly is set, in trec_eval's
// order.
func (in Inputs) cut(ranking trec.Ranking, judgments map[string]int) trec.Ranking {
	if in.Depth > 0 && in.Depth < len(ranking) {
		ranking = ranking[:in.Depth]
	}
	if !in.JudgedOnly || ranking == nil {
		return ranking
	}
	kept := trec.Ranking{}
	for _, d := range ranking {
		if grade, judged := judgments[d.Doc]; judged && grade >= 0 {
			kept = append(kept, d)
		}
	}
	return kept
}

// changedGrades lists, for each query of both qrels, the documents whose grades differ, in byte
// order. A document without a judgment counts as grade 0.
func changedGrades(before, after trec.Qrels) trec.Changed {
	changed := trec.Changed{}
	for query, grades := range before {
		now, found := after[query]
		if !found {
			continue
		}
		all := map[string]bool{}
		addKeys(all, grades)
		addKeys(all, now)
		for _, doc := range slices.Sorted(maps.Keys(all)) {
			if max(grades[doc], 0) != max(now[doc], 0) {
				changed[query] = append(changed[query], doc)
			}
		}
	}
	return changed
}
