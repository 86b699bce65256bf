package results

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"infbench/datasets"
	"infbench/datasets/format"
	"infbench/internal/disk"
	"infbench/metrics"
	"infbench/metrics/trec"
)

// queriesEnding is the suffix of the packed files with a trial's record of its queries: a file
// for each task, a QueryRecord on each line.
const queriesEnding = ".jsonl.gz"

// Limits of a QueryRecord. A record shows where it was cut.
const (
	textAtMost  = 500 // characters of a text
	movedAtMost = 40  // documents with the largest effect on p-MRR
)

// QueryRecord is a query, or a pair of instructions with the ranks of the documents whose
// relevance the second instruction changed.
type QueryRecord struct {
	Benchmark   string          `json:"benchmark"`
	Task        string          `json:"task"`
	Query       string          `json:"query"` // as in Result: the ID of a query or a pair
	Text        string          `json:"text"`
	Instruction string          `json:"instruction,omitempty"` // the original instruction of a pair
	Changed     string          `json:"changed,omitempty"`     // instruction after the change
	Documents   []MovedDocument `json:"documents,omitempty"`
	Left        int             `json:"left,omitempty"` // changed documents beyond the limit
}

// MovedDocument is a document whose relevance a change of instruction altered.
type MovedDocument struct {
	ID     string  `json:"id"`
	Title  string  `json:"title,omitempty"`
	Text   string  `json:"text,omitempty"`
	Before int     `json:"before"` // rank from 1; one beyond the ranking if it is not in it
	After  int     `json:"after"`
	Share  float64 `json:"share"` // contribution to the pair's p-MRR, which is the sum over its documents
}

// cutMark ends a shortened text.
const cutMark = " […]"

// cut shortens a text to its limit.
func cut(text string) string {
	if len(text) <= textAtMost {
		return text
	}
	runes := []rune(text)
	if len(runes) <= textAtMost {
		return text
	}
	return strings.TrimSpace(string(runes[:textAtMost])) + cutMark
}

// DescribeQueries returns the record of each query or pair of a task under a run. It reads the
// texts of changed documents from the corpus in one pass. A private task has no texts.
func DescribeQueries(benchmark string, task *datasets.Task, run trec.Run) ([]QueryRecord, error) {
	task = task.Shown()
	byID := map[string]*datasets.Query{}
	for i := range task.Queries {
		byID[task.Queries[i].ID] = &task.Queries[i]
	}
	var out []QueryRecord
	if len(task.Pairs) == 0 {
		for _, q := range task.Queries {
			out = append(out, QueryRecord{Benchmark: benchmark, Task: task.Name, Query: q.ID, Text: cut(q.Text), Instruction: cut(q.Instruction)})
		}
		return out, nil
	}
	for _, p := range task.Pairs {
		r := QueryRecord{Benchmark: benchmark, Task: task.Name, Query: p.ID}
		if q := byID[p.Original]; q != nil {
			r.Text, r.Instruction = cut(q.Text), cut(q.Instruction)
		}
		if q := byID[p.Changed]; q != nil {
			r.Changed = cut(q.Instruction)
		}
		r.Documents, r.Left = moved(&p, run)
		out = append(out, r)
	}
	return out, addTexts(out, task.Corpus)
}

// moved lists the changed documents of a pair, the largest share of p-MRR first, and counts
// those beyond the limit. It lists none for a pair without p-MRR.
func moved(p *datasets.Pair, run trec.Run) (docs []MovedDocument, left int) {
	if len(run[p.Original]) == 0 || len(run[p.Changed]) == 0 {
		return nil, 0
	}
	before, after := placesIn(run[p.Original]), placesIn(run[p.Changed])
	for _, id := range p.Moved {
		from, to := before(id), after(id)
		docs = append(docs, MovedDocument{ID: id, Before: from, After: to, Share: metrics.Shift(from, to) / float64(len(p.Moved))})
	}
	slices.SortStableFunc(docs, func(a, b MovedDocument) int {
		switch x, y := max(a.Share, -a.Share), max(b.Share, -b.Share); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return strings.Compare(a.ID, b.ID)
	})
	left = max(0, len(docs)-movedAtMost)
	return docs[:len(docs)-left], left
}

// placesIn returns a function for the rank of a document: one beyond the ranking if it is not
// in it.
func placesIn(r trec.Ranking) func(doc string) int {
	places := make(map[string]int, len(r))
	for i := range r {
		places[r[i].Doc] = i + 1
	}
	return func(doc string) int {
		if at, ok := places[doc]; ok {
			return at
		}
		return len(r) + 1
	}
}

// addTexts fills in the texts of documents.
func addTexts(records []QueryRecord, corpus datasets.Corpus) error {
	wanted := map[string][]*MovedDocument{}
	for i := range records {
		for j := range records[i].Documents {
			d := &records[i].Documents[j]
			wanted[d.ID] = append(wanted[d.ID], d)
		}
	}
	if len(wanted) == 0 || corpus == nil {
		return nil
	}
	for doc, err := range corpus.Documents() {
		if err != nil {
			return fmt.Errorf("texts of changed documents: %w", err)
		}
		for _, d := range wanted[doc.ID] {
			d.Title, d.Text = cut(doc.Title), cut(doc.Text)
		}
	}
	return nil
}

// Queries stores the records of one task's queries. Equal records give equal bytes.
func (w Writer) Queries(benchmark, task string, records []QueryRecord) error {
	return w.file(filepath.Join(queriesDir, TaskFile(benchmark, task)+queriesEnding), func(w io.Writer) error {
		z := gzip.NewWriter(w)
		if err := encodeLines(z, records); err != nil {
			return err
		}
		return z.Close()
	})
}

// Queries reads the query records of a complete trial folder, in the order of the files' names,
// and checks them against the completion marker. Old folders have none.
func (r Reader) Queries() ([]QueryRecord, error) {
	want, err := r.at.Marker().readAll()
	if err != nil {
		return nil, err
	}
	return want.queries()
}

// queries reads the query records that the manifest lists.
func (m manifest) queries() ([]QueryRecord, error) {
	var out []QueryRecord
	for _, name := range slices.Sorted(maps.Keys(m.Files)) {
		if !strings.HasPrefix(name, queriesDir+"/") || !strings.HasSuffix(name, queriesEnding) {
			continue
		}
		path := m.at.file(name)
		records, err := readPacked[QueryRecord](path, m.Files[name])
		if err != nil {
			return nil, fmt.Errorf("read queries: %w", err)
		}
		out = append(out, records...)
	}
	return out, nil
}

// unpackedAtMost limits the unpacked size of a file, in bytes.
const unpackedAtMost = 1 << 30

// readPacked reads a file of records with a known SHA-256.
func readPacked[T any](path, sum string) ([]T, error) {
	data, err := disk.ReadFile(path)
	if gone(err) {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if err != nil {
		return nil, err
	}
	if disk.Sum(data) != sum {
		return nil, fmt.Errorf("%w: %s was changed", ErrDamaged, path)
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	plain := &io.LimitedReader{R: z, N: unpackedAtMost + 1}
	out, err := readLines[T](path, format.Gauged(plain))
	if plain.N <= 0 {
		return nil, fmt.Errorf("%s: more than %d bytes", path, unpackedAtMost)
	}
	return out, err
}
