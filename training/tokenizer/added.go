package tokenizer

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"infbench/training/tokenizer/oniguruma"
)

// addedToken is a token that is matched as a unit, before the text is split.
type addedToken struct {
	ID         int32  `json:"id"`
	Content    string `json:"content"`
	SingleWord bool   `json:"single_word"` // only if no word character touches it
	LStrip     bool   `json:"lstrip"`      // includes the white space before it
	RStrip     bool   `json:"rstrip"`      // includes the white space after it
	Normalized bool   `json:"normalized"`  // matched in the normalised text
	Special    bool   `json:"special"`
}

// matcher finds added tokens in a text: leftmost, then longest.
type matcher struct {
	patterns *trie // of indices into tokens; nil without tokens
	tokens   []addedToken
	pattern  func(content string) string // the form in which a token is found
}

// newMatcher returns a matcher of the tokens, each found as pattern(token). If tokens share a
// pattern, the first is found.
func newMatcher(tokens []addedToken, pattern func(string) string) matcher {
	patterns := map[string]int32{}
	for i, token := range tokens {
		text := pattern(token.Content)
		if _, taken := patterns[text]; !taken && text != "" {
			patterns[text] = int32(i)
		}
	}
	if len(patterns) == 0 {
		return matcher{}
	}
	return matcher{newTrie(patterns), tokens, pattern}
}

// segment is a stretch of text: an added token with its id, or plain text with id -1.
type segment struct {
	text string
	id   int32
}

// segments yields the stretches that cover text, with their byte offsets.
func (m matcher) segments(text string) iter.Seq2[int, segment] {
	return func(yield func(int, segment) bool) {
		done := 0 // end of the stretches yielded so far
		for at := 0; m.patterns != nil && at < len(text); {
			index, n := m.patterns.longest(text[at:])
			if n == 0 {
				at++
				continue
			}
			token, start, end := &m.tokens[index], at, at+n
			at = end // even if the token includes more: tokens of white space are found in that again
			if token.SingleWord && !standsAlone(text, start, end) {
				continue
			}
			if token.LStrip {
				start = max(done, len(strings.TrimRightFunc(text[:start], unicode.IsSpace)))
			}
			if token.RStrip {
				end = len(text) - len(strings.TrimLeftFunc(text[end:], unicode.IsSpace))
			}
			if done < start && !yield(done, segment{text[done:start], -1}) {
				return
			}
			if start < end && !yield(start, segment{text[start:end], token.ID}) {
				return
			}
			done = end
		}
		if done < len(text) {
			yield(done, segment{text[done:], -1})
		}
	}
}

// standsAlone reports whether no word character touches text[start:end].
func standsAlone(text string, start, end int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:start])
	after, _ := utf8.DecodeRuneInString(text[end:])
	return (start == 0 || !oniguruma.IsWord(before)) && (end == len(text) || !oniguruma.IsWord(after))
}

// splitAdded separates the added tokens into those matched before and after normalisation. Tokens
// are sorted by id, so that equal patterns always resolve in the same way (HuggingFace's library
// takes any of them, which varies between runs).
func splitAdded(tokens []addedToken) (raw, normalised []addedToken) {
	tokens = slices.Clone(tokens)
	slices.SortStableFunc(tokens, func(a, b addedToken) int { return int(a.ID) - int(b.ID) })
	for _, t := range tokens {
		if t.Normalized {
			normalised = append(normalised, t)
		} else {
			raw = append(raw, t)
		}
	}
	return raw, normalised
}
