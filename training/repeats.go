package training

import (
	"hash/fnv"

	"infbench/datasets"
)

// MasksUnsaid says whether equal texts are masked because the preset does, the
// configuration being silent.
func (c Config) MasksUnsaid() bool {
	preset, err := Fidelity(c.Fidelity)
	return err == nil && preset.False.Equal && c.saidOfEqual() == ""
}

// Repeats finds texts that equal one another where a loss can have the one as a negative
// of the other: passages, mined negatives that are the passage of a row, instructions
// with their queries. What false_negatives.equal says matters to data, and to a batch,
// that has some. Instructions that are drawn for a row are left out of it: the sampler
// counts none that equals the row's own. Texts are known by a hash of 64 bits.
type Repeats struct {
	passages, negatives, pairs map[uint64]bool

	mined   int  // negatives of a row that are taken
	queries bool // each row's instruction is read with all queries
}

// NewRepeats finds what repeats in records that c trains on.
func (c Config) NewRepeats() *Repeats { return newRepeats(c.Mined, c.IQTerm == QueryOnly) }

func newRepeats(mined int, queries bool) *Repeats {
	return &Repeats{map[uint64]bool{}, map[uint64]bool{}, map[uint64]bool{}, mined, queries}
}

// Add notes a record, and says whether some of its texts equal others so far.
func (r *Repeats) Add(record datasets.Record) (again bool) {
	for _, row := range record.Rows {
		negatives := row.Negatives[:min(r.mined, len(row.Negatives))]
		if r.add(Row{row.Instruction, row.Query, row.Passage}, negatives) {
			again = true
		}
	}
	return again
}

func (r *Repeats) add(row Row, negatives []string) (again bool) {
	instruction := row.Instruction
	if r.queries {
		instruction = ""
	}
	pair := hashed(instruction, row.Query)
	again = r.pairs[pair]
	r.pairs[pair] = true
	if row.hasPassage() {
		passage := hashed(row.Passage)
		again = again || r.passages[passage] || r.negatives[passage]
		r.passages[passage] = true
	}
	for _, text := range negatives {
		negative := hashed(text)
		again = again || r.passages[negative]
		r.negatives[negative] = true
	}
	return again
}

func hashed(texts ...string) uint64 {
	sum := fnv.New64a()
	for _, text := range texts {
		sum.Write(append([]byte(text), 0))
	}
	return sum.Sum64()
}

// repeats says whether some rows of a batch read as one another to a loss.
func (t *tokens) repeats(b Batch) bool {
	seen := newRepeats(0, b.Queries != nil)
	for _, i := range b.Rows {
		if seen.add(t.rows[i], nil) {
			return true
		}
	}
	return false
}
