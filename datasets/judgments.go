package datasets

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"infbench/datasets/format"
	"infbench/metrics/trec"
)

// judgmentReader collects qrels and counts oddities: repeated judgments, and judgments of documents
// missing in the corpus.
type judgmentReader struct {
	format.Judgments
	read    []string // warnings of reading the file
	unknown int      // judgments of documents missing in the corpus
	example string
	found   map[string]bool // queries with a judged document in the corpus
}

// newJudgmentReader returns an empty judgmentReader.
func newJudgmentReader() *judgmentReader {
	return &judgmentReader{Judgments: format.Judgments{Qrels: trec.Qrels{}}, found: map[string]bool{}}
}

// readJudgments reads qrels in one of the layouts of format.OpenQrels; trec_eval's only from a
// single file. Two different grades for one pair are an error, and so is a file without
// judgments. A judged document that known rejects is counted and kept.
func readJudgments(files []string, known func(doc string) bool) (*judgmentReader, error) {
	j := newJudgmentReader()
	for _, file := range files {
		isTREC, err := format.EachJudgment(file, func(pos format.Pos, query, doc string, grade int) error {
			return j.Add(pos, query, doc, grade, known)
		})
		switch {
		case err != nil:
			return nil, fmt.Errorf("qrels: %w", err)
		case isTREC && len(files) == 1:
			return readTRECJudgments(file, known)
		case isTREC:
			return nil, fmt.Errorf("qrels: %s has no header line, want columns %s", file, format.QrelsColumns()[0].Name)
		}
	}
	if j.Count == 0 {
		return nil, fmt.Errorf("qrels: no judgments in %q", files)
	}
	return j, nil
}

// readTRECJudgments reads qrels in trec_eval's format.
func readTRECJudgments(file string, known func(doc string) bool) (*judgmentReader, error) {
	j := newJudgmentReader()
	qrels, err := format.ReadFile(file, func(r io.Reader, name string) (trec.Qrels, error) {
		o := trec.Options{Warn: func(err error) { j.read = append(j.read, err.Error()) }}
		return o.ReadQrels(r, filepath.Base(name)) // warnings in a report must not contain local paths
	})
	if err != nil {
		return nil, err
	}
	j.Qrels = qrels
	for query, of := range qrels { // no line numbers are known any more
		for doc := range of {
			j.Count++
			if known(doc) {
				j.found[query] = true
				continue
			}
			j.unknown++
			if example := fmt.Sprintf("in %s: query %q, document %q", filepath.Base(file), query, doc); j.example == "" || example < j.example {
				j.example = example
			}
		}
	}
	return j, nil
}

// Add adds one judgment, and counts it if known rejects its document.
func (j *judgmentReader) Add(pos format.Pos, query, doc string, grade int, known func(string) bool) error {
	isNew, err := j.Judgments.Add(pos, query, doc, grade)
	if err != nil || !isNew {
		return err
	}
	if known(doc) {
		j.found[query] = true
		return nil
	}
	if j.unknown++; j.unknown == 1 {
		pos.File = filepath.Base(pos.File) // warnings in a report must not contain local paths
		j.example = fmt.Sprintf("%s: query %q, document %q", pos, query, doc)
	}
	return nil
}

// ErrJudgedAbsent means that the corpus has none of the judged documents.
var ErrJudgedAbsent = errors.New("none of the judged documents is in the corpus")

// CheckFound returns ErrJudgedAbsent if the corpus has none of the documents judged for these
// queries: every value would be 0.
func (j *judgmentReader) CheckFound(queries trec.Qrels) error {
	for query := range queries {
		if j.found[query] {
			return nil
		}
	}
	return fmt.Errorf("%w, first %s: are they of one collection?", ErrJudgedAbsent, j.example)
}

// Warnings describes the oddities.
func (j *judgmentReader) Warnings() []string {
	w := slices.Clone(j.read)
	if j.Repeated > 0 {
		w = append(w, fmt.Sprintf("%d of %d judgments repeat an earlier one", j.Repeated, j.Count))
	}
	if j.unknown > 0 {
		w = append(w, fmt.Sprintf("%d of %d judgments are of documents the corpus lacks, first %s",
			j.unknown, j.Count, j.example))
	}
	return w
}
