package tokenizer

import (
	"fmt"
	"maps"
	"slices"
)

// Within returns the tokenizer for a network with a table of size rows. Added special tokens beyond
// the table are ordinary text: Gemma 3's tokenizer has one for images, for which its text models
// have no row. It is an error if other tokens are beyond the table, or special tokens that surround
// or pad texts.
func (t *Tokenizer) Within(size int) (*Tokenizer, error) {
	if t.size <= size {
		return t, nil
	}
	beyond := func(id int32) bool { return int(id) >= size }
	for token, id := range t.ids {
		_, ofModel := t.model.vocabulary()[token]
		if beyond(id) && (ofModel || !t.special[id]) {
			return nil, tooMany(t.size, size)
		}
	}
	for _, l := range []layout{t.template.single, t.template.pair} {
		for _, p := range l.places {
			if slices.ContainsFunc(p.ids, beyond) {
				return nil, tooMany(t.size, size)
			}
		}
	}
	if beyond(t.pad) {
		return nil, tooMany(t.size, size)
	}
	other := *t
	other.raw, other.normalised = t.raw.without(beyond), t.normalised.without(beyond)
	other.ids, other.tokens, other.special = maps.Clone(t.ids), maps.Clone(t.tokens), maps.Clone(t.special)
	maps.DeleteFunc(other.ids, func(_ string, id int32) bool { return beyond(id) })
	maps.DeleteFunc(other.tokens, func(id int32, _ string) bool { return beyond(id) })
	maps.DeleteFunc(other.special, func(id int32, _ bool) bool { return beyond(id) })
	other.size, other.beyond = size, slices.Clone(t.beyond)
	for _, id := range slices.Sorted(maps.Keys(t.tokens)) {
		if beyond(id) {
			other.beyond = append(other.beyond, t.tokens[id])
		}
	}
	return &other, nil
}

func tooMany(tokens, rows int) error {
	return fmt.Errorf("the tokenizer has %d tokens, the model only %d", tokens, rows)
}

// without returns the matcher without the tokens whose ids are left out.
func (m matcher) without(leaveOut func(id int32) bool) matcher {
	kept := slices.DeleteFunc(slices.Clone(m.tokens), func(a addedToken) bool { return leaveOut(a.ID) })
	if len(kept) == len(m.tokens) {
		return m
	}
	return newMatcher(kept, m.pattern)
}
