package datasets

import "testing"

// TestShardsDivideACorpus: for all numbers, each document is in one shard, and sizes differ by at
// most one.
func TestShardsDivideACorpus(t *testing.T) {
	for _, n := range []int{0, 1, 6, 7, 8, 1000} {
		for _, of := range []int{1, 3, 7, 12} {
			at, least, most := 0, n, 0
			for number := 1; number <= of; number++ {
				from, to := Shard{number, of}.Bounds(n)
				if from != at || to < from {
					t.Fatalf("shard %d of %d of %d documents: from %d to %d, want from %d", number, of, n, from, to, at)
				}
				at, least, most = to, min(least, to-from), max(most, to-from)
			}
			if at != n || most-least > 1 {
				t.Errorf("%d shards of %d documents: they end at %d and have %d to %d", of, n, at, least, most)
			}
		}
	}
	if from, to := (Shard{}).Bounds(5); from != 0 || to != 5 {
		t.Errorf("the zero value is %d to %d of 5 documents", from, to)
	}
}
