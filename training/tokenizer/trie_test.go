package tokenizer

import (
	"math/rand/v2"
	"testing"
)

// TestTrie compares with a lookup of every prefix, longest first.
func TestTrie(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	text := func(most int) string {
		b := make([]byte, rng.IntN(most+1))
		for i := range b {
			b[i] = "abcdefghijkl\x00\xff"[rng.IntN(14)]
		}
		return string(b)
	}
	for _, size := range []int{0, 1, 20, 2000} {
		pieces := map[string]int32{}
		for range size {
			pieces[text(5)] = rng.Int32N(1000)
		}
		tree := newTrie(pieces)
		for range 2000 {
			s := text(8)
			wantID, want := int32(0), 0
			for n := len(s); n > 0 && want == 0; n-- {
				if id, ok := pieces[s[:n]]; ok {
					wantID, want = id, n
				}
			}
			if id, n := tree.longest(s); n != want || id != wantID {
				t.Fatalf("%d pieces, %q: id %d of %d bytes, want %d of %d", size, s, id, n, wantID, want)
			}
		}
	}
}
