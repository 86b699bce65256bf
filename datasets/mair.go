package datasets

import (
	"errors"
	"fmt"
	"strings"

	"infbench/datasets/format"
)

// mair returns MAIR: 126 tasks of six domains. A task with several splits becomes several tasks
// "task/split". Groups names domain and task and, if the split's name has the form
// "sub-task__rest", the sub-task (IFEval has eight).
func mair() Source {
	return Source{
		Name: "mair", About: "MAIR: 126 retrieval tasks of six domains, with an instruction for each query",
		// The authors pin no revision; the first fetched revision is locked.
		Repos:    []Repo{{ID: "MAIR-Bench/MAIR-Queries"}, {ID: "MAIR-Bench/MAIR-Docs"}},
		Licence:  "as the 126 sources",
		Citation: "Sun et al. 2024, MAIR: A Massive Benchmark for Evaluating Instructed Retrieval, EMNLP 2024, arXiv:2410.10127",
		Measures: []string{"nDCG@10"},
		Protocol: "Rank the full corpus of each split, 100 documents deep, documents cut to 2048 tokens, inner product. " +
			"A task is the query-weighted mean of its splits; its authors' average is weighted by queries over everything, " +
			"the mean over the 126 tasks is another number.",
		open: openMAIR, filed: mairFiled,
	}
}

func openMAIR(root string, s *Source, pick *taskChoice) ([]Task, error) {
	queries, err := openRepo(root, s.Repos[0])
	if err != nil {
		return nil, err
	}
	docs, err := openRepo(root, s.Repos[1])
	if err != nil {
		return nil, err
	}
	m := mairReader{queries: queries, docs: docs, corpora: map[string]*FileCorpus{}}
	var tasks []Task
	for _, t := range MAIRTasks {
		// Without its queries a task's splits are unknown.
		if !queries.Has(t.Name) {
			pick.Absent(t.Name, t.Domain)
			continue
		}
		for _, split := range m.splits(t) {
			if !pick.Wants(split.names(t)...) {
				continue
			}
			pick.Here(t.Name)
			task, err := m.open(t, split)
			if err != nil {
				return nil, fmt.Errorf("task %s: %w", split.task, err)
			}
			tasks = append(tasks, *task)
		}
	}
	return tasks, nil
}

// mairReader reads tasks and opens a shared corpus only once.
type mairReader struct {
	queries, docs *Repository
	corpora       map[string]*FileCorpus // by its files
}

// mairSplit is one split of a task: "queries" with "docs", or "X_queries" with
// "X_docs".
type mairSplit struct {
	task          string // "IFEval/keywords__existence_7"
	sub           string // "keywords", or ""
	queries, docs string
}

// names returns the names by which the split may be chosen: its own, and those of its task, its
// domain and its sub-task.
func (s mairSplit) names(t MAIRTask) []string {
	names := []string{s.task, t.Name, t.Domain}
	if s.sub != "" {
		names = append(names, t.Name+"/"+s.sub)
	}
	return names
}

// splits lists the splits of a task, sorted by name.
func (m *mairReader) splits(t MAIRTask) []mairSplit {
	var all []mairSplit
	for _, split := range m.queries.Splits(t.Name) {
		name, several := strings.CutSuffix(split, "_queries")
		if !several {
			all = append(all, mairSplit{task: t.Name, queries: split, docs: "docs"})
			continue
		}
		s := mairSplit{task: t.Name + "/" + name, queries: split, docs: name + "_docs"}
		if sub, _, ok := strings.Cut(name, "__"); ok {
			s.sub = sub
		}
		all = append(all, s)
	}
	return all
}

// open reads one split.
func (m *mairReader) open(t MAIRTask, s mairSplit) (*Task, error) {
	docs, err := m.corpus(t, s)
	if err != nil {
		return nil, err
	}
	files, err := m.queries.ExactFiles(t.Name, s.queries)
	if err != nil {
		return nil, err
	}
	task := &Task{Name: s.task, Corpus: docs, Groups: []string{t.Domain, t.Name}, Scorings: []Scoring{{Measure: "nDCG@10"}}}
	if s.sub != "" {
		task.Groups = append(task.Groups, t.Name+"/"+s.sub)
	}
	task.warnDocuments(docs)
	return task, task.readMAIRQueries(files, docs.Has)
}

// corpus opens the documents of a split. The docs repository has them under the task, or under the
// first task that shares them.
func (m *mairReader) corpus(t MAIRTask, s mairSplit) (*FileCorpus, error) {
	config := t.Name
	for _, other := range MAIRTasks {
		if m.docs.Has(config) {
			break
		}
		if t.Shared != "" && other.Shared == t.Shared && m.docs.Has(other.Name) {
			config = other.Name
		}
	}
	files, err := m.docs.ExactFiles(config, s.docs)
	if err != nil {
		return nil, err
	}
	key := strings.Join(files, "\n")
	if m.corpora[key] == nil {
		if m.corpora[key], err = OpenCorpus(files); err != nil {
			return nil, err
		}
	}
	return m.corpora[key], nil
}

// readMAIRQueries reads queries with their instructions and labels.
func (t *Task) readMAIRQueries(files []string, known func(string) bool) error {
	var queries queryList
	judgments := newJudgmentReader()
	cols := []format.Column{
		{Name: "qid", Kind: format.ID}, {Name: "query"}, {Name: "instruction"},
		{Name: "labels.id", Kind: format.ID, List: true}, {Name: "labels.score", Kind: format.Int, List: true},
	}
	for r, err := range format.Rows(files, cols) {
		if err == nil {
			err = queries.add(r.Pos, Query{ID: r.Text(0), Text: r.Text(1), Instruction: r.Text(2)})
		}
		if err == nil && len(r.Texts(3)) != len(r.Ints(4)) {
			err = r.Pos.Errorf("%d label IDs, %d scores", len(r.Texts(3)), len(r.Ints(4)))
		}
		if err != nil {
			return fmt.Errorf("queries: %w", err)
		}
		for i, doc := range r.Texts(3) {
			if err := judgments.Add(r.Pos, r.Text(0), doc, int(r.Ints(4)[i]), known); err != nil {
				return fmt.Errorf("labels: %w", err)
			}
		}
	}
	if len(queries.queries) == 0 {
		return errors.New("no queries")
	}
	return t.setJudged(&queries, judgments)
}
