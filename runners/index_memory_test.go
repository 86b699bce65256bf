package runners

import (
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
	"testing"

	"infbench/datasets"
	"infbench/datasets/room"
)

// rareWords is a corpus whose documents bring terms that were not met before, the more of
// them the fewer documents there were: the hardest case for telling early what all take.
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

// An index is refused early where it cannot fit, and only there.
func TestIndexFits(t *testing.T) {
	defer room.Limit(256 << 20)()
	build := func(documents int) error {
		_, err := buildIndex(t.Context(), &datasets.Task{Name: "test", Corpus: rareWords(documents)}, knownBM25()[0])
		return err
	}
	if err := build(60_000); err != nil {
		t.Errorf("an index of some 30 MiB: %v", err)
	}
	if full := new(room.Full); !errors.As(build(5_000_000), &full) || full.Bound != 256<<20 {
		t.Errorf("an index of more than the memory: %v", full)
	}
}
