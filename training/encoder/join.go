package encoder

import (
	"strings"

	"infbench/training/tokenizer"
)

// cutting is a tokenizer that cuts long texts on a side; none is the file's own.
func cutting(t *tokenizer.Tokenizer, side Edge) *tokenizer.Tokenizer {
	if t == nil || side == "" {
		return t
	}
	return t.Cutting(side == Left)
}

// joinTokens joins the ids of a query and its instruction, each with special
// tokens, in the order of the template and with what it writes around them.
func (e *Encoder) joinTokens(query, instruction string) []int32 {
	t := &e.config.Text
	texts := []string{query, instruction}
	around := places(t.Query, "{query}", "{instruction}")
	if strings.Index(t.Query, "{instruction}") < strings.Index(t.Query, "{query}") {
		texts = []string{instruction, query}
		around = places(t.Query, "{instruction}", "{query}")
	}
	var written [3][]int32
	room := e.config.maxTokens
	for i, text := range around {
		written[i] = e.tokenizer.Tokenize(text)
		room -= len(written[i])
	}
	parts := [2][]int32{e.tokens(texts[0], t.MaxQuery), e.tokens(texts[1], t.MaxQuery)}
	if over := len(parts[0]) + len(parts[1]) - room; e.config.maxTokens > 0 && over > 0 {
		cut := 1
		if t.TruncationSide == Left {
			cut = 0
		}
		// What a network has no positions for comes off one text first, but for its
		// special tokens, then off the other.
		for _, i := range []int{cut, 1 - cut} {
			short := e.tokens(texts[i], max(len(parts[i])-over, len(e.tokens("", 0))))
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
	if e.config.maxTokens > 0 && len(ids) > e.config.maxTokens { // special tokens alone are too many
		ids = ids[:e.config.maxTokens]
	}
	return ids
}

// places is what a template writes before, between and after two places.
func places(template, first, second string) [3]string {
	before, rest, _ := strings.Cut(template, first)
	between, after, _ := strings.Cut(rest, second)
	return [3]string{before, between, after}
}
