package datasets

import "fmt"

// Shard is one of several parts of a corpus, which are ranked separately and whose rankings are
// then joined: Number of Of, from 1. The zero value is the full corpus.
type Shard struct {
	Number int `json:"number"`
	Of     int `json:"of"`
}

// Bounds returns the index of the shard's first document and of the first after it, in a corpus of
// n. Shards differ by at most one document; if there are more shards than documents, some are
// empty.
func (s Shard) Bounds(n int) (from, to int) {
	if s.Of < 1 {
		return 0, n
	}
	return n * (s.Number - 1) / s.Of, n * s.Number / s.Of
}

// String returns text like "3 of 7".
func (s Shard) String() string { return fmt.Sprintf("%d of %d", s.Number, s.Of) }
