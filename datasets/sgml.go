package datasets

import (
	"iter"
	"strings"

	"infbench/datasets/format"
)

// sgmlFile is a file of TREC documents: <DOC> records with a <DOCNO>.
type sgmlFile string

// Elements of TREC documents that are titles, and those that are metadata and not part of the text.
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
			if !yield(placed{Document: trecDocument(r), pos: r.Pos, at: n}, nil) {
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

// trecDocument joins the elements of a record: titles to the title, all others except metadata to
// the text.
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
