package datasets

import (
	"iter"
	"slices"
)

// Row is one training example: an instruction with a query, and the passage that
// answers both.
type Row struct {
	Instruction, Query, Passage string

	// Negatives are passages that a corpus gives as no answers, in its order. No loss
	// reads them yet: other rows' passages are what a row is contrasted with.
	Negatives []string `json:"-"`
}

// Record is one line of training data, the rows of which stay together in a batch.
type Record struct {
	ID   string
	Rows []Row
}

// Texts lists the texts of a record, of a query or an instruction that several of its
// rows share one.
func (r Record) Texts() iter.Seq[string] {
	queries, instructions := r.Rows[:1], r.Rows[:1]
	switch {
	case len(r.Rows) > 2:
		queries, instructions = []Row{r.Rows[0], r.Rows[2]}, r.Rows[:2]
	case len(r.Rows) == 2 && r.Rows[0].Query == r.Rows[1].Query:
		instructions = r.Rows
	default:
		queries = r.Rows
	}
	var texts []string
	for _, row := range queries {
		texts = append(texts, row.Query)
	}
	for _, row := range instructions {
		if row.Instruction != "" {
			texts = append(texts, row.Instruction)
		}
	}
	for _, row := range r.Rows {
		texts = append(texts, row.Passage)
	}
	for _, row := range r.Rows {
		texts = append(texts, row.Negatives...)
	}
	return slices.Values(texts)
}

// Shape says which poisoned sides every record of a corpus has, and so how many rows
// it makes: one of the positive triple, one more under a poisoned instruction, one
// more under a poisoned query.
type Shape struct{ Instruction, Query bool }

// TripletShape is that of InF-IR's records.
var TripletShape = Shape{Instruction: true, Query: true}

// Rows, Instructions and Queries are how many a record has.
func (s Shape) Rows() int         { return s.Instructions() + s.Queries() - 1 }
func (s Shape) Instructions() int { return oneMore(s.Instruction) }
func (s Shape) Queries() int      { return oneMore(s.Query) }

func oneMore(more bool) int {
	if more {
		return 2
	}
	return 1
}

// Record flattens a triplet in the order of the reference code: (I+, Q+, P+),
// (I-, Q+, P1-), (I+, Q-, P2-). A poisoned side that the corpus does not have makes
// no row.
func (t Triplet) Record() Record {
	r := Record{ID: t.ID, Rows: []Row{{Instruction: t.InstructionPositive, Query: t.QueryPositive, Passage: t.Positive}}}
	if t.InstructionNegative != "" {
		r.Rows = append(r.Rows, Row{Instruction: t.InstructionNegative, Query: t.QueryPositive, Passage: t.HardNegative1})
	}
	if t.QueryNegative != "" {
		r.Rows = append(r.Rows, Row{Instruction: t.InstructionPositive, Query: t.QueryNegative, Passage: t.HardNegative2})
	}
	return r
}
