package datasets

import (
	"fmt"
	"slices"
	"strings"

	"infbench/datasets/format"
	"infbench/metrics/trec"
)

const brightProtocol = "Rank all documents except those excluded for the query, which mteb's old BrightRetrieval task ignored. " +
	"The table is the unweighted mean of the domains' nDCG@10. Instructions are those published for e5, SFR and Qwen."

// brightSplits are the twelve domains in the order of the published table, with the name of their
// queries and the request in the published instruction.
var brightSplits = []struct {
	name string
	ask  string // %s is "passages", or "documents" for the long ones
	long bool   // has long documents
}{
	{"biology", "Given a biology post, retrieve relevant %s that help answer the post", true},
	{"earth_science", "Given a earth_science post, retrieve relevant %s that help answer the post", true},
	{"economics", "Given a economics post, retrieve relevant %s that help answer the post", true},
	{"psychology", "Given a psychology post, retrieve relevant %s that help answer the post", true},
	{"robotics", "Given a robotics post, retrieve relevant %s that help answer the post", true},
	{"stackoverflow", "Given a stackoverflow post, retrieve relevant %s that help answer the post", true},
	{"sustainable_living", "Given a sustainable_living post, retrieve relevant %s that help answer the post", true},
	{"leetcode", "Given a coding problem, retrieve relevant examples that help answer the problem", false},
	{"pony", "Given a pony question, retrieve relevant %s that help answer the question", true},
	{"aops", "Given a Math problem, retrieve relevant examples that help answer the problem", false},
	{"theoremqa_questions", "Given a Math problem, retrieve relevant examples that help answer the problem", false},
	{"theoremqa_theorems", "Given a Math problem, retrieve relevant theorems that help answer the problem", false},
}

// brightRewrites are the configs in which a language model replaced each query by its reasoning
// about it.
var brightRewrites = []string{"Gemini-1.0_reason", "claude-3-opus_reason", "gpt4_reason", "grit_reason", "llama3-70b_reason"}

// bright returns BRIGHT with short or long documents, and with the original queries or those
// rewritten by the model of a config.
func bright(long bool, rewrite string) Source {
	s := Source{
		Name: "bright", About: "BRIGHT: queries for which finding the documents takes reasoning",
		Repos:    []Repo{{"mteb/BRIGHT", "c26703e6600d97c579ee2985f16cf307db13ed85"}},
		Licence:  "CC BY 4.0",
		Citation: "Su et al. 2024, BRIGHT: A Realistic and Challenging Benchmark for Reasoning-Intensive Retrieval, arXiv:2407.12883",
		Measures: []string{"nDCG@10"}, Protocol: brightProtocol, filed: brightFiled,
	}
	if long {
		s.Name, s.About = "bright-long", "BRIGHT with complete web pages as documents, 8 of 12 domains"
		s.Measures = []string{"R@1", "nDCG@10"}
	}
	if rewrite != "" {
		s.Name += "-" + rewrite
		s.About += ", queries rewritten: " + rewrite
	}
	s.open = func(root string, s *Source, pick *taskChoice) ([]Task, error) {
		return openBright(root, s, pick, long, rewrite)
	}
	return s
}

func openBright(root string, s *Source, pick *taskChoice, long bool, rewrite string) ([]Task, error) {
	r, err := openRepo(root, s.Repos[0])
	if err != nil {
		return nil, err
	}
	var tasks []Task
	for _, split := range brightSplits {
		if long && !split.long || !pick.Wants(split.name) {
			continue
		}
		if r.Has("examples") && !slices.Contains(r.Splits("examples"), split.name) {
			pick.Absent(split.name)
			continue
		}
		pick.Here(split.name)
		task, err := r.openBrightTask(split.name, long, rewrite)
		if err != nil {
			return nil, fmt.Errorf("task %s: %w", split.name, err)
		}
		task.instruct(brightInstruction(split.ask, long))
		for _, m := range s.Measures {
			task.Scorings = append(task.Scorings, Scoring{Measure: m})
		}
		tasks = append(tasks, *task)
	}
	return tasks, nil
}

// brightInstruction fills in the type of documents, if the domain's request leaves it open.
func brightInstruction(ask string, long bool) string {
	kind := "passages"
	if long {
		kind = "documents"
	}
	if strings.Contains(ask, "%s") {
		return fmt.Sprintf(ask, kind)
	}
	return ask
}

// instruct gives every query the same instruction.
func (t *Task) instruct(instruction string) {
	for i := range t.Queries {
		t.Queries[i].Instruction = instruction
	}
}

// openBrightTask reads one domain.
func (r *Repository) openBrightTask(split string, long bool, rewrite string) (*Task, error) {
	config, gold := "documents", "gold_ids"
	if long {
		config, gold = "long_documents", "gold_ids_long"
	}
	files, err := r.ExactFiles(config, split)
	if err != nil {
		return nil, err
	}
	docs, err := OpenCorpus(files)
	if err != nil {
		return nil, err
	}
	task := &Task{Name: split, Corpus: docs, Qrels: trec.Qrels{}, Excluded: map[string][]string{}}
	task.warnDocuments(docs)
	if files, err = r.ExactFiles("examples", split); err != nil {
		return nil, err
	}
	if err := task.readBrightExamples(files, gold, docs.Has); err != nil {
		return nil, err
	}
	if rewrite == "" {
		return task, nil
	}
	if files, err = r.ExactFiles(rewrite, split); err != nil {
		return nil, err
	}
	return task, task.rewriteQueries(files)
}

// readBrightExamples reads queries, gold documents and excluded ones; BRIGHT writes an empty
// excluded list as ["N/A"].
func (t *Task) readBrightExamples(files []string, gold string, known func(string) bool) error {
	var queries queryList
	judgments := newJudgmentReader()
	cols := []format.Column{
		{Name: "id", Kind: format.ID}, {Name: "query"},
		{Name: gold, Kind: format.ID, List: true}, {Name: "excluded_ids", Kind: format.ID, List: true, Optional: true},
	}
	for r, err := range format.Rows(files, cols) {
		if err == nil {
			err = queries.add(r.Pos, Query{ID: r.Text(0), Text: r.Text(1)})
		}
		if err != nil {
			return fmt.Errorf("examples: %w", err)
		}
		for _, doc := range r.Texts(2) {
			if err := judgments.Add(r.Pos, r.Text(0), doc, 1, known); err != nil {
				return fmt.Errorf("examples: %w", err)
			}
		}
		if excluded := r.Texts(3); len(excluded) > 0 && !slices.Equal(excluded, []string{"N/A"}) {
			for _, doc := range excluded {
				if _, both := judgments.Qrels[r.Text(0)][doc]; both {
					return fmt.Errorf("examples: %w", r.Pos.Errorf("query %q: document %q is both gold and excluded", r.Text(0), doc))
				}
			}
			t.Excluded[r.Text(0)] = slices.Clone(excluded)
		}
	}
	return t.setJudged(&queries, judgments)
}

// rewriteQueries replaces the text of every query by the text with its ID in files.
func (t *Task) rewriteQueries(files []string) error {
	texts := map[string]string{}
	for r, err := range format.Rows(files, []format.Column{{Name: "id", Kind: format.ID}, {Name: "query"}}) {
		if err != nil {
			return fmt.Errorf("rewritten queries: %w", err)
		}
		texts[r.Text(0)] = r.Text(1)
	}
	for i, q := range t.Queries {
		text, ok := texts[q.ID]
		if !ok {
			return fmt.Errorf("rewritten queries: none for %q in %q", q.ID, files)
		}
		t.Queries[i].Text = text
	}
	return nil
}
