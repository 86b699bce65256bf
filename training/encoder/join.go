package encoder

import (
	"strings"

	"infbench/training/tokenizer"
)

// cutting returns a tokenizer that cuts long texts on a side; "" means the file's side.
func cutting(t *tokenizer.Tokenizer, side Edge) *tokenizer.Tokenizer {
	if t == nil || side == "" {
		return t
	}
	return t.Cutting(side == Left)
}

// joined joins the ids of a query and its instruction, each with special tokens, in the order and
// with the text of the template.
func (t *Tokens) joined(query, instruction string) []int32 {
	text := &t.config.Text
	texts := []string{query, instruction}
	around := places(text.Query, "{query}", "{instruction}")
	if strings.Index(text.Query, "{instruction}") < strings.Index(text.Query, "{query}") {
		texts = []string{instruction, query}
		around = places(text.Query, "{instruction}", "{query}")
	}
	var written [3][]int32
	room := t.config.maxTokens
	for i, piece := range around {
		written[i] = t.tokenizer.Tokenize(piece)
		room -= len(written[i])
	}
	parts := [2][]int32{t.of(texts[0], text.MaxQuery), t.of(texts[1], text.MaxQuery)}
	if over := len(parts[0]) + len(parts[1]) - room; t.config.maxTokens > 0 && over > 0 {
		cut := 1
		if text.TruncationSide == Left {
			cut = 0
		}
		// Tokens beyond the network's positions are removed from one text first, down to its
		// special tokens, then from the other.
		for _, i := range []int{cut, 1 - cut} {
			short := t.of(texts[i], max(len(parts[i])-over, len(t.of("", 0))))
			over -= len(parts[i]) - len(short)
			parts[i] = short
			if over <= 0 {
				break
			}
		}
	}
	var ids []int32
	for _, piece := range [][]int32{written[0], parts[0], written[1], parts[1], written[2]} {
		ids = append(ids, piece...)
	}
	if t.config.maxTokens > 0 && len(ids) > t.config.maxTokens { // the special tokens alone are too many
		ids = ids[:t.config.maxTokens]
	}
	return ids
}

// places returns the text that a template writes before, between and after two places.
func places(template, first, second string) [3]string {
	before, rest, _ := strings.Cut(template, first)
	between, after, _ := strings.Cut(rest, second)
	return [3]string{before, between, after}
}
