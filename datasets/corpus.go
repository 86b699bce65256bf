package datasets

import "iter"

// Document is one retrievable text.
type Document struct {
	ID, Title, Text string
}

// Full returns title and text as one text, in the format for encoders without a rule for titles.
func (d Document) Full() string {
	if d.Title == "" {
		return d.Text
	}
	return d.Title + " " + d.Text
}

// Corpus is a collection of documents. Documents streams it in a fixed order; Len is its size, or
// -1 if only streaming can determine it.
type Corpus interface {
	Documents() iter.Seq2[Document, error]
	Len() int
}

// MemoryCorpus is a corpus held in memory, in the order of the slice.
type MemoryCorpus []Document

var _ Corpus = MemoryCorpus(nil)

// Documents streams the corpus; it never yields an error.
func (c MemoryCorpus) Documents() iter.Seq2[Document, error] {
	return func(yield func(Document, error) bool) {
		for _, d := range c {
			if !yield(d, nil) {
				return
			}
		}
	}
}

// Len returns the number of documents.
func (c MemoryCorpus) Len() int { return len(c) }
