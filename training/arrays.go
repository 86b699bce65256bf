package training

import (
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/tensors"
)

// arrays are one batch as a program takes it; see encoded.
type arrays struct {
	sequences                      [][]int32       // to embed
	tokens                         *tokens         // that pad them
	pairs                          *tensors.Tensor // [N+mixed, 2] where instruction and query are read apart
	instructions, counted, queries *tensors.Tensor
	anchored                       *tensors.Tensor // [N] of rows some of which have no passage; else [1, 1]
	labels, teacher, widths, guide *tensors.Tensor // of modifiers, [1, 1] where none asks; see judged
	seeds                          [2]uint64       // of dropout
}

// besides is how many arrays a loss takes beside vectors.
const besides = 9

// beside lists them, in the order in which stepper.scores reads them.
func (a arrays) beside() []any {
	return []any{a.pairs, a.instructions, a.counted, a.queries, a.anchored, a.labels, a.teacher, a.widths, a.guide}
}

// key is that of dropout in a part of the batch.
func (a arrays) key(part int) *tensors.Tensor {
	rng := rand.NewPCG(a.seeds[0]+uint64(part), a.seeds[1])
	return tensors.FromValue([]uint64{rng.Uint64(), rng.Uint64(), rng.Uint64()})
}

// arrays encodes batches and counts their tokens, padding left out.
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
			labels:       rectangle(e.labels, number),
			teacher:      rectangle(taught, single),
			widths:       vector(b.Widths),
			guide:        guide,
			seeds:        b.Dropout,
		})
	}
	return list, count, nil
}

// present is the number of a sequence's tokens that are none of padding.
func (t *tokens) present(sequence []int32) int {
	from, to := t.encoder.Tokens().Place(sequence, len(sequence))
	return to - from
}

// vector is [N], [1, 1] where there is none, which is told by its rank.
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

// anchored says which rows of a batch have a passage.
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

// rectangle makes an [N, C] array of rows of equal length, of type B; [1, 1]
// where there are none, as the graph wants every input.
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
