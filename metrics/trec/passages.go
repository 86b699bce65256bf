package trec

import "strings"

// BestPassages ranks documents by their best passages (MaxP). The ID of a passage is the
// document's ID, mark and more; an ID without mark is a document's own. The rankings are
// sorted.
func (r Run) BestPassages(mark string) Run {
	ranked := make(Run, len(r))
	for query, passages := range r {
		at := make(map[string]int, len(passages))
		documents := make(Ranking, 0, len(passages))
		for _, p := range passages {
			p.Doc, _, _ = strings.Cut(p.Doc, mark)
			i, met := at[p.Doc]
			if !met {
				at[p.Doc] = len(documents)
				documents = append(documents, p)
			} else if p.Score > documents[i].Score {
				documents[i].Score = p.Score
			}
		}
		documents.Sort()
		ranked[query] = documents
	}
	return ranked
}
