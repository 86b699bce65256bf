package trec

import "strings"

// BestPassages ranks documents by their best passages (MaxP): the ID of a passage is that
// of its document, mark and more; one without mark stands for itself. Rankings come
// sorted.
func (r Run) BestPassages(mark string) Run {
	wholes := make(Run, len(r))
	for query, passages := range r {
		at := make(map[string]int, len(passages))
		whole := make(Ranking, 0, len(passages))
		for _, p := range passages {
			p.Doc, _, _ = strings.Cut(p.Doc, mark)
			i, met := at[p.Doc]
			if !met {
				at[p.Doc] = len(whole)
				whole = append(whole, p)
			} else if p.Score > whole[i].Score {
				whole[i].Score = p.Score
			}
		}
		whole.Sort()
		wholes[query] = whole
	}
	return wholes
}
