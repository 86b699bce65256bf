package encoder

import "slices"

// countsPadding says that a network's absolute positions run along the padded row,
// so that padding on the left moves a text to other positions: transformers'
// BertModel and DistilBertModel.
func (t *Tokens) countsPadding() bool {
	_, counts := t.arch.(interface{ countsPadding() })
	return counts
}

// filled puts padding before ids where padding on the left tells: to limit tokens,
// as the reference code's evaluation does with every text. What a text's positions
// are must not depend on those it is read with.
func (t *Tokens) filled(ids []int32, limit int) []int32 {
	if t.config.Text.PaddingSide != Left || !t.countsPadding() || len(ids) >= limit {
		return ids
	}
	return append(slices.Repeat([]int32{t.PadID()}, limit-len(ids)), ids...)
}

// Place says which of the columns of a row hold the tokens of ids, [from,to), ids
// ending at to. Padding that ids begin with is none of them.
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
