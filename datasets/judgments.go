package datasets

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"infbench/datasets/format"
	"infbench/metrics/trec"
)

// judgmentReader collects qrels, with what was odd about them: judgments that are given
// twice, and judgments of documents that the corpus lacks.
type judgmentReader struct {
	Qrels    trec.Qrels
	lines    int
	repeated int      // lines that say again what an earlier one said
	read     []string // warnings of reading the file
	unknown  int      // judgments of documents the corpus lacks
	example  string
	found    map[string]bool // queries for which a document is judged that the corpus has
}

// newJudgmentReader returns a judgmentReader without judgments yet.
func newJudgmentReader() *judgmentReader {
	return &judgmentReader{Qrels: trec.Qrels{}, found: map[string]bool{}}
}

// columns are those of judgments as BEIR, mteb, InstructIR and R2MED name them.
func columns() []format.Column {
	return []format.Column{
		{Name: "query-id|query_id|qid|q_id", Kind: format.ID},
		{Name: "corpus-id|corpus_id|pid|docid|p_id", Kind: format.ID},
		{Name: "score", Kind: format.Int},
	}
}

// readJudgments reads qrels in one of format's table syntaxes. Two grades for one pair are an
// error, and so are no judgments at all; a judged document that known does not know is
// counted and kept.
func readJudgments(files []string, known func(doc string) bool) (*judgmentReader, error) {
	j := newJudgmentReader()
	for r, err := range format.Rows(files, columns()) {
		if err != nil {
			return nil, fmt.Errorf("qrels: %w", err)
		}
		if err := j.Add(r.Pos, r.Text(0), r.Text(1), r.Int(2), known); err != nil {
			return nil, fmt.Errorf("qrels: %w", err)
		}
	}
	if j.lines == 0 {
		return nil, fmt.Errorf("qrels: no judgments in %q", files)
	}
	return j, nil
}

// readTRECJudgments reads qrels in trec_eval's format.
func readTRECJudgments(file string, known func(doc string) bool) (*judgmentReader, error) {
	j := newJudgmentReader()
	qrels, err := format.ReadFile(file, func(r io.Reader, name string) (trec.Qrels, error) {
		o := trec.Options{Warn: func(err error) { j.read = append(j.read, err.Error()) }}
		return o.ReadQrels(r, filepath.Base(name)) // a report must not tell folders of a machine
	})
	if err != nil {
		return nil, err
	}
	j.Qrels = qrels
	for query, of := range qrels { // of which the lines are not known any more
		for doc := range of {
			j.lines++
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

// Add takes one judgment.
func (j *judgmentReader) Add(pos format.Pos, query, doc string, grade int, known func(string) bool) error {
	j.lines++
	if err := cmp.Or(trec.CheckQuery(query), trec.CheckDocument(doc)); err != nil {
		return &format.Error{Pos: pos, Err: err}
	}
	of := j.Qrels[query]
	if of == nil {
		of = map[string]int{}
		j.Qrels[query] = of
	}
	if old, seen := of[doc]; seen {
		if old != grade {
			return pos.Errorf("query %q, document %q: graded %d after %d", query, doc, grade, old)
		}
		j.repeated++
		return nil
	}
	of[doc] = grade
	if known(doc) {
		j.found[query] = true
		return nil
	}
	if j.unknown++; j.unknown == 1 {
		pos.File = filepath.Base(pos.File) // a report must not tell folders of a machine
		j.example = fmt.Sprintf("%s: query %q, document %q", pos, query, doc)
	}
	return nil
}

// ErrJudgedAbsent says that a corpus has none of the documents that are judged.
var ErrJudgedAbsent = errors.New("none of the judged documents is in the corpus")

// CheckFound returns ErrJudgedAbsent where the corpus has none of the documents that are judged for
// these queries: every value would be 0.
func (j *judgmentReader) CheckFound(queries trec.Qrels) error {
	for query := range queries {
		if j.found[query] {
			return nil
		}
	}
	return fmt.Errorf("%w, first %s: are they of one collection?", ErrJudgedAbsent, j.example)
}

// Warnings words what was odd.
func (j *judgmentReader) Warnings() []string {
	w := slices.Clone(j.read)
	if j.repeated > 0 {
		w = append(w, fmt.Sprintf("%d of %d judgments repeat an earlier one", j.repeated, j.lines))
	}
	if j.unknown > 0 {
		w = append(w, fmt.Sprintf("%d of %d judgments are of documents the corpus lacks, first %s",
			j.unknown, j.lines, j.example))
	}
	return w
}
