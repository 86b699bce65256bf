package runners

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestCounts: rows return the added entries for any numbers, one by one and several at a time.
func TestCounts(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for _, ascending := range []bool{false, true} {
		m := newPostingCounts(ascending)
		m.Grow(3)
		want := make([][]posting, 3)
		for range 2000 {
			row := int32(rng.IntN(3))
			p := posting{int32(rng.IntN(1 << 30)), 1 + int32(rng.IntN(3))*int32(rng.IntN(1<<rng.IntN(20)))}
			if before := want[row]; ascending && len(before) > 0 {
				p.Other = before[len(before)-1].Other + 1 + int32(rng.IntN(1<<rng.IntN(20)))
			} else if ascending {
				p.Other = 0
			}
			m.Add(row, p)
			want[row] = append(want[row], p)
		}
		for row := range int32(3) {
			var got []posting
			entries := m.Row(row)
			for p := entries.Next(); p.Count > 0; p = entries.Next() {
				got = append(got, p)
			}
			var filled []posting
			entries = m.Row(row)
			for some := entries.Fill(make([]posting, 7)); len(some) > 0; some = entries.Fill(make([]posting, 1+rng.IntN(300))) {
				filled = append(filled, some...)
			}
			if !slices.Equal(got, want[row]) || !slices.Equal(filled, want[row]) || m.Len(row) != len(want[row]) {
				t.Errorf("ascending %t: row %d is not what was added", ascending, row)
			}
		}
	}
}

// TestWeights: AddTo adds factor times weight to the sums of a row's entries and to no other
// sum.
func TestWeights(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	m := newPostingWeights()
	m.Grow(2)
	const n = 70_000 // differences of one, two and three bytes
	want := make([]float64, n)
	for other := int32(0); other < n; other += 1 + int32(rng.IntN(1<<rng.IntN(16))) {
		w := float32(rng.NormFloat64())
		m.Add(1, other, w)
		want[other] = 1 - 2.5*float64(w)
	}
	sums := make([]float64, n)
	for i := range sums {
		sums[i] = 1
		if want[i] == 0 {
			want[i] = 1
		}
	}
	m.AddTo(1, -2.5, sums)
	m.AddTo(0, 7, sums)
	for i := range sums {
		if sums[i] != want[i] {
			t.Fatalf("sum %d is %g, want %g", i, sums[i], want[i])
		}
	}
}
