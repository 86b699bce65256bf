package datasets

import (
	"fmt"
	"slices"
)

// StatisticsOf counts a task's documents, queries and judgments; it streams the corpus once.
func StatisticsOf(t *Task) (*Statistics, error) {
	var docs, queries textCounter
	excluded := map[string][]string{} // document -> queries that exclude it
	for q, list := range t.Excluded {
		for _, doc := range list {
			if doc == q { // not counted: mteb drops it from rankings only
				continue
			}
			if !slices.Contains(excluded[doc], q) {
				excluded[doc] = append(excluded[doc], q)
			}
		}
	}
	dropped := map[string]int{} // query -> number of its excluded documents that are in the corpus
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

// isPrompted reports whether all queries, at least two, share their instruction: it is then a
// prompt, as in BRIGHT, which mteb does not count with the data.
func isPrompted(t *Task) bool {
	for _, q := range t.Queries {
		if q.Instruction != t.Queries[0].Instruction {
			return false
		}
	}
	return len(t.Queries) > 1
}

// perQuery returns the number of documents that each query may rank, nil if that is the full
// corpus. dropped has, by query, how many of its excluded documents are in the corpus; documents is
// the size of the corpus.
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
