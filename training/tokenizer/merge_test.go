package tokenizer

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// randomBPE has n merges of pieces over 6 letters.
func randomBPE(rng *rand.Rand, n int) (*bpe, map[pair]merge) {
	m, all := &bpe{merges: newPairs(n)}, map[pair]merge{}
	for next := int32(6); len(all) < n; next++ {
		p := pair{rng.Int32N(next), rng.Int32N(next)}
		if _, ok := all[p]; !ok {
			all[p] = merge{int32(len(all)), next}
			m.merges.add(p, all[p])
		}
	}
	return m, all
}

// mergeSlowly implements the definition: it repeatedly applies the merge that was learnt first.
func mergeSlowly(ids []int32, merges map[pair]merge) []int32 {
	ids = slices.Clone(ids)
	for {
		at, first := -1, merge{rank: noMerge}
		for i := range len(ids) - 1 {
			if m, ok := merges[pair{ids[i], ids[i+1]}]; ok && m.rank < first.rank {
				at, first = i, m
			}
		}
		if at < 0 {
			return ids
		}
		ids[at] = first.id
		ids = slices.Delete(ids, at+1, at+2)
	}
}

// TestMerges checks both ways of merging against the definition.
func TestMerges(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		m, all := randomBPE(rng, 1+rng.IntN(60))
		ids := make([]int32, rng.IntN(shortWord)+1)
		for i := range ids {
			ids[i] = rng.Int32N(6)
		}
		want := mergeSlowly(ids, all)
		short, long := slices.Clone(ids), slices.Clone(ids)
		if got := short[:m.mergeShort(short)]; !slices.Equal(got, want) {
			t.Fatalf("short: %v became %v, want %v", ids, got, want)
		}
		if got := long[:m.mergeLong(long)]; !slices.Equal(got, want) {
			t.Fatalf("long: %v became %v, want %v", ids, got, want)
		}
	}
}

// TestPairs finds only the added pairs, the last one of equal pairs.
func TestPairs(t *testing.T) {
	table := newPairs(1000)
	want := map[pair]merge{}
	for i := range int32(1000) {
		p := pair{i % 70, i / 50}
		want[p] = merge{i, i + 7}
		table.add(p, want[p])
	}
	for left := range int32(80) {
		for right := range int32(80) {
			p := pair{left, right}
			m, ok := want[p]
			if !ok {
				m.rank = noMerge
			}
			if got := table.find(p); got != m {
				t.Fatalf("%v: %v, want %v", p, got, m)
			}
		}
	}
	if got := newPairs(0).find(pair{}); got.rank != noMerge {
		t.Errorf("an empty table holds %v", got)
	}
}
