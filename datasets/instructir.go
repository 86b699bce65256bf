package datasets

import (
	"fmt"
	"path/filepath"

	"infbench/datasets/format"
)

// instructIR is InstructIR: about ten users' instructions for each of a thousand
// MS MARCO queries, one relevant passage each.
func instructIR() Source {
	return Source{
		Name: "instructir", About: "InstructIR: one query, many users with backgrounds of their own",
		Repos:    []Repo{{"mteb/InstructIR-mteb", "42c3afabe480643b755a7099dbf0f9ebeedaf6ca"}},
		Licence:  "MIT (passages from MS MARCO: non-commercial research)",
		Citation: "Oh et al. 2024, INSTRUCTIR: A Benchmark for Instruction Following of Information Retrieval Models, arXiv:2402.14334",
		Measures: []string{"Robustness@10", "nDCG@10"},
		Protocol: "Rank the whole corpus. Robustness@10 is the mean over groups of the least nDCG@10 in the group; " +
			"a group is the queries whose IDs agree up to the first _. The original puts the instruction first, then [SEP], then the query.",
		open: openInstructIR,
	}
}

func openInstructIR(root string, s *Source, pick *picker) ([]Task, error) {
	if !pick.wants("instructir") {
		return nil, nil
	}
	r, err := openRepo(root, s.Repos[0])
	if err != nil {
		return nil, err
	}
	task, err := r.openMTEBTask("instructir", r.mtebConfigs(plainName, "test"))
	if err != nil {
		return nil, err
	}
	task.Scorings = []Scoring{{Measure: "nDCG@10"}}
	return []Task{*task}, nil
}

// The files of InstructIR's own release, in the folder INSTRUCTIR of its
// repository (kaistAI/InstructIR).
const (
	instructIRCorpus       = "corpus.jsonl"
	instructIRInstructions = "INSTRUCTIR_only_instruction_queries.jsonl"
	instructIRQrels        = "INSTRUCTIR_qrels_test.tsv"
)

// OpenInstructIRRelease opens InstructIR as its authors released it: passages,
// instructions with the query they belong to, and judgments.
func OpenInstructIRRelease(dir string) (*Benchmark, error) {
	task, err := openInstructIRRelease(dir)
	if err != nil {
		return nil, fmt.Errorf("open InstructIR release: %w", err)
	}
	s := instructIR()
	return &Benchmark{Name: s.Name, Source: "kaistAI/InstructIR", Licence: s.Licence, Citation: s.Citation, Tasks: []Task{*task}}, nil
}

func openInstructIRRelease(dir string) (*Task, error) {
	file, err := format.Find(filepath.Join(dir, instructIRCorpus))
	if err != nil {
		return nil, err
	}
	corpus, err := openCorpus([]string{file})
	if err != nil {
		return nil, err
	}
	queries, judged, err := readInstructIRRelease(dir, corpus.Has)
	if err != nil {
		return nil, err
	}
	task := &Task{Name: "instructir", Corpus: corpus, Scorings: []Scoring{{Measure: "nDCG@10"}}}
	task.warnRepeated(corpus)
	return task, task.setJudged(queries, judged)
}

// readInstructIRRelease reads all of the release but its passages.
func readInstructIRRelease(dir string, known func(string) bool) (*queryList, *judgments, error) {
	file, err := format.Find(filepath.Join(dir, instructIRInstructions))
	if err != nil {
		return nil, nil, err
	}
	var queries queryList
	cols := []format.Column{{Name: "_id", Kind: format.ID}, {Name: "text"}, {Name: "metadata.origin_query"}}
	for r, err := range format.Rows([]string{file}, cols) {
		if err == nil {
			err = queries.add(r.Pos, Query{ID: r.Text(0), Instruction: r.Text(1), Text: r.Text(2)})
		}
		if err != nil {
			return nil, nil, fmt.Errorf("instructions: %w", err)
		}
	}
	if file, err = format.Find(filepath.Join(dir, instructIRQrels)); err != nil {
		return nil, nil, err
	}
	judged, err := readJudgments([]string{file}, known)
	return &queries, judged, err
}
