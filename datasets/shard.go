package datasets

import "fmt"

// Shard is one of several parts of a corpus, which are ranked apart and whose rankings
// are then joined: Number of Of, from 1. The zero value is the whole corpus.
type Shard struct {
	Number int `json:"number"`
	Of     int `json:"of"`
}

// Bounds are the numbers of the shard's first document and of the first behind it, in a
// corpus of n in their order. Shards differ by one document at most; where they are more
// than documents, some are empty.
func (s Shard) Bounds(n int) (from, to int) {
	if s.Of < 1 {
		return 0, n
	}
	return n * (s.Number - 1) / s.Of, n * s.Number / s.Of
}

// String is "3 of 7".
func (s Shard) String() string { return fmt.Sprintf("%d of %d", s.Number, s.Of) }
