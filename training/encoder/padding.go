package encoder

import "slices"

// countsPadding says that a network's absolute positions run along the padded row,
// so that padding on the left moves a text to other positions: transformers'
// BertModel and DistilBertModel.
func (e *Encoder) countsPadding() bool {
	_, counts := e.arch.(interface{ countsPadding() })
	return counts
}

// filled puts padding before ids where padding on the left tells: to limit tokens,
// as the reference code's evaluation does with every text. What a text's positions
// are must not depend on those it is read with.
func (e *Encoder) filled(ids []int32, limit int) []int32 {
	if e.config.Text.PaddingSide != Left || !e.countsPadding() || len(ids) >= limit {
		return ids
	}
	return append(slices.Repeat([]int32{e.PadID()}, limit-len(ids)), ids...)
}

// Place says which of the columns of a row hold the tokens of ids, [from,to), ids
// ending at to. Padding that ids begin with is none of them.
func (e *Encoder) Place(ids []int32, length int) (from, to int) {
	to = len(ids)
	if e.config.Text.PaddingSide != Left {
		return 0, to
	}
	if !e.countsPadding() {
		return length - to, length
	}
	for from < to-1 && ids[from] == e.PadID() {
		from++
	}
	return from, to
}
