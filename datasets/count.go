package datasets

import (
	"fmt"
	"slices"
)

// StatisticsOf counts what a task holds; it streams the corpus once.
func StatisticsOf(t *Task) (*Statistics, error) {
	var docs, queries textCounter
	excluded := map[string][]string{} // document -> queries that exclude it
	for q, list := range t.Excluded {
		for _, doc := range list {
			if doc == q { // of no statistics: mteb drops it from rankings alone
				continue
			}
			if !slices.Contains(excluded[doc], q) {
				excluded[doc] = append(excluded[doc], q)
			}
		}
	}
	dropped := map[string]int{} // query -> excluded documents that the corpus has
	for d, err := range t.Corpus.Documents() {
		if err != nil {
			return nil, fmt.Errorf("count task %s: %w", t.Name, err)
		}
		docs.Add(documentText(d.Title, d.Text))
		for _, q := range excluded[d.ID] {
			dropped[q]++
		}
	}
	prompted := isPrompted(t)
	restricted := t.Candidates != nil || t.Excluded != nil && (len(excluded) > 0 || !t.DropsSelf())
	for _, q := range t.Queries {
		if prompted {
			q.Instruction = ""
		}
		queries.Add(queryText(q.Text, q.Instruction))
	}
	return &Statistics{
		NumSamples: docs.N + queries.N, NumDocuments: docs.N, NumQueries: queries.N,
		NumberOfCharacters: docs.Total() + queries.Total(),
		Documents:          docs.Statistics(), Queries: queries.Statistics(),
		RelevantDocs: countRelevant(t.Qrels), TopRanked: countTopRanked(perQuery(t, restricted, docs.N, dropped)),
	}, nil
}

// isPrompted tells whether all queries, at least two, share their instruction: it is
// then a prompt, as BRIGHT's are, which mteb does not count with the data.
func isPrompted(t *Task) bool {
	for _, q := range t.Queries {
		if q.Instruction != t.Queries[0].Instruction {
			return false
		}
	}
	return len(t.Queries) > 1
}

// perQuery counts what each query may rank, nil where that is the whole corpus; dropped
// says how many of its excluded documents the corpus of so many documents has.
func perQuery(t *Task, restricted bool, documents int, dropped map[string]int) (ranked []int) {
	if !restricted {
		return nil
	}
	for _, q := range t.Queries {
		n := len(t.Candidates[q.ID])
		if t.Candidates == nil {
			n = documents - dropped[q.ID]
		}
		ranked = append(ranked, n)
	}
	return ranked
}
