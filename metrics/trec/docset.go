package trec

import "hash/maphash"

// docSet detects a document that occurs twice in a ranking. It is an open hash table of
// indexes into the ranking, reused from one ranking to the next.
type docSet struct {
	seed  maphash.Seed
	slots []int32 // index+1, 0 if free; the length is a power of two, at least twice the number of documents
}

// duplicate returns the smallest index whose document occurred before, or -1.
func (s *docSet) duplicate(ranking Ranking) int {
	size := 16
	for size < 2*len(ranking) {
		size *= 2
	}
	if len(s.slots) < size {
		s.seed = maphash.MakeSeed()
		s.slots = make([]int32, size)
	}
	slots := s.slots[:size]
	clear(slots)
	mask := uint64(size - 1)
	for i := range ranking {
		doc := ranking[i].Doc
		at := maphash.String(s.seed, doc) & mask
		for slots[at] != 0 {
			if ranking[slots[at]-1].Doc == doc {
				return i
			}
			at = (at + 1) & mask
		}
		slots[at] = int32(i + 1)
	}
	return -1
}
