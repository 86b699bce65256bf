package padding

import (
	"cmp"
	"math"
	"slices"
)

// Cut arranges sequences of these lengths, longest first, in consecutive groups with the least
// computation: each group is one of those that fitting lists for its first sequence. The last may
// have empty rows.
func Cut(lengths []int, fitting func(length int) []Group) (list []Group) {
	rest := cheapestCuts(lengths, fitting)
	for k := 0; k < len(lengths); k += rest[k].first.Rows {
		list = append(list, rest[k].first)
	}
	return list
}

// cutting is the best way to cut the sequences from one of them on.
type cutting struct {
	cost  int // tokens, and the fixed costs of groups
	first Group
}

// cheapestCuts returns the cutting of a list from each sequence on.
func cheapestCuts(lengths []int, fitting func(length int) []Group) []cutting {
	const price = 32 // in tokens: a chunk's gradients are added to those of the others
	rest := make([]cutting, len(lengths)+1)
	for k := len(lengths) - 1; k >= 0; k-- {
		rest[k].cost = math.MaxInt
		for _, g := range fitting(lengths[k]) {
			if cost := g.Rows*g.Length + price + rest[min(k+g.Rows, len(lengths))].cost; cost < rest[k].cost {
				rest[k] = cutting{cost, g}
			}
		}
	}
	return rest
}

// Shapes are a few groups into which batches can be cut, for graphs that take long to compile; the
// longest is first.
type Shapes []Group

// Fitting lists the groups that a sequence of a length fits.
func (s Shapes) Fitting(length int) []Group {
	k := 0
	for k < len(s) && s[k].Length >= length {
		k++
	}
	return s[:k]
}

// ShapesOf returns the fewest shapes into which batches like these, each given by its lengths,
// longest first, can be cut with little padding. They have rows rows or a quarter of them, and the
// first fits all sequences. bucket returns the length to which a sequence is padded.
func ShapesOf(batches [][]int, rows int, bucket func(int) int) Shapes {
	const most, enough = 10, 1.23 // computed tokens for each token that is not padding
	envelope := Envelope(batches)
	if len(envelope) == 0 {
		return nil
	}
	shapes := Shapes{{rows, bucket(envelope[0])}}
	all := shapesFor(batches, rows, bucket)
	tokens := float64(sum(batches...))
	for len(shapes) < most && float64(shapes.tokens(batches)) > enough*tokens {
		shapes = shapes.with(all, batches)
		for i := 1; i < len(shapes); i++ { // replace each of the others by the best choice next to this one
			shapes = slices.Delete(shapes, i, i+1).with(all, batches)
		}
	}
	return shapes
}

// shapesFor lists the groups into which sequences of some batches may be cut.
func shapesFor(batches [][]int, rows int, bucket func(int) int) (list Shapes) {
	for _, lengths := range batches {
		for _, n := range lengths {
			list = append(list, Group{rows, bucket(n)}, Group{max(1, rows/4), bucket(n)})
		}
	}
	list.sort()
	return slices.Compact(list)
}

func (s Shapes) sort() {
	slices.SortFunc(s, func(a, b Group) int { return cmp.Or(b.Length-a.Length, b.Rows-a.Rows) })
}

// with returns s with the one of others that makes the batches cheapest.
func (s Shapes) with(others Shapes, batches [][]int) (best Shapes) {
	least := math.MaxInt
	for _, g := range others {
		wider := append(slices.Clone(s), g)
		wider.sort()
		cost := 0
		for _, lengths := range batches {
			cost += cheapestCuts(lengths, wider.Fitting)[0].cost
		}
		if cost < least {
			best, least = wider, cost
		}
	}
	return best
}

// tokens returns the tokens computed for batches that are cut into s.
func (s Shapes) tokens(batches [][]int) (total int) {
	for _, lengths := range batches {
		total += Plan(Cut(lengths, s.Fitting)).Tokens()
	}
	return total
}

// Coarse is bucket with only two lengths in each doubling from 128 on: 128, 192, 256, ..., at most
// longest. It is used if graphs exist for more than one length or size.
func Coarse(n, longest int, bucket func(int) int) int {
	const fine = 128
	if n <= fine {
		return bucket(n)
	}
	length := fine
	for length < n {
		if length&(length-1) == 0 {
			length += length / 2
		} else {
			length += length / 3
		}
	}
	return max(n, min(length, longest))
}
