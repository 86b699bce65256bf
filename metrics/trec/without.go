package trec

import (
	"maps"
	"slices"
)

// Selves lists the queries whose ranking has a document with the query's own ID, each with
// that document.
func (r Run) Selves() map[string][]string {
	out := map[string][]string{}
	for query, ranking := range r {
		if slices.ContainsFunc(ranking, func(s Scored) bool { return s.Doc == query }) {
			out[query] = []string{query}
		}
	}
	return out
}

// Without returns the run without the listed documents, by query. A ranking that loses all
// documents is empty, not absent. Unchanged rankings are shared with the run.
func (r Run) Without(listed map[string][]string) Run {
	var out Run
	for query, docs := range listed {
		is := make(map[string]bool, len(docs))
		for _, doc := range docs {
			is[doc] = true
		}
		drop := func(s Scored) bool { return is[s.Doc] }
		if !slices.ContainsFunc(r[query], drop) {
			continue
		}
		if out == nil {
			out = maps.Clone(r)
		}
		out[query] = slices.DeleteFunc(slices.Clone(r[query]), drop)
	}
	if out == nil {
		return r
	}
	return out
}
