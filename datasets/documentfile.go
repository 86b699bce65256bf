package datasets

import (
	"iter"
	"strings"

	"infbench/datasets/format"
)

// tableFile is a file of documents in one of format's table syntaxes.
type tableFile string

// documentColumns are the columns of documents as BEIR, BRIGHT and MAIR name
// them, in the order of the doc* constants.
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

func (f tableFile) documents(idsOnly bool) iter.Seq2[placed, error] {
	files, cols := []string{string(f)}, documentColumns()
	if !idsOnly || !format.Columnar(files) {
		return placedRows(format.Rows(files, cols))
	}
	// Reading the IDs of a parquet file leaves the texts unread; that they are
	// there is checked all the same.
	return func(yield func(placed, error) bool) {
		if err := format.Check(files, cols); err != nil {
			yield(placed{}, err)
			return
		}
		for r, err := range format.Rows(files, cols[:docID+1]) {
			if err != nil {
				yield(placed{}, err)
				return
			}
			if !yield(placed{Document{ID: r.Text(docID)}, r.Pos, r.At}, nil) {
				return
			}
		}
	}
}

func (f tableFile) pick(at []int64) iter.Seq2[placed, error] {
	return placedRows(format.ReadAt(string(f), documentColumns(), at))
}

// placedRows turns rows with documentColumns into documents.
func placedRows(rows iter.Seq2[*format.Row, error]) iter.Seq2[placed, error] {
	return func(yield func(placed, error) bool) {
		for r, err := range rows {
			if err != nil {
				yield(placed{}, err)
				return
			}
			d := Document{ID: r.Text(docID), Title: r.Text(docTitle), Text: r.Text(docText)}
			if !yield(placed{d, r.Pos, r.At}, nil) {
				return
			}
		}
	}
}

// sgmlFile is a file of TREC documents: <DOC> records with a <DOCNO>.
type sgmlFile string

// Elements of TREC documents that are titles, and those that are bookkeeping and
// no part of the text.
var (
	trecTitles = []string{"title", "headline", "hl", "ti", "head"}
	trecMeta   = []string{"docno", "docid", "dochdr", "parent", "ht", "fileid", "first", "second", "date", "date1"}
)

func (f sgmlFile) documents(bool) iter.Seq2[placed, error] {
	return func(yield func(placed, error) bool) {
		n := int64(-1)
		for r, err := range format.SGML(string(f), "doc") {
			if err != nil {
				yield(placed{}, err)
				return
			}
			n++
			if !yield(placed{trecDocument(r), r.Pos, n}, nil) {
				return
			}
		}
	}
}

func (f sgmlFile) pick(at []int64) iter.Seq2[placed, error] {
	return func(yield func(placed, error) bool) {
		for d, err := range f.documents(false) {
			if err == nil && d.at != at[0] {
				continue
			}
			if !yield(d, err) || err != nil {
				return
			}
			if at = at[1:]; len(at) == 0 {
				return
			}
		}
	}
}

// trecDocument joins the elements of a record: titles to the title, all others
// but the bookkeeping ones to the text.
func trecDocument(r format.Record) Document {
	d := Document{ID: r.Get("docno"), Title: r.Get(trecTitles...)}
	var texts []string
	skip := map[string]bool{}
	for _, name := range append(append([]string{}, trecTitles...), trecMeta...) {
		skip[name] = true
	}
	for _, e := range r.Elements {
		if !skip[e.Name] && e.Text != "" {
			texts = append(texts, e.Text)
		}
	}
	d.Text = strings.Join(texts, " ")
	return d
}
