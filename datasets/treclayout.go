package datasets

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"infbench/datasets/format"
)

// TRECFiles names the files of a collection in TREC layout.
type TRECFiles struct {
	Documents []string // SGML (<DOC>), or a table such as corpus.jsonl
	Topics    string   // SGML (<top>), or lines of ID, tab, text
	Qrels     string   // see format.OpenQrels
}

// OpenTREC opens the collection in a folder: the files named topics* or query* and qrels* (the
// first by name of each), and as documents all other files. Each may be compressed. The benchmark
// is named by FolderName and has one task, "test".
func OpenTREC(dir string) (*Benchmark, error) {
	name := FolderName(dir)
	files, err := findTREC(dir)
	if err != nil {
		return nil, fmt.Errorf("open TREC collection %s: %w", name, err)
	}
	return OpenTRECFiles(name, files)
}

// findTREC assigns roles to the files of a folder.
func findTREC(dir string) (TRECFiles, error) {
	var found TRECFiles
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		base := strings.ToLower(d.Name())
		switch {
		case strings.HasPrefix(base, ".") || strings.HasSuffix(strings.TrimSuffix(base, ".gz"), ".md"):
		case strings.HasPrefix(base, "topics") || strings.HasPrefix(base, "query"):
			if found.Topics == "" {
				found.Topics = path
			}
		case strings.HasPrefix(base, "qrels"):
			if found.Qrels == "" {
				found.Qrels = path
			}
		default:
			found.Documents = append(found.Documents, path)
		}
		return nil
	})
	switch {
	case err != nil:
	case found.Topics == "":
		err = errors.New("no file named topics* or query*")
	case found.Qrels == "":
		err = errors.New("no file named qrels*")
	case len(found.Documents) == 0:
		err = errors.New("no document files")
	}
	return found, err
}

// OpenTRECFiles opens the collection in the given files as a benchmark with one task, "test". Only
// judged topics are run; judgments of missing documents are kept and counted in the warnings.
func OpenTRECFiles(name string, files TRECFiles) (*Benchmark, error) {
	task, err := openTRECTask(files)
	if err != nil {
		return nil, fmt.Errorf("open TREC collection %s: %w", name, err)
	}
	return &Benchmark{Name: name, Source: "files in TREC layout", Tasks: []Task{*task}}, nil
}

func openTRECTask(files TRECFiles) (*Task, error) {
	docs, err := OpenCorpus(files.Documents)
	if err != nil {
		return nil, err
	}
	queries, err := readTopics(files.Topics)
	if err != nil {
		return nil, err
	}
	judgments, err := readJudgments([]string{files.Qrels}, docs.Has)
	if err != nil {
		return nil, err
	}
	task := &Task{Name: "test", Corpus: docs, Scorings: adHoc()}
	task.warnDocuments(docs)
	return task, task.setJudged(queries, judgments)
}

// readTopics reads TREC topics: SGML, or a .tsv file with ID and text on each line. The query of an
// SGML topic is its title. The instruction is the description and the narrative, if present.
func readTopics(path string) (*queryList, error) {
	var l queryList
	topics := topicsSGML
	if strings.Contains(filepath.Base(path), ".tsv") {
		topics = topicsTSV
	}
	if err := topics(path, &l); err != nil {
		return nil, fmt.Errorf("topics: %w", err)
	}
	if len(l.queries) == 0 {
		return nil, fmt.Errorf("topics: none in %s", path)
	}
	return &l, nil
}

func topicsTSV(path string, l *queryList) error {
	for line, err := range format.Lines(path) {
		if err != nil {
			return err
		}
		id, text, ok := strings.Cut(string(line.Text), "\t")
		if !ok && id == "" {
			continue
		}
		if !ok {
			return line.Pos.Errorf("want ID, tab, text")
		}
		if err := l.add(line.Pos, Query{ID: id, Text: text}); err != nil {
			return err
		}
	}
	return nil
}

func topicsSGML(path string, l *queryList) error {
	for r, err := range format.SGML(path, "top") {
		if err != nil {
			return err
		}
		// Fields begin with their labels: "Number: 301", "Topic: ...".
		field := func(name string, labels ...string) string {
			text := r.Get(name)
			for _, label := range labels {
				text = strings.TrimSpace(strings.TrimPrefix(text, label))
			}
			return text
		}
		q := Query{ID: field("num", "Number:"), Text: field("title", "Topic:")}
		parts := []string{field("desc", "Description:"), field("narr", "Narrative:")}
		parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
		q.Instruction = strings.Join(parts, " ")
		if err := l.add(r.Pos, q); err != nil {
			return err
		}
	}
	return nil
}
