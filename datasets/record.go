package datasets

import "slices"

// Row is one training example: an instruction with a query, and the passage that
// answers both.
type Row struct {
	Instruction, Query, Passage string

	// Negatives are passages that a corpus marks as wrong answers, in its order. Training uses as
	// many of them as train.negatives says.
	Negatives []string `json:"-"`

	// Scores are a teacher's scores. If a record is one row, they are of the passage and each of
	// the negatives; if it has several rows, of the passage of each. Empty without a teacher.
	Scores []float64 `json:"-"`
}

// Record is one line of training data; its rows stay together in a batch.
type Record struct {
	ID   string
	Rows []Row
}

// Queries lists the query of a record, then the poisoned one.
func (r Record) Queries() []string {
	queries := []string{r.Rows[0].Query}
	if last := r.Rows[len(r.Rows)-1]; len(r.Rows) > 2 || last.Query != r.Rows[0].Query {
		queries = append(queries, last.Query)
	}
	return queries
}

// Instructions lists the instruction of a record, then the poisoned one; it is empty without an
// instruction.
func (r Record) Instructions() []string {
	if r.Rows[0].Instruction == "" {
		return nil
	}
	instructions := []string{r.Rows[0].Instruction}
	if len(r.Rows) >= len(r.Queries())+1 {
		instructions = append(instructions, r.Rows[1].Instruction)
	}
	return instructions
}

// Passages lists the answer of each row, except missing ones (Shape.Bare).
func (r Record) Passages() []string {
	var passages []string
	for _, row := range r.Rows {
		if row.Passage != "" {
			passages = append(passages, row.Passage)
		}
	}
	return passages
}

// Negatives lists the passages marked as wrong answers.
func (r Record) Negatives() []string {
	var negatives []string
	for _, row := range r.Rows {
		negatives = append(negatives, row.Negatives...)
	}
	return negatives
}

// Texts lists the texts of a record. A query or an instruction shared by several rows is listed
// once.
func (r Record) Texts() []string {
	return slices.Concat(r.Queries(), r.Instructions(), r.Passages(), r.Negatives())
}

// Shape describes the poisoned sides of a corpus's records, and with them the number of rows per
// record: one for the positive triple, one more for a poisoned instruction, one more for a poisoned
// query.
type Shape struct {
	Instruction, Query bool

	// Bare means that the poisoned sides lack the passages that answer them (mixture.Drop).
	Bare bool
}

// TripletShape is the shape of InF-IR's records.
var TripletShape = Shape{Instruction: true, Query: true}

// Rows, Instructions and Queries return how many of each a record has.
func (s Shape) Rows() int         { return s.Instructions() + s.Queries() - 1 }
func (s Shape) Instructions() int { return oneMore(s.Instruction) }
func (s Shape) Queries() int      { return oneMore(s.Query) }

func oneMore(more bool) int {
	if more {
		return 2
	}
	return 1
}

// Record flattens a triplet in the order of the reference code: (I+, Q+, P+), (I-, Q+, P1-), (I+,
// Q-, P2-). A poisoned side that the corpus lacks has no row.
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
