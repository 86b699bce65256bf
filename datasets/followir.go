package datasets

import (
	"fmt"

	"infbench/datasets/format"
)

const followIRCitation = "Weller et al. 2024, FollowIR: Evaluating and Teaching Information Retrieval Models to Follow Instructions, arXiv:2403.15246"

const followIRProtocol = "Rerank the 1000 candidates of each query; query and instruction are joined by a space, and so are title and text of a document. " +
	"p-MRR is a mean over pairs; the score is AP@1000 (Robust04, Core17) or nDCG@5 (News21) of the original instructions."

// followIRParts are the three tasks of FollowIR: their repositories for mteb 2 and for mteb 1, and
// the measure of their score.
var followIRParts = []struct {
	task     string
	new, old Repo
	score    string
}{
	{"robust04",
		Repo{"mteb/Robust04InstructionRetrieval", "0495a5cb69aa8fa5bca81bd56ac248911c19eeb6"},
		Repo{"jhu-clsp/robust04-instructions", "a5a1c4fe2bc528ac12e83f8cdf82178da85d2f1d"}, "AP@1000"},
	{"news21",
		Repo{"mteb/News21InstructionRetrieval", "c6fffeb9cdd95c1ffa81c62c687b48b56352872b"},
		Repo{"jhu-clsp/news21-instructions", "e0144086b45fe31ac125e9ac1a83b6a409bb6ca6"}, "nDCG@5"},
	{"core17",
		Repo{"mteb/Core17InstructionRetrieval", "67d8733dd0691f08f34ed9dda5941578cba8d91c"},
		Repo{"jhu-clsp/core17-instructions", "e39ff896cf3efbbdeeb950e6bd7c79f266995b07"}, "AP@1000"},
}

// followIR returns FollowIR as in mteb 2: each query twice, with IDs ending in -og or -changed.
func followIR() Source {
	s := Source{
		Name: "followir", About: "FollowIR: news topics with TREC narratives, original and changed",
		Licence: "MIT", Citation: followIRCitation, Measures: []string{"p-MRR", "AP@1000", "nDCG@5"},
		Protocol: followIRProtocol + " Original instructions are scored with their own judgments, as mteb 2 does.",
		open:     openFollowIR,
	}
	for _, p := range followIRParts {
		s.Repos = append(s.Repos, p.new)
	}
	return s
}

// followIROld returns FollowIR in the layout of mteb 1: a query with both instructions, two sets of
// judgments.
func followIROld() Source {
	s := followIR()
	s.Name, s.About, s.Repos = "followir-v1", "FollowIR in the layout of mteb 1", nil
	for _, p := range followIRParts {
		s.Repos = append(s.Repos, p.old)
	}
	return s
}

// followIRSwapped returns FollowIR as mteb 1.7 to 1.39 scored it, and with it the InF-IR paper.
// These versions swapped the two sets of judgments, so that the rankings for the original
// instructions were scored with the changed judgments. p-MRR is the same.
func followIRSwapped() Source {
	s := followIROld()
	s.Name, s.About = "followir-mteb1", "FollowIR as mteb 1.7 to 1.39 scored it: judgments swapped"
	s.Protocol = followIRProtocol + " Original instructions are scored with the CHANGED judgments, as mteb 1.7 to 1.39 did; " +
		"compare only with numbers of those versions."
	s.open = func(root string, s *Source, pick *taskChoice) ([]Task, error) {
		tasks, err := openFollowIR(root, s, pick)
		for i := range tasks {
			t := &tasks[i]
			for _, p := range t.Pairs {
				t.Qrels[p.Original], t.Qrels[p.Changed] = t.Qrels[p.Changed], t.Qrels[p.Original]
			}
			t.note("original instructions are scored with the changed judgments, as in mteb 1.7 to 1.39")
		}
		return tasks, err
	}
	return s
}

// openFollowIR opens the chosen tasks. If a repository of the source is missing, that of the other
// layout is used, since its content is the same.
func openFollowIR(root string, s *Source, pick *taskChoice) ([]Task, error) {
	var tasks []Task
	for i, part := range followIRParts {
		if !pick.Wants(part.task) {
			continue
		}
		repo := s.Repos[i]
		for _, other := range []Repo{part.new, part.old} {
			if _, absent := repo.locate(root); absent == nil {
				break
			}
			if _, absent := other.locate(root); absent == nil {
				repo = other
			}
		}
		r, err := openRepo(root, repo)
		if err != nil {
			return nil, err
		}
		task, err := r.openFollowIRTask(part.task)
		if err != nil {
			return nil, fmt.Errorf("task %s: %w", part.task, err)
		}
		task.Scorings = []Scoring{{Measure: part.score, Side: Original}, {Measure: "p-MRR"}}
		tasks = append(tasks, *task)
	}
	return tasks, nil
}

// openFollowIRTask reads a repository of either layout.
func (r *Repository) openFollowIRTask(name string) (*Task, error) {
	if r.Has("qrels_og") {
		return r.openPaired(name, false)
	}
	return r.openSuffixed(name, r.mtebConfigs(plainName, "test"))
}

// openSuffixed reads a task whose pairs are found by the endings of query IDs.
func (r *Repository) openSuffixed(name string, p mtebParts) (*Task, error) {
	task, err := r.openMTEBTask(name, p)
	if err != nil {
		return nil, err
	}
	if p.qrelDiff == "" {
		return nil, fmt.Errorf("%s: no config qrel_diff", r.Dir)
	}
	files, err := r.Files(p.qrelDiff, "qrel_diff", "test")
	if err != nil {
		return nil, err
	}
	moved := map[string][]string{}
	cols := []format.Column{{Name: "query-id", Kind: format.ID}, {Name: "corpus-ids", Kind: format.ID, List: true}}
	for row, err := range format.Rows(files, cols) {
		if err != nil {
			return nil, fmt.Errorf("moved documents: %w", err)
		}
		moved[row.Text(0)] = append(moved[row.Text(0)], row.Texts(1)...)
	}
	return task, task.pairBySuffix(moved)
}
