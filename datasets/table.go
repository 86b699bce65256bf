package datasets

import (
	"iter"

	"infbench/datasets/format"
)

// tableFile is a file of documents in one of format's table syntaxes.
type tableFile string

// documentColumns returns the columns of documents under the names of BEIR, BRIGHT and MAIR, in the
// order of the doc* constants. A document with a title may lack the text.
func documentColumns() []format.Column {
	return []format.Column{
		{Name: "_id|id|document_id", Kind: format.ID},
		{Name: "text|content|doc|document_content", Kind: format.String, Sparse: true},
		{Name: "title", Kind: format.String, Optional: true},
	}
}

const (
	docID = iota
	docText
	docTitle
)

func (f tableFile) documents(idsOnly bool) iter.Seq2[placed, error] {
	files, cols := []string{string(f)}, documentColumns()
	if !idsOnly || !format.Columnar(files) {
		return placedRows(format.Rows(files, cols))
	}
	// Reading the IDs of a parquet file skips the texts, unless some may be null; the column must
	// exist in any case.
	return func(yield func(placed, error) bool) {
		if err := format.Check(files, cols); err != nil {
			yield(placed{}, err)
			return
		}
		if nulls, err := format.MayHaveNulls(string(f), cols[docText]); err != nil {
			yield(placed{}, err)
			return
		} else if nulls {
			placedRows(format.Rows(files, cols))(yield)
			return
		}
		for r, err := range format.Rows(files, cols[:docID+1]) {
			if err != nil {
				yield(placed{}, err)
				return
			}
			if !yield(placed{Document: Document{ID: r.Text(docID)}, pos: r.Pos, at: r.At}, nil) {
				return
			}
		}
	}
}

func (f tableFile) pick(at []int64) iter.Seq2[placed, error] {
	return placedRows(format.ReadAt(string(f), documentColumns(), at))
}

// placedRows converts rows with documentColumns to documents.
func placedRows(rows iter.Seq2[*format.Row, error]) iter.Seq2[placed, error] {
	return func(yield func(placed, error) bool) {
		for r, err := range rows {
			if err != nil {
				yield(placed{}, err)
				return
			}
			d := Document{ID: r.Text(docID), Title: r.Text(docTitle), Text: r.Text(docText)}
			textless := !r.Has(docText)
			if textless && d.Title == "" && !format.IsDelimited(r.Pos.File) {
				yield(placed{}, r.Pos.Errorf("column %q is missing or null, want string, or a title", documentColumns()[docText].Name))
				return
			}
			if !yield(placed{d, r.Pos, r.At, textless && d.Title != ""}, nil) {
				return
			}
		}
	}
}
