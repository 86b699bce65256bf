package runners

import (
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
	"testing"

	"infbench/datasets"
	"infbench/internal/memory"
)

// rareWords is a corpus in which each document brings new terms, but fewer the later it comes.
// It is the hardest case for an early prediction.
type rareWords int

func (n rareWords) Len() int { return int(n) }

func (n rareWords) Documents() iter.Seq2[datasets.Document, error] {
	return func(yield func(datasets.Document, error) bool) {
		random, words := rand.New(rand.NewPCG(1, 1)), make([]string, 40)
		for i := range int(n) {
			for j := range words {
				words[j] = fmt.Sprint("w", random.IntN(50_000))
			}
			if !yield(datasets.Document{ID: fmt.Sprint("d", i), Text: strings.Join(words, " ")}, nil) {
				return
			}
		}
	}
}

// TestIndexFits: an index is refused early if it cannot fit, and only then.
func TestIndexFits(t *testing.T) {
	defer memory.Limit(256 << 20)()
	build := func(documents int) error {
		_, err := buildIndex(t.Context(), &datasets.Task{Name: "test", Corpus: rareWords(documents)}, knownBM25()[0])
		return err
	}
	if err := build(60_000); err != nil {
		t.Errorf("an index of some 30 MiB: %v", err)
	}
	if full := new(memory.Full); !errors.As(build(5_000_000), &full) || full.Bound != 256<<20 {
		t.Errorf("an index of more than the memory: %v", full)
	}
}

// TestIndexOfShard: an index of a shard takes its share of the memory, wherever in the corpus
// the shard is, and has the statistics of the complete corpus.
func TestIndexOfShard(t *testing.T) {
	build := func(shard datasets.Shard) *index {
		ix, err := buildIndex(t.Context(), &datasets.Task{Name: "test", Corpus: rareWords(4_000), Shard: shard}, knownBM25()[0])
		if err != nil {
			t.Fatal(err)
		}
		return ix
	}
	whole := build(datasets.Shard{})
	for n := 1; n <= 8; n++ {
		ix := build(datasets.Shard{Number: n, Of: 8})
		if share := float64(ix.packedBytes()) / float64(whole.packedBytes()); share > 0.2 {
			t.Errorf("shard %d takes %.2f of the whole", n, share)
		}
		if len(ix.vocabulary) != len(whole.vocabulary) || ix.total != whole.total {
			t.Fatalf("shard %d has %d terms and %d words of %d and %d", n, len(ix.vocabulary), ix.total, len(whole.vocabulary), whole.total)
		}
		for term := range int32(len(ix.vocabulary)) {
			if ix.frequency(term) != whole.frequency(term) {
				t.Fatalf("shard %d: term %d is in %d documents, in the complete corpus in %d", n, term, ix.frequency(term), whole.frequency(term))
			}
		}
	}
}
