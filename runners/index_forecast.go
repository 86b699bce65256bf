package runners

import (
	"fmt"
	"math/bits"

	"infbench/internal/memory"
)

// indexForecast tells from the first documents of a corpus what its index will take.
type indexForecast struct {
	Before, Now int // documents in the index before the last batch, and with it
	Documents   int // of the corpus; less than Now where that is not known
}

// sampled is after how many documents it is told what an index will take; then again
// whenever it has twice as many.
const sampled = 1024

// Fits refuses an index that will not fit into memory, given the bytes that it takes for
// its documents and for its terms so far, and those that a search will take. No term is
// expected that was not met yet: new ones become rarer and rarer, and nothing that would
// fit is refused.
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
