package scores

import (
	"slices"
	"testing"

	"infbench/runners/results"
)

// TestChunkNotes checks that a chunk size chosen by the program is noted, and a configured
// one is not.
func TestChunkNotes(t *testing.T) {
	set, half, less := results.Provenance{}, results.Provenance{Chunk: 8}, results.Provenance{Chunk: 4}
	for _, c := range []struct {
		made []results.Provenance
		want []string
	}{
		{[]results.Provenance{set, set}, nil},
		{[]results.Provenance{set, half, less}, []string{
			"b ran out of memory in 1 of 1 training run and was trained 8 sequences at a time, not as its settings say. The loss is the same, but rounded differently, and training amplifies such differences.",
			"c ran out of memory in 1 of 1 training run and was trained 4 sequences at a time, not as its settings say. The loss is the same, but rounded differently, and training amplifies such differences.",
		}},
	} {
		if got := ChunkNotes(builtAs(t, c.made...)); !slices.Equal(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
