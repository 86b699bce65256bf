package mixture

import (
	"hash/fnv"

	"infbench/datasets"
)

// Repeats finds equal texts of records that a loss may use as negatives of each other: passages,
// mined negatives that are the passage of a row, instructions with their queries. Only for these
// does the treatment of equal texts in training matter. Texts are identified by a hash of 64 bits.
type Repeats struct {
	passages, negatives, pairs map[uint64]bool

	mined   int
	queries bool
}

// NewRepeats finds repeats for rows with mined negatives each. queries selects whether an
// instruction is read with all queries of a batch or only with its own.
func NewRepeats(mined int, queries bool) *Repeats {
	return &Repeats{map[uint64]bool{}, map[uint64]bool{}, map[uint64]bool{}, mined, queries}
}

// Add adds a record, and reports whether one of its texts equals an earlier one.
func (r *Repeats) Add(record datasets.Record) (again bool) {
	for _, row := range record.Rows {
		again = r.AddRow(row) || again
	}
	return again
}

// AddRow is like Add for a row.
func (r *Repeats) AddRow(row datasets.Row) (again bool) {
	if r.queries {
		row.Instruction = ""
	}
	pair := hashed(row.Instruction, row.Query)
	again = r.pairs[pair]
	r.pairs[pair] = true
	if row.Passage != "" {
		passage := hashed(row.Passage)
		again = again || r.passages[passage] || r.negatives[passage]
		r.passages[passage] = true
	}
	for _, text := range row.Negatives[:min(r.mined, len(row.Negatives))] {
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
