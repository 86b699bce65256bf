package datasets

import (
	"fmt"
	"slices"

	"infbench/datasets/format"
)

// mtebParts names the configs of one retrieval task in an mteb repository. The last three may be
// "", for no instructions, candidates or moved documents.
type mtebParts struct {
	corpus, queries, qrels             string
	instructions, candidates, qrelDiff string
	splits                             []string // possible names of its split
}

// mtebConfigs finds the parts of the task in a repository as mteb does: configs corpus, queries,
// default or qrels, and if present instruction, top_ranked and qrel_diff. name returns the config
// of a part.
func (r *Repository) mtebConfigs(name func(part string) string, splits ...string) mtebParts {
	first := func(parts ...string) string {
		for _, part := range parts {
			if r.Has(name(part)) {
				return name(part)
			}
		}
		return ""
	}
	orFirst := func(parts ...string) string {
		if found := first(parts...); found != "" {
			return found
		}
		return name(parts[0]) // so that the error names it
	}
	return mtebParts{
		corpus:       orFirst("corpus"),
		queries:      orFirst("queries", "query"),
		qrels:        orFirst("default", "qrels"),
		instructions: first("instruction", "instructions"),
		candidates:   first("top_ranked"),
		qrelDiff:     first("qrel_diff"),
		splits:       splits,
	}
}

// plainName names the configs of a repository with one task.
func plainName(part string) string { return part }

// openMTEBTask reads one task of an mteb repository: its judged queries with their instructions
// joined by ID, judgments and candidates.
func (r *Repository) openMTEBTask(taskName string, p mtebParts) (*Task, error) {
	corpusFiles, err := r.Files(p.corpus, append(p.splits, "corpus")...)
	if err != nil {
		return nil, err
	}
	queryFiles, err := r.Files(p.queries, append(p.splits, "queries")...)
	if err != nil {
		return nil, err
	}
	qrelFiles, err := r.Files(p.qrels, p.splits...)
	if err != nil {
		return nil, err
	}
	docs, err := OpenCorpus(corpusFiles)
	if err != nil {
		return nil, err
	}
	queries, err := readQueries(queryFiles)
	if err != nil {
		return nil, err
	}
	judgments, err := readJudgments(qrelFiles, docs.Has)
	if err != nil {
		return nil, err
	}
	task := &Task{Name: taskName, Corpus: docs}
	task.warnDocuments(docs)
	if err := task.setJudged(queries, judgments); err != nil {
		return nil, err
	}
	if err := r.joinInstructions(task, p); err != nil {
		return nil, err
	}
	if err := r.readCandidates(task, p, docs.Has); err != nil {
		return nil, err
	}
	return task, nil
}

// joinInstructions gives each query of the task its instruction.
func (r *Repository) joinInstructions(task *Task, p mtebParts) error {
	if p.instructions == "" {
		return nil
	}
	files, err := r.Files(p.instructions, append(p.splits, "instruction")...)
	if err != nil {
		return err
	}
	byQuery := map[string]string{}
	cols := []format.Column{{Name: "query-id|_id|id", Kind: format.ID}, {Name: "instruction"}}
	for row, err := range format.Rows(files, cols) {
		if err != nil {
			return fmt.Errorf("instructions: %w", err)
		}
		id, text := row.Text(0), row.Text(1)
		if old, seen := byQuery[id]; seen && old != text {
			return fmt.Errorf("instructions: %w", row.Pos.Errorf("query %q has two instructions", id))
		}
		byQuery[id] = text
	}
	for i := range task.Queries {
		q := &task.Queries[i]
		text, ok := byQuery[q.ID]
		if !ok {
			return fmt.Errorf("instructions: none for query %q in %q", q.ID, files)
		}
		q.Instruction = text
	}
	return nil
}

// readCandidates reads the documents to rank for each query: one row per query with a list
// (query-id, corpus-ids) or, in mteb 1, one row per pair (qid, pid).
func (r *Repository) readCandidates(task *Task, p mtebParts, known func(string) bool) error {
	if p.candidates == "" {
		return nil
	}
	files, err := r.Files(p.candidates, append(p.splits, "top_ranked")...)
	if err != nil {
		return err
	}
	lists, err := readCandidateLists(files)
	if err != nil {
		return err
	}
	return task.setCandidates(lists, known)
}

// readCandidateLists reads candidates in either shape.
func readCandidateLists(files []string) (map[string][]string, error) {
	list := []format.Column{{Name: "query-id", Kind: format.ID}, {Name: "corpus-ids", Kind: format.ID, List: true}}
	pair := []format.Column{{Name: "qid|query-id", Kind: format.ID}, {Name: "pid|corpus-id", Kind: format.ID}}
	cols := list
	if format.Check(files, list) != nil && format.Check(files, pair) == nil {
		cols = pair
	}
	lists := map[string][]string{}
	for row, err := range format.Rows(files, cols) {
		if err != nil {
			return nil, fmt.Errorf("candidates: %w", err)
		}
		id := row.Text(0)
		if cols[1].List {
			lists[id] = append(lists[id], row.Texts(1)...)
		} else {
			lists[id] = append(lists[id], row.Text(1))
		}
	}
	return lists, nil
}

// setCandidates gives each query of the task its list. A query without a list is an error, a
// repeated or unknown document a warning.
func (t *Task) setCandidates(lists map[string][]string, known func(string) bool) error {
	t.Candidates = map[string][]string{}
	repeated, unknown := 0, 0
	for _, q := range t.Queries {
		list := lists[q.ID]
		if len(list) == 0 {
			return fmt.Errorf("candidates: none for query %q", q.ID)
		}
		seen := make(map[string]bool, len(list))
		t.Candidates[q.ID] = slices.DeleteFunc(list, func(doc string) bool {
			if seen[doc] {
				repeated++
				return true
			}
			seen[doc] = true
			if !known(doc) {
				unknown++
			}
			return false
		})
	}
	if repeated > 0 {
		t.Warnings = append(t.Warnings, fmt.Sprintf("%d candidates are listed twice and kept once", repeated))
	}
	if unknown > 0 {
		t.Warnings = append(t.Warnings, fmt.Sprintf("%d candidates are not in the corpus", unknown))
	}
	return nil
}
