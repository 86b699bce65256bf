package trec

import "hash/maphash"

// docSet finds a document that comes twice in a ranking. It is an open hash
// table of indexes into the ranking, kept from one ranking to the next.
type docSet struct {
	seed  maphash.Seed
	slots []int32 // index+1, 0 where free; a power of two, at least twice the documents
}

// duplicate returns the smallest index whose document came before, -1 if none.
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
