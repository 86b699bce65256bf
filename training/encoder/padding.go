package encoder

import "slices"

// countsPadding reports whether a network's absolute positions run along the padded row, so that
// padding on the left moves a text to other positions, as in transformers' BertModel and
// DistilBertModel.
func (t *Tokens) countsPadding() bool {
	_, counts := t.arch.(interface{ countsPadding() })
	return counts
}

// filled puts padding before ids, up to limit tokens, if padding is on the left and matters. The
// reference code's evaluation does so with every text. The positions of a text must not depend on
// the other texts of its batch.
func (t *Tokens) filled(ids []int32, limit int) []int32 {
	if t.config.Text.PaddingSide != Left || !t.countsPadding() || len(ids) >= limit {
		return ids
	}
	return append(slices.Repeat([]int32{t.PadID()}, limit-len(ids)), ids...)
}

// Place returns the columns [from,to) of a row that hold the tokens of ids; ids end at column to.
// Padding at the start of ids is not included.
func (t *Tokens) Place(ids []int32, length int) (from, to int) {
	to = len(ids)
	if t.config.Text.PaddingSide != Left {
		return 0, to
	}
	if !t.countsPadding() {
		return length - to, length
	}
	for from < to-1 && ids[from] == t.PadID() {
		from++
	}
	return from, to
}
