package tokenizer

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// addedToken is a token matched as a whole, before the text is split.
type addedToken struct {
	ID         int32  `json:"id"`
	Content    string `json:"content"`
	SingleWord bool   `json:"single_word"` // only where no word character touches it
	LStrip     bool   `json:"lstrip"`      // swallows the white space before it
	RStrip     bool   `json:"rstrip"`      // and after it
	Normalized bool   `json:"normalized"`  // matched in the normalised text
	Special    bool   `json:"special"`
}

// matcher finds added tokens in a text: leftmost, then longest.
type matcher struct {
	root  *matchNode
	token []addedToken
}

type matchNode struct {
	next  map[byte]*matchNode
	token int // index + 1 of the token that ends here, 0: none
}

// newMatcher returns a matcher of the tokens, each found as pattern(token).
func newMatcher(tokens []addedToken, pattern func(string) string) matcher {
	m := matcher{token: tokens}
	for i, token := range tokens {
		text := pattern(token.Content)
		if text == "" {
			continue
		}
		if m.root == nil {
			m.root = &matchNode{}
		}
		node := m.root
		for k := range len(text) {
			child := node.next[text[k]]
			if child == nil {
				if node.next == nil {
					node.next = map[byte]*matchNode{}
				}
				child = &matchNode{}
				node.next[text[k]] = child
			}
			node = child
		}
		if node.token == 0 {
			node.token = i + 1
		}
	}
	return m
}

// segment is a stretch of text: an added token with its id, or plain text
// with id -1.
type segment struct {
	text string
	id   int32
}

// segments yields the stretches that cover text, with their byte offsets.
func (m matcher) segments(text string) iter.Seq2[int, segment] {
	return func(yield func(int, segment) bool) {
		done := 0 // what lies before was yielded
		for at := 0; m.root != nil && at < len(text); {
			token, end := m.at(text, at)
			if token == nil {
				at++
				continue
			}
			start := at
			at = end
			if token.SingleWord && !standsAlone(text, start, end) {
				continue
			}
			if token.LStrip {
				start = max(done, len(strings.TrimRightFunc(text[:start], unicode.IsSpace)))
			}
			if token.RStrip {
				end = len(text) - len(strings.TrimLeftFunc(text[end:], unicode.IsSpace))
				at = end
			}
			if done < start && !yield(done, segment{text[done:start], -1}) {
				return
			}
			if !yield(start, segment{text[start:end], token.ID}) {
				return
			}
			done = end
		}
		if done < len(text) {
			yield(done, segment{text[done:], -1})
		}
	}
}

// at returns the longest token that starts at a byte of text, and its end.
func (m matcher) at(text string, start int) (token *addedToken, end int) {
	node := m.root
	for k := start; k < len(text); k++ {
		if node = node.next[text[k]]; node == nil {
			break
		}
		if node.token > 0 {
			token, end = &m.token[node.token-1], k+1
		}
	}
	return token, end
}

// standsAlone reports whether text[start:end] touches no word character.
func standsAlone(text string, start, end int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:start])
	after, _ := utf8.DecodeRuneInString(text[end:])
	return (start == 0 || !isWordRune(before)) && (end == len(text) || !isWordRune(after))
}

// isWordRune is \w of Unicode regular expressions.
func isWordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.Is(unicode.Nd, r) ||
		unicode.Is(unicode.Pc, r) || unicode.Is(unicode.Nl, r) || r == '\u200c' || r == '\u200d'
}

// splitAdded parts the added tokens into those matched before and after
// normalisation, in order of id so that equal patterns resolve the same way.
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
