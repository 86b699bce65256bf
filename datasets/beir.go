package datasets

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"infbench/datasets/format"
	"infbench/internal/disk"
)

// OpenBEIR opens a collection in BEIR's layout: corpus.jsonl and queries.jsonl (_id, title, text)
// and qrels/test.tsv (query-id, corpus-id, score), each also with .gz or .zst. The benchmark is
// named by FolderName. Its only task, "test", has the queries with judgments. If qrels has
// judgments of exactly one other split, that split is the task under the same name; several other
// splits are an error that names them.
//
// Judgments of documents missing in the corpus are kept and counted in the task's warnings. So are
// repeated documents, queries and judgments, and documents with a title and no text. Contradictory
// ones are errors.
func OpenBEIR(dir string) (*Benchmark, error) {
	name := FolderName(dir)
	task, err := openBEIRTask(dir)
	if err != nil {
		return nil, fmt.Errorf("open BEIR collection %s: %w", name, err)
	}
	return &Benchmark{Name: name, Source: "files in BEIR layout", Tasks: []Task{*task}}, nil
}

func openBEIRTask(dir string) (*Task, error) {
	if info, err := disk.Stat(dir); err != nil {
		return nil, err
	} else if !info.IsDir() {
		return nil, fmt.Errorf("%s is not a folder", dir)
	}
	split, err := beirSplit(dir)
	if err != nil {
		return nil, err
	}
	var files [3]string
	for i, name := range []string{"corpus.jsonl", "queries.jsonl", "qrels/" + split + ".tsv"} {
		var err error
		if files[i], err = format.Find(filepath.Join(dir, name)); err != nil {
			return nil, err
		}
	}
	docs, err := OpenCorpus(files[:1])
	if err != nil {
		return nil, err
	}
	queries, err := readQueries(files[1:2])
	if err != nil {
		return nil, err
	}
	judgments, err := readJudgments(files[2:], docs.Has)
	if err != nil {
		return nil, err
	}
	task := &Task{Name: split, Corpus: docs, Scorings: adHoc()}
	task.warnDocuments(docs)
	if err := task.setJudged(queries, judgments); err != nil {
		return nil, err
	}
	return task, nil
}

// beirSplit returns the split to test: test, also for a folder without judgments, or the only one.
func beirSplit(dir string) (string, error) {
	splits, err := beirSplits(dir)
	switch {
	case err != nil:
		return "", err
	case len(splits) == 0 || slices.Contains(splits, "test"):
		return "test", nil
	case len(splits) == 1:
		return splits[0], nil
	}
	return "", fmt.Errorf("%s has judgments of %s but not of test: copy the split to be tested to qrels/test.tsv, or leave only that split in qrels",
		filepath.Join(dir, "qrels"), strings.Join(splits, ", "))
}

// beirSplits lists the splits with judgments in BEIR's layout.
func beirSplits(dir string) (splits []string, err error) {
	entries, err := disk.ReadDir(filepath.Join(dir, "qrels"))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil
	}
	for _, e := range entries {
		split, is := strings.CutSuffix(format.PlainName(e.Name()), ".tsv")
		if is && !e.IsDir() && !slices.Contains(splits, split) {
			splits = append(splits, split)
		}
	}
	return splits, err
}

// adHoc returns the measures of a collection without its own.
func adHoc() []Scoring {
	return []Scoring{{Measure: "nDCG@10"}, {Measure: "R@100"}, {Measure: "AP"}}
}

// warnDocuments adds warnings of repeated documents, and of documents with a title and no text.
func (t *Task) warnDocuments(c *FileCorpus) {
	if n := c.Repeated(); n > 0 {
		t.Warnings = append(t.Warnings, fmt.Sprintf("%d documents are given twice and kept once", n))
	}
	if n := c.Textless(); n > 0 {
		t.Warnings = append(t.Warnings, fmt.Sprintf("%d of %d documents have a title and no text", n, c.Len()))
	}
}
