package tokenizer

import (
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"infbench/internal/nearest"
)

// behavior is the treatment of the text that a delimiter matches.
type behavior string

const (
	removed            behavior = "Removed"
	isolated           behavior = "Isolated"
	mergedWithPrevious behavior = "MergedWithPrevious"
	mergedWithNext     behavior = "MergedWithNext"
	contiguous         behavior = "Contiguous"
)

// checkBehavior returns an error for unknown names.
func checkBehavior(b behavior) error {
	switch b {
	case removed, isolated, mergedWithPrevious, mergedWithNext, contiguous:
		return nil
	}
	return nearest.Unknown("behavior", string(b), []string{"Contiguous", "Isolated", "MergedWithNext", "MergedWithPrevious", "Removed"})
}

// matches yields the bounds of the matches in a piece, in order.
type matches = iter.Seq2[int, int]

// stretch is a part of a piece: a match or the text between matches. A match may be empty.
type stretch struct {
	start, end int
	match      bool
}

// stretches cuts a piece of length bytes at the matches. With invert the text between matches
// counts as the matches.
func stretches(length int, invert bool, found matches) []stretch {
	var parts []stretch
	done := 0
	for start, end := range found {
		if done < start {
			parts = append(parts, stretch{done, start, invert})
		}
		parts = append(parts, stretch{start, end, !invert})
		done = end
	}
	if done < length {
		parts = append(parts, stretch{done, length, invert})
	}
	return parts
}

// delimit splits a piece at the matches, like HuggingFace's NormalizedString.split.
func delimit(out []string, piece string, b behavior, invert bool, found matches) []string {
	parts := stretches(len(piece), invert, found)
	from := 0 // start of the current piece
	for i, p := range parts {
		var joins bool // joins the next stretch
		if i+1 < len(parts) {
			after := parts[i+1].match
			joins = b == mergedWithPrevious && !p.match && after ||
				b == mergedWithNext && p.match && !after ||
				b == contiguous && p.match == after
		}
		if joins {
			continue
		}
		if from < p.end && (b != removed || !p.match) {
			out = append(out, piece[from:p.end])
		}
		from = p.end
	}
	return out
}

// literal finds a text.
func literal(piece, text string) matches {
	return func(yield func(int, int) bool) {
		for done := 0; ; {
			at := strings.Index(piece[done:], text)
			if at < 0 || !yield(done+at, done+at+len(text)) {
				return
			}
			done += at + len(text)
		}
	}
}

// single finds single runes for which is returns true.
func single(piece string, is func(rune) bool) matches {
	return func(yield func(int, int) bool) {
		for at, r := range piece {
			_, n := utf8.DecodeRuneInString(piece[at:])
			if is(r) && !yield(at, at+n) {
				return
			}
		}
	}
}

// readSplit reads a Split at a text, or at the matches of an expression.
func readSplit(data json.RawMessage) (preTokenizer, error) {
	section := struct {
		Type     string   `json:"type"`
		Pattern  pattern  `json:"pattern"`
		Behavior behavior `json:"behavior"`
		Invert   bool     `json:"invert"`
	}{}
	if err := strict(data, &section); err != nil {
		return nil, err
	}
	b, invert := section.Behavior, section.Invert
	if err := checkBehavior(b); err != nil {
		return nil, err
	}
	// These expressions match every character, so there is nothing between matches.
	if p := section.Pattern.Regex; p != nil && (b == isolated || b == removed && invert) {
		if s, ok := scanners()[*p]; ok {
			return splitFunc(s.split), nil
		}
	}
	find, err := section.Pattern.compile()
	if err != nil {
		return nil, err
	}
	return splitFunc(func(out []string, piece string) []string {
		return delimit(out, piece, b, invert, find(piece))
	}), nil
}

func readPunctuation(data json.RawMessage) (preTokenizer, error) {
	section := struct {
		Type     string   `json:"type"`
		Behavior behavior `json:"behavior"`
	}{Behavior: isolated}
	if err := strict(data, &section); err != nil {
		return nil, err
	}
	return splitFunc(func(out []string, piece string) []string {
		return delimit(out, piece, section.Behavior, false, single(piece, isBertPunctuation))
	}), checkBehavior(section.Behavior)
}

func readDigits(data json.RawMessage) (preTokenizer, error) {
	section := struct {
		Type       string `json:"type"`
		Individual bool   `json:"individual_digits"`
	}{}
	if err := strict(data, &section); err != nil {
		return nil, err
	}
	b := contiguous
	if section.Individual {
		b = isolated
	}
	return splitFunc(func(out []string, piece string) []string {
		return delimit(out, piece, b, false, single(piece, unicode.IsNumber))
	}), nil
}

// readCharDelimiter splits at a character, which it drops.
func readCharDelimiter(data json.RawMessage) (preTokenizer, error) {
	section := struct {
		Type      string `json:"type"`
		Delimiter string `json:"delimiter"`
	}{}
	if err := strict(data, &section); err != nil {
		return nil, err
	}
	if utf8.RuneCountInString(section.Delimiter) != 1 {
		return nil, fmt.Errorf("delimiter %q is not one character", section.Delimiter)
	}
	return splitFunc(func(out []string, piece string) []string {
		return delimit(out, piece, removed, false, literal(piece, section.Delimiter))
	}), nil
}

// readFixedLength splits into pieces of a fixed number of characters; the last may be shorter.
func readFixedLength(data json.RawMessage) (preTokenizer, error) {
	section := struct {
		Type   string `json:"type"`
		Length int    `json:"length"`
	}{Length: 5} // the library's default
	if err := strict(data, &section); err != nil {
		return nil, err
	}
	if section.Length < 1 {
		return nil, fmt.Errorf("length is %d", section.Length)
	}
	return splitFunc(func(out []string, piece string) []string {
		from, count := 0, 0
		for at := range piece {
			if count == section.Length {
				out, from, count = append(out, piece[from:at]), at, 0
			}
			count++
		}
		return append(out, piece[from:])
	}), nil
}
