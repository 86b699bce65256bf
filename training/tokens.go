package training

import (
	"fmt"

	"github.com/gomlx/gomlx/core/tensors"

	"infbench/training/encoder"
)

// tokens turns batches into the arrays that a step takes. Anchors and
// passages are tokenised once; the instruction-query pairs that terms mix are
// too many for that and are tokenised when they are drawn.
type tokens struct {
	encoder           *encoder.Encoder
	rows              []Row
	anchors, passages [][]int32
	length            int // of every padded sequence
}

// newTokens tokenises rows. With mixed pairs, length leaves room for the
// longest query under the longest instruction.
func newTokens(enc *encoder.Encoder, rows []Row, mixed bool) *tokens {
	t := &tokens{encoder: enc, rows: rows}
	longest := 0
	var query, instruction int
	queries, instructions := map[string]int{}, map[string]int{}
	for i, row := range rows {
		t.anchors = append(t.anchors, enc.QueryTokens(row.Query, row.Instruction))
		t.passages = append(t.passages, enc.DocumentTokens("", row.Passage))
		longest = max(longest, len(t.anchors[i]), len(t.passages[i]))
		if !mixed {
			continue
		}
		if _, seen := queries[row.Query]; !seen {
			queries[row.Query] = len(enc.QueryTokens(row.Query, ""))
		}
		if _, seen := instructions[row.Instruction]; !seen {
			instructions[row.Instruction] = len(enc.QueryTokens("", row.Instruction))
		}
		if queries[row.Query] > queries[rows[query].Query] {
			query = i
		}
		if instructions[row.Instruction] > instructions[rows[instruction].Instruction] {
			instruction = i
		}
	}
	if mixed {
		longest = max(longest, len(t.pair(instruction, query)))
	}
	t.length = longest
	return t
}

// pair is row j's instruction with row k's query.
func (t *tokens) pair(j, k int) []int32 {
	return t.encoder.QueryTokens(t.rows[k].Query, t.rows[j].Instruction)
}

// encoded is a batch as the step graph takes it: sequences to embed, and which
// of their vectors the candidates of each anchor are.
type encoded struct {
	sequences    [][]int32 // passages, anchors, then the mixed pairs
	instructions [][]int32 // for each anchor: anchors or mixed pairs, counted from the first anchor
	queries      [][]int32
}

// encode lists the sequences of a batch. A candidate that reads like an anchor
// or like another candidate borrows its vector: the hard negative of two rows in
// three costs nothing. Mixed pairs are filled up to mixed, so that one graph fits
// all batches.
func (t *tokens) encode(b Batch, mixed int) encoded {
	var e encoded
	known := map[Row]int32{} // pairs without their passage
	for _, i := range b.Rows {
		e.sequences = append(e.sequences, t.passages[i])
	}
	for a, i := range b.Rows {
		e.sequences = append(e.sequences, t.anchors[i])
		known[Row{Instruction: t.rows[i].Instruction, Query: t.rows[i].Query}] = int32(a)
	}
	n := len(b.Rows)
	number := func(j, k int) int32 {
		pair := Row{Instruction: t.rows[j].Instruction, Query: t.rows[k].Query}
		at, ok := known[pair]
		if !ok {
			at = int32(len(e.sequences) - n)
			known[pair] = at
			e.sequences = append(e.sequences, t.pair(j, k))
		}
		return at
	}
	for a, others := range b.Instructions {
		e.instructions = append(e.instructions, nil)
		for _, j := range others {
			e.instructions[a] = append(e.instructions[a], number(j, b.Rows[a]))
		}
	}
	for a, others := range b.Queries {
		e.queries = append(e.queries, nil)
		for _, k := range others {
			e.queries[a] = append(e.queries[a], number(b.Rows[a], k))
		}
	}
	for len(e.sequences) < 2*n+mixed {
		e.sequences = append(e.sequences, nil) // padding that nothing refers to
	}
	return e
}

// pad returns ids int32 [B, length] and mask bool [B, length] of sequences,
// padded on the right, and the number of tokens that are no padding.
func (t *tokens) pad(sequences [][]int32) (ids, mask *tensors.Tensor, count int, err error) {
	flat := make([]int32, len(sequences)*t.length)
	present := make([]bool, len(flat))
	pad := t.encoder.PadID()
	for i, sequence := range sequences {
		if len(sequence) > t.length {
			return nil, nil, 0, fmt.Errorf("a text of %d tokens exceeds the %d that the longest query and the longest instruction take together",
				len(sequence), t.length)
		}
		count += len(sequence)
		for k := range t.length {
			at := i*t.length + k
			if k < len(sequence) {
				flat[at], present[at] = sequence[k], true
			} else {
				flat[at] = pad
			}
		}
	}
	ids = tensors.FromFlatDataAndDimensions(flat, len(sequences), t.length)
	mask = tensors.FromFlatDataAndDimensions(present, len(sequences), t.length)
	return ids, mask, count, nil
}
