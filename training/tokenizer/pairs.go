package tokenizer

import "math"

// pair is two neighbouring pieces of a word.
type pair struct{ left, right int32 }

// merge is the rank of a merge and the id that it makes.
type merge struct{ rank, id int32 }

// noMerge is the rank of a pair that has no merge.
const noMerge = math.MaxInt32

// pairs has the merges of pairs in an open hash table that is at most half full: half the time of a
// segmentation is spent looking up pairs, and a Go map takes three times as long.
type pairs struct {
	slots []pairSlot
	shift uint // of a hash, to a slot
}

type pairSlot struct {
	pair
	merge
}

// newPairs returns an empty table with room for n pairs.
func newPairs(n int) *pairs {
	bits := uint(1)
	for 1<<bits < 2*n {
		bits++
	}
	p := &pairs{make([]pairSlot, 1<<bits), 64 - bits}
	for i := range p.slots {
		p.slots[i].rank = noMerge
	}
	return p
}

// add sets the merge of a pair; its rank must not be noMerge.
func (p *pairs) add(of pair, m merge) {
	at := p.start(of)
	for p.slots[at].rank != noMerge && p.slots[at].pair != of {
		at = (at + 1) & (len(p.slots) - 1)
	}
	p.slots[at] = pairSlot{of, m}
}

// find returns the merge of a pair, with rank noMerge if there is none.
func (p *pairs) find(of pair) merge {
	for at := p.start(of); ; at = (at + 1) & (len(p.slots) - 1) {
		if slot := &p.slots[at]; slot.pair == of || slot.rank == noMerge {
			return slot.merge
		}
	}
}

// start returns the slot where the search for a pair begins: the high bits of its product with 2^64
// over the golden ratio (Knuth, volume 3, section 6.4).
func (p *pairs) start(of pair) int {
	return int((uint64(uint32(of.left))<<32 | uint64(uint32(of.right))) * 0x9e3779b97f4a7c15 >> p.shift)
}
