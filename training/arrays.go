package training

import (
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/tensors"
)

// arrays holds one batch in the form that a program takes; see encoded.
type arrays struct {
	sequences                      [][]int32       // sequences to embed
	tokens                         *tokens         // pads the sequences
	pairs                          *tensors.Tensor // [N+mixed, 2] if instruction and query are encoded separately
	instructions, counted, queries *tensors.Tensor
	anchored                       *tensors.Tensor // [N] if some rows have no passage; else [1, 1]
	among                          *tensors.Tensor // [N, N] if rows are contrasted with some of the others; else [1, 1]
	labels, teacher, widths, guide *tensors.Tensor // for modifiers; [1, 1] if unused; see judged
	seeds                          [2]uint64       // dropout seeds
}

// extraArrays is the number of arrays that a loss takes in addition to the vectors.
const extraArrays = 10

// extras lists these arrays in the order in which stepper.scores reads them.
func (a arrays) extras() []any {
	return []any{a.pairs, a.instructions, a.counted, a.queries, a.anchored, a.labels, a.teacher, a.widths, a.guide, a.among}
}

// key is the dropout key for a part of the batch.
func (a arrays) key(part int) *tensors.Tensor {
	rng := rand.NewPCG(a.seeds[0]+uint64(part), a.seeds[1])
	return tensors.FromValue([]uint64{rng.Uint64(), rng.Uint64(), rng.Uint64()})
}

// arrays encodes batches and counts their tokens without padding.
func (t *tokens) arrays(batches []Batch, mixed int) (list []arrays, count int, err error) {
	for _, b := range batches {
		e := t.encode(b, mixed)
		guide, err := t.guideVectors(e, b, mixed)
		if err != nil {
			return nil, 0, err
		}
		taught, err := t.taught(b)
		if err != nil {
			return nil, 0, err
		}
		for _, sequence := range e.sequences {
			count += t.present(sequence)
		}
		list = append(list, arrays{
			sequences: e.sequences, tokens: t,
			pairs:        rectangle(e.pairs, number),
			instructions: rectangle(e.instructions, number),
			counted:      rectangle(b.Counted, indicator),
			queries:      rectangle(e.queries, number),
			anchored:     t.anchored(b),
			among:        rectangle(b.among(), indicator),
			labels:       rectangle(e.labels, number),
			teacher:      rectangle(taught, single),
			widths:       vector(b.Widths),
			guide:        guide,
			seeds:        b.Dropout,
		})
	}
	return list, count, nil
}

// present is the number of tokens of a sequence without padding.
func (t *tokens) present(sequence []int32) int {
	from, to := t.encoder.Tokens().Place(sequence, len(sequence))
	return to - from
}

// vector returns list as [N]; an empty list becomes [1, 1], recognised by its rank.
func vector(list []float64) *tensors.Tensor {
	if len(list) == 0 {
		return rectangle(nil, single)
	}
	flat := make([]float32, len(list))
	for i, w := range list {
		flat[i] = single(w)
	}
	return tensors.FromFlatDataAndDimensions(flat, len(flat))
}

// anchored marks the rows of a batch that have a passage.
func (t *tokens) anchored(b Batch) *tensors.Tensor {
	if !t.bare {
		return rectangle(nil, indicator)
	}
	flat := make([]float32, len(b.Rows))
	for i, row := range b.Rows {
		flat[i] = indicator(t.rows[row].hasPassage())
	}
	return tensors.FromFlatDataAndDimensions(flat, len(flat))
}

// rectangle makes an [N, C] array of type B from rows of equal length. No rows become [1, 1],
// because the graph needs every input.
func rectangle[A any, B int32 | float32](rows [][]A, value func(A) B) *tensors.Tensor {
	if len(rows) == 0 {
		return tensors.FromFlatDataAndDimensions([]B{0}, 1, 1)
	}
	var flat []B
	for _, row := range rows {
		for _, x := range row {
			flat = append(flat, value(x))
		}
	}
	return tensors.FromFlatDataAndDimensions(flat, len(rows), len(rows[0]))
}

func number(i int32) int32 { return i }

func single(x float64) float32 { return float32(x) }

func indicator(b bool) float32 {
	if b {
		return 1
	}
	return 0
}
