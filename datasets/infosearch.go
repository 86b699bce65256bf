package datasets

import (
	"fmt"
	"slices"
)

// infoSearchParts are the six document attributes of InfoSearch, at the commits that its fork of
// mteb pins. For Length-v1 the fork names a commit of Language-v1; the first fetched revision is
// locked.
var infoSearchParts = []struct {
	task string
	repo Repo
}{
	{"audience", Repo{"jianqunZ/Audience-v1", "9bc73db6f3ca419c3fdb4d98e1f0864411756fc8"}},
	{"keyword", Repo{"jianqunZ/Clarity-v1", "4c1892c874d09877c00243fac16452f3353039aa"}},
	{"format", Repo{"jianqunZ/Format-v1", "63b53c9e117fa16a469026650861db77f25ab823"}},
	{"language", Repo{"jianqunZ/Language-v1", "d4915806662132e118e8df242aee059ef5669578"}},
	{"length", Repo{ID: "jianqunZ/Length-v1"}},
	{"source", Repo{"jianqunZ/Source-v1", "67dad8949d168785706d82f93e6794e88c8fcd2e"}},
}

// infoSearch returns InfoSearch: each query without, with, and with a reversed preference for a
// kind of document.
func infoSearch() Source {
	s := Source{
		Name: "infosearch", About: "InfoSearch: audience, keyword, format, language, length and source of documents",
		Licence:  "none stated",
		Citation: "Zhou et al. 2024, Beyond Content Relevance: Evaluating Instruction Following in Retrieval Models, arXiv:2410.23841",
		Measures: []string{"WISE", "SICR", "p-MRR", "nDCG@10"},
		Protocol: "Rank the full corpus for three modes of each query: original, instructed, reversed. " +
			"Moved documents are those relevant to the original query and not to the instructed one.",
		open: openInfoSearch,
	}
	for _, p := range infoSearchParts {
		s.Repos = append(s.Repos, p.repo)
	}
	return s
}

func openInfoSearch(root string, _ *Source, pick *taskChoice) ([]Task, error) {
	var tasks []Task
	for _, part := range infoSearchParts {
		if !pick.Wants(part.task) {
			continue
		}
		r, err := openRepo(root, part.repo)
		if err != nil {
			return nil, err
		}
		task, err := r.openPaired(part.task, true)
		if err != nil {
			return nil, fmt.Errorf("task %s: %w", part.task, err)
		}
		for i, p := range task.Pairs {
			task.Pairs[i].Moved = slices.DeleteFunc(p.Moved, func(doc string) bool {
				return task.Qrels[p.Original][doc] <= 0 || task.Qrels[p.Changed][doc] > 0
			})
		}
		task.Scorings = []Scoring{{"nDCG@10", Original}, {"nDCG@10", Changed}, {"nDCG@10", Reversed}, {"p-MRR", None}}
		tasks = append(tasks, *task)
	}
	return tasks, nil
}
