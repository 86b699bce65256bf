//go:build unix

package tokenizer_test

import (
	"strings"
	"testing"
	"time"

	"infbench/internal/testkit"
	"infbench/training/tokenizer"
)

// TestLinear tokenises 800 kB of one kind of text at once and in 16 parts; quadratic work would
// take 16 times as long at once.
func TestLinear(t *testing.T) {
	texts := generatedTexts(20)
	bpe, err := generatedBPE(texts)
	if err != nil {
		t.Fatal(err)
	}
	unigram, err := generatedUnigram(texts)
	if err != nil {
		t.Fatal(err)
	}
	for name, tok := range map[string]*tokenizer.Tokenizer{"WordPiece": toy(t), "BPE": bpe, "Unigram": unigram} {
		const parts = 16
		cost := func(text string, times int) time.Duration {
			start := testkit.ProcessorTime()
			for range times {
				tok.Tokenize(text)
			}
			return testkit.ProcessorTime() - start
		}
		for _, unit := range []string{"unfriendly é ", "a!", "aaaaaaaa", "[CLS", "中", "\u0301", " ", "\n ", "'"} {
			part := strings.Repeat(unit, 50_000/len(unit))
			apart := max(cost(part, parts), 10*time.Millisecond)
			whole := cost(strings.Repeat(part, parts), 1)
			for range 4 { // other work of the process in the meantime is counted, too
				if whole > 8*apart {
					whole = min(whole, cost(strings.Repeat(part, parts), 1))
				}
			}
			if whole > 8*apart {
				t.Errorf("%s, %q: 800 kB take %v at once, %v in %d parts", name, unit, whole, apart, parts)
			}
		}
	}
}
