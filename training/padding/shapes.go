package padding

import (
	"cmp"
	"math"
	"slices"
)

// Cut lays sequences of these lengths, longest first, out in groups one after the other, so
// that least is computed: each is one of those that fitting lists for its first sequence.
// The last may have empty rows.
func Cut(lengths []int, fitting func(length int) []Group) (list []Group) {
	rest := cheapestCuts(lengths, fitting)
	for k := 0; k < len(lengths); k += rest[k].first.Rows {
		list = append(list, rest[k].first)
	}
	return list
}

// cutting is how sequences are cut from one of them on.
type cutting struct {
	cost  int // tokens, and what groups cost beside them
	first Group
}

// cheapestCuts is the cutting of a list from each sequence on.
func cheapestCuts(lengths []int, fitting func(length int) []Group) []cutting {
	const price = 32 // tokens: a chunk's gradients are added to those of the others
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

// Shapes are a few groups, for where each takes long to compile, that batches can be cut
// into; the longest is first.
type Shapes []Group

// Fitting lists those that a sequence of a length finds room in.
func (s Shapes) Fitting(length int) []Group {
	k := 0
	for k < len(s) && s[k].Length >= length {
		k++
	}
	return s[:k]
}

// ShapesOf are the fewest that batches like these, each given by its lengths, longest first,
// can be cut into so that little is padded. They have so many rows or a quarter of them, and
// the first has room for all. bucket is the length that a sequence is padded to.
func ShapesOf(batches [][]int, rows int, bucket func(int) int) Shapes {
	const most, enough = 10, 1.23 // computed for one token that is none of padding
	envelope := Envelope(batches)
	if len(envelope) == 0 {
		return nil
	}
	shapes := Shapes{{rows, bucket(envelope[0])}}
	all := shapesFor(batches, rows, bucket)
	tokens := float64(sum(batches...))
	for len(shapes) < most && float64(shapes.tokens(batches)) > enough*tokens {
		shapes = shapes.with(all, batches)
		for i := 1; i < len(shapes); i++ { // was each of the others well chosen beside it?
			shapes = slices.Delete(shapes, i, i+1).with(all, batches)
		}
	}
	return shapes
}

// shapesFor lists the groups that sequences of some batches may be cut into.
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

// with is s and that of others with which batches cost least.
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

// tokens is what batches cut into s compute.
func (s Shapes) tokens(batches [][]int) (total int) {
	for _, lengths := range batches {
		total += Plan(Cut(lengths, s.Fitting)).Tokens()
	}
	return total
}

// Coarse is bucket with two lengths to a doubling from 128 on, 128, 192, 256, ..., at most
// longest, where graphs are for more than one length or size.
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
