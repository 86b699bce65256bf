package runners

import (
	"fmt"
	"math/bits"

	"infbench/internal/memory"
)

// indexForecast predicts the size of an index from the first documents of a corpus.
type indexForecast struct {
	Before, Now int // documents in the index before and after the last batch
	Documents   int // documents in the corpus; less than Now if unknown
}

// sampled is the number of documents after which the size is first predicted; it is predicted
// again whenever the number has doubled.
const sampled = 1024

// Fits returns an error if the index will not fit into memory, given the bytes for its
// documents and for its terms so far, and those of a search. It assumes that no new terms will
// occur: they become rarer and rarer, and this refuses nothing that would fit.
func (f indexForecast) Fits(documents, terms, search int64) error {
	if f.Documents < f.Now || f.Now < sampled || bits.Len(uint(f.Now/sampled)) == bits.Len(uint(f.Before/sampled)) {
		return nil
	}
	need := int64(float64(documents) / float64(f.Now) * float64(f.Documents-f.Now))
	if err := memory.For(need + search); err != nil {
		return fmt.Errorf("the index of %d documents takes at least %s: %w", f.Documents, memory.Size(documents+terms+need), err)
	}
	return nil
}
