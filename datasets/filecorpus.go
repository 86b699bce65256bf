package datasets

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"infbench/datasets/format"
	"infbench/metrics/trec"
)

// FileCorpus is a corpus that stays in its files: opening reads the IDs; texts are streamed again
// for each caller or looked up by ID. It is safe for concurrent use.
type FileCorpus struct {
	files    []documentSource
	rows     map[string]int32     // document ID -> number of its row over all files
	first    []int32              // by file: number of its first row
	at       []int64              // by row: position in its file
	repeated map[int32]format.Pos // rows that repeat an earlier document; skipped
	textless int                  // documents with a title and a text that is null or missing
}

var _ Corpus = (*FileCorpus)(nil)

// documentSource reads the documents of one file.
type documentSource interface {
	// documents streams the documents; with idsOnly it may omit their texts, if that is cheaper.
	documents(idsOnly bool) iter.Seq2[placed, error]
	// pick streams the documents at the given positions, in ascending order.
	pick(at []int64) iter.Seq2[placed, error]
}

// placed is a document with two positions: one for people, one for pick.
type placed struct {
	Document
	pos format.Pos
	at  int64

	textless bool // it has a title, and its text is null or missing
}

// OpenCorpus indexes the documents in files by ID. The files are tables or TREC documents.
func OpenCorpus(files []string) (*FileCorpus, error) {
	if len(files) == 0 {
		return nil, errors.New("corpus: no files")
	}
	var docs []documentSource
	for _, file := range files {
		if format.IsTable(file) {
			docs = append(docs, tableFile(file))
		} else {
			docs = append(docs, sgmlFile(file))
		}
	}
	return index(docs)
}

// index indexes documents by ID. A document repeated with the same content is kept once; Repeated
// counts these. Two different documents with one ID are an error. So are an ID that no run file can
// represent, and an empty corpus.
func index(files []documentSource) (*FileCorpus, error) {
	c := &FileCorpus{files: files, rows: map[string]int32{}, repeated: map[int32]format.Pos{}}
	suspects := map[string]bool{}
	for _, file := range files {
		c.first = append(c.first, int32(len(c.at)))
		for d, err := range file.documents(true) {
			if err != nil {
				return nil, fmt.Errorf("corpus: %w", err)
			}
			if err := trec.CheckDocument(d.ID); err != nil {
				return nil, fmt.Errorf("corpus: %w", &format.Error{Pos: d.pos, Err: err})
			}
			row := int32(len(c.at))
			if _, seen := c.rows[d.ID]; seen {
				suspects[d.ID] = true
				c.repeated[row] = d.pos
			} else {
				c.rows[d.ID] = row
				if d.textless {
					c.textless++
				}
			}
			c.at = append(c.at, d.at)
		}
	}
	if len(c.rows) == 0 {
		return nil, errors.New("corpus: no documents")
	}
	return c, c.checkRepeated(suspects)
}

// checkRepeated compares the documents with suspect IDs.
func (c *FileCorpus) checkRepeated(suspects map[string]bool) error {
	rows := slices.Collect(maps.Keys(c.repeated))
	for id := range suspects {
		rows = append(rows, c.rows[id])
	}
	first := map[string]Document{}
	return c.read(rows, func(row int32, d Document) error {
		old, seen := first[d.ID]
		if !seen {
			first[d.ID] = d
		} else if old != d {
			return c.repeated[row].Errorf("document %q differs from an earlier one of that ID", d.ID)
		}
		return nil
	})
}

// read visits the documents of the given rows in file order.
func (c *FileCorpus) read(rows []int32, visit func(row int32, d Document) error) error {
	slices.Sort(rows)
	rows = slices.Compact(rows)
	for len(rows) > 0 {
		next, _ := slices.BinarySearch(c.first, rows[0]+1) // the first file after the row
		file := next - 1
		n := len(rows)
		if next < len(c.first) {
			n, _ = slices.BinarySearch(rows, c.first[next])
		}
		at := make([]int64, n)
		for i, row := range rows[:n] {
			at[i] = c.at[row]
		}
		for d, err := range c.files[file].pick(at) {
			if err == nil {
				err = visit(rows[0], d.Document)
				rows = rows[1:]
			}
			if err != nil {
				return fmt.Errorf("corpus: %w", err)
			}
		}
	}
	return nil
}

// Documents streams the documents in file order.
func (c *FileCorpus) Documents() iter.Seq2[Document, error] {
	return func(yield func(Document, error) bool) {
		row := int32(-1)
		for _, file := range c.files {
			for d, err := range file.documents(false) {
				if err != nil {
					yield(Document{}, fmt.Errorf("corpus: %w", err))
					return
				}
				row++
				if _, again := c.repeated[row]; again {
					continue
				}
				if !yield(d.Document, nil) {
					return
				}
			}
		}
	}
}

// Lookup returns the documents with the given IDs; unknown IDs are missing from the result. Parquet
// files and plain JSON Lines are read only at the documents' positions, other files from the start.
func (c *FileCorpus) Lookup(ids []string) (map[string]Document, error) {
	var rows []int32
	for _, id := range ids {
		if row, ok := c.rows[id]; ok {
			rows = append(rows, row)
		}
	}
	found := make(map[string]Document, len(rows))
	err := c.read(rows, func(_ int32, d Document) error {
		found[d.ID] = d
		return nil
	})
	return found, err
}

// Len returns the number of documents.
func (c *FileCorpus) Len() int { return len(c.rows) }

// Has reports whether the corpus has a document with this ID.
func (c *FileCorpus) Has(id string) bool {
	_, ok := c.rows[id]
	return ok
}

// IDs returns the IDs of the documents, unordered.
func (c *FileCorpus) IDs() iter.Seq[string] { return maps.Keys(c.rows) }

// Repeated returns the number of rows that repeat an earlier document exactly.
func (c *FileCorpus) Repeated() int { return len(c.repeated) }

// Textless returns the number of documents with a title and a text that is null or missing; it is
// read as empty. In CSV and TSV an empty field is a missing text.
func (c *FileCorpus) Textless() int { return c.textless }
