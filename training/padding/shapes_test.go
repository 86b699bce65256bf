package padding

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// batchesOf makes batches of lengths, longest first; few are long.
func batchesOf(seed uint64, most int) (batches [][]int) {
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 1 + rng.IntN(12) {
		lengths := make([]int, 1+rng.IntN(most))
		for i := range lengths {
			lengths[i] = 1 + int(200/(1+9*rng.Float64()))
		}
		slices.SortFunc(lengths, func(a, b int) int { return b - a })
		batches = append(batches, lengths)
	}
	return batches
}

func eights(n int) int { return (n + 7) / 8 * 8 }

// Groups contain all sequences in their order, and compute no more than one size alone.
func TestCut(t *testing.T) {
	of := func(rows ...int) func(int) []Group {
		return func(n int) (list []Group) {
			for _, r := range rows {
				list = append(list, Group{r, eights(n)})
			}
			return list
		}
	}
	for seed := range uint64(50) {
		for _, lengths := range batchesOf(seed, 100) {
			cut := Plan(Cut(lengths, of(12, 3)))
			if !cut.Fits(lengths) {
				t.Fatalf("%v have no room in %v", lengths, cut)
			}
			for _, rows := range []int{12, 3} {
				const price = 32
				if alone := Plan(Cut(lengths, of(rows))); cut.Tokens()+price*len(cut) > alone.Tokens()+price*len(alone) {
					t.Errorf("%v are cut into %v, which is more than %v", lengths, cut, alone)
				}
			}
		}
	}
	if got := Cut(nil, of(12)); len(got) != 0 {
		t.Errorf("nothing is cut into %v", got)
	}
}

// A few shapes fit all batches that they were made for, with little padding if the lengths allow
// it.
func TestShapesOf(t *testing.T) {
	for seed := range uint64(30) {
		batches := batchesOf(seed, 100)
		shapes := ShapesOf(batches, 12, eights)
		if len(shapes) == 0 || len(shapes) > 10 || !slices.IsSortedFunc(shapes, func(a, b Group) int { return b.Length - a.Length }) {
			t.Fatalf("shapes %v", shapes)
		}
		for _, g := range shapes {
			if g.Rows != 12 && g.Rows != 3 || g.Length != eights(g.Length) {
				t.Errorf("shape %v", g)
			}
		}
		for _, lengths := range batches {
			if cut := Plan(Cut(lengths, shapes.Fitting)); !cut.Fits(lengths) {
				t.Errorf("%v have no room in %v", lengths, cut)
			}
		}
	}
	if got := ShapesOf([][]int{{16, 16, 16, 16}}, 4, eights); !slices.Equal(got, Shapes{{4, 16}}) {
		t.Errorf("what one shape holds without padding has %v", got)
	}
	if got := ShapesOf([][]int{{}, nil}, 4, eights); len(got) != 0 {
		t.Errorf("nothing has %v", got)
	}
}
