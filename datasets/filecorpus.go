package datasets

import (
	"fmt"
	"iter"

	"infbench/datasets/format"
)

// FileCorpus is a corpus that stays in its files: opening reads the IDs only,
// and texts are streamed anew for each caller. It is safe for concurrent use.
type FileCorpus struct {
	files    []string
	cols     []format.Column
	rows     map[string]int32 // document ID -> number of its row over all files
	repeated map[int32]bool   // rows that repeat an earlier document; skipped
}

var _ Corpus = (*FileCorpus)(nil)

// documentColumns are the columns of documents as BEIR and its descendants name
// them. Their order is that of the doc* constants.
func documentColumns() []format.Column {
	return []format.Column{
		{Name: "_id|id", Kind: format.ID},
		{Name: "text|content|doc", Kind: format.String},
		{Name: "title", Kind: format.String, Optional: true},
	}
}

const (
	docID = iota
	docText
	docTitle
)

// openCorpus indexes the documents in files by ID. A document given twice with
// the same content is kept once; Repeated counts those. Two documents of one ID
// are an error.
func openCorpus(files []string) (*FileCorpus, error) {
	c := &FileCorpus{files: files, cols: documentColumns(), rows: map[string]int32{}, repeated: map[int32]bool{}}
	suspects := map[string]bool{}
	row := int32(0)
	cols := c.cols
	if format.Columnar(files) {
		cols = cols[:docID+1] // the texts need not even be read
	}
	for r, err := range format.Rows(files, cols) {
		if err != nil {
			return nil, fmt.Errorf("corpus: %w", err)
		}
		id := r.Text(docID)
		if id == "" {
			return nil, fmt.Errorf("corpus: %w", r.Pos.Errorf("empty document ID"))
		}
		if _, seen := c.rows[id]; seen {
			suspects[id] = true
			c.repeated[row] = true
		} else {
			c.rows[id] = row
		}
		row++
	}
	if len(c.rows) == 0 {
		return nil, fmt.Errorf("corpus: no documents in %q", files)
	}
	return c, c.checkRepeated(suspects)
}

// checkRepeated reads the documents of the suspect IDs and compares them.
func (c *FileCorpus) checkRepeated(suspects map[string]bool) error {
	if len(suspects) == 0 {
		return nil
	}
	first := map[string]Document{}
	where := map[string]format.Pos{}
	for r, err := range format.Rows(c.files, c.cols) {
		if err != nil {
			return fmt.Errorf("corpus: %w", err)
		}
		d := rowDocument(r)
		if !suspects[d.ID] {
			continue
		}
		if old, seen := first[d.ID]; !seen {
			first[d.ID], where[d.ID] = d, r.Pos
		} else if old != d {
			return fmt.Errorf("corpus: %w", r.Pos.Errorf("document %q differs from the one at %s", d.ID, where[d.ID]))
		}
	}
	return nil
}

func rowDocument(r *format.Row) Document {
	return Document{ID: r.Text(docID), Title: r.Text(docTitle), Text: r.Text(docText)}
}

// Documents streams the documents in file order.
func (c *FileCorpus) Documents() iter.Seq2[Document, error] {
	return func(yield func(Document, error) bool) {
		row := int32(-1)
		for r, err := range format.Rows(c.files, c.cols) {
			if err != nil {
				yield(Document{}, fmt.Errorf("corpus: %w", err))
				return
			}
			if row++; c.repeated[row] {
				continue
			}
			if !yield(rowDocument(r), nil) {
				return
			}
		}
	}
}

// Len is the number of documents.
func (c *FileCorpus) Len() int { return len(c.rows) }

// Has tells whether the corpus has a document of this ID.
func (c *FileCorpus) Has(id string) bool {
	_, ok := c.rows[id]
	return ok
}

// Repeated is the number of rows that repeat an earlier document word for word.
func (c *FileCorpus) Repeated() int { return len(c.repeated) }
