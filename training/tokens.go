package training

import (
	"fmt"

	"github.com/gomlx/gomlx/core/tensors"

	"infbench/training/encoder"
)

// lengthMultiple is what sequence lengths are rounded up to: the reference
// trainer pads to multiples of 8 as well.
const lengthMultiple = 8

// tokens turns batches into the two arrays the step graph takes. Anchors and
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
	t.length = (longest + lengthMultiple - 1) / lengthMultiple * lengthMultiple
	if limit := enc.Config().MaxPositionEmbeddings; limit > 0 {
		t.length = min(t.length, limit)
	}
	return t
}

// pair is row j's instruction with row k's query.
func (t *tokens) pair(j, k int) []int32 {
	return t.encoder.QueryTokens(t.rows[k].Query, t.rows[j].Instruction)
}

// sequences lists the token sequences of a batch in the order in which embedded
// takes their vectors apart: passages, anchors, instruction candidates anchor by
// anchor, query candidates anchor by anchor.
func (t *tokens) sequences(b Batch) [][]int32 {
	var list [][]int32
	for _, i := range b.Rows {
		list = append(list, t.passages[i])
	}
	for _, i := range b.Rows {
		list = append(list, t.anchors[i])
	}
	for a, others := range b.Instructions {
		for _, j := range others {
			list = append(list, t.pair(j, b.Rows[a]))
		}
	}
	for a, others := range b.Queries {
		for _, k := range others {
			list = append(list, t.pair(b.Rows[a], k))
		}
	}
	return list
}

// pad returns ids int32 [B, length] and mask bool [B, length] of sequences,
// padded on the right, and the number of tokens that are no padding.
func (t *tokens) pad(sequences [][]int32) (ids, mask *tensors.Tensor, count int, err error) {
	flat := make([]int32, len(sequences)*t.length)
	real := make([]bool, len(flat))
	for i, sequence := range sequences {
		if len(sequence) > t.length {
			return nil, nil, 0, fmt.Errorf("a text of %d tokens exceeds the %d that the longest query and the longest instruction take together",
				len(sequence), t.length)
		}
		count += len(sequence)
		for k := range t.length {
			at := i*t.length + k
			if k < len(sequence) {
				flat[at], real[at] = sequence[k], true
			} else {
				flat[at] = t.encoder.PadID()
			}
		}
	}
	ids = tensors.FromFlatDataAndDimensions(flat, len(sequences), t.length)
	mask = tensors.FromFlatDataAndDimensions(real, len(sequences), t.length)
	return ids, mask, count, nil
}
