package datasets

import "iter"

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

// Len is the number of documents.
func (c MemoryCorpus) Len() int { return len(c) }
