package datasets

import (
	"fmt"
)

// ifirParts are the seven collections of IFIR; mteb pins them by short commits.
var ifirParts = []struct {
	task string
	repo Repo
}{
	{"fiqa", Repo{"if-ir/fiqa", "1670fc6"}},
	{"nfcorpus", Repo{"if-ir/nfcorpus", "3520715"}},
	{"scifact_open", Repo{"if-ir/scifact_open", "1690191"}},
	{"aila", Repo{"if-ir/aila", "1cb8772"}},
	{"fire", Repo{"if-ir/fire", "0efa7b1"}},
	{"pm", Repo{"if-ir/pm", "559fdb6"}},
	{"cds", Repo{"if-ir/cds", "9a05fd6"}},
}

// ifir returns IFIR: instructions of experts in finance, medicine, law and science.
func ifir() Source {
	s := Source{
		Name: "ifir", About: "IFIR: instructions of experts in finance, medicine, law and science",
		Licence:  "MIT by the authors' songtingyu/IFIR; the cards of if-ir/* say unknown",
		Citation: "Song et al. 2025, IFIR: A Comprehensive Benchmark for Evaluating Instruction-Following in Expert-Domain Information Retrieval, NAACL 2025, arXiv:2503.04644",
		Measures: []string{"nDCG@20"},
		Protocol: "Rank the full corpus; in fiqa without the document with the query's own ID, which mteb drops. mteb also reports the means of queries whose IDs contain v1, v2, v3: instructions of increasing complexity. " +
			"The authors' own nDCG computes the ideal ranking from the retrieved documents only and is not comparable.",
		open: openIFIR,
	}
	for _, p := range ifirParts {
		s.Repos = append(s.Repos, p.repo)
	}
	return s
}

func openIFIR(root string, _ *Source, pick *taskChoice) ([]Task, error) {
	var tasks []Task
	for _, part := range ifirParts {
		if !pick.Wants(part.task) {
			continue
		}
		r, err := openRepo(root, part.repo)
		if err != nil {
			return nil, err
		}
		task, err := r.openMTEBTask(part.task, r.mtebConfigs(plainName, "test"))
		if err != nil {
			return nil, fmt.Errorf("task %s: %w", part.task, err)
		}
		if RepositoryDropsSelf(part.repo.ID) {
			if err := task.DropSelf(); err != nil {
				return nil, fmt.Errorf("task %s: %w", part.task, err)
			}
		}
		task.Scorings = []Scoring{{Measure: "nDCG@20"}}
		tasks = append(tasks, *task)
	}
	return tasks, nil
}
