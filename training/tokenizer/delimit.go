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

// behavior is what happens to the text a delimiter matches.
type behavior string

const (
	removed            behavior = "Removed"
	isolated           behavior = "Isolated"
	mergedWithPrevious behavior = "MergedWithPrevious"
	mergedWithNext     behavior = "MergedWithNext"
	contiguous         behavior = "Contiguous"
)

// checkBehavior refuses unknown names.
func checkBehavior(b behavior) error {
	switch b {
	case removed, isolated, mergedWithPrevious, mergedWithNext, contiguous:
		return nil
	}
	return nearest.Unknown("behavior", string(b), []string{"Contiguous", "Isolated", "MergedWithNext", "MergedWithPrevious", "Removed"})
}

// matches yields the bounds of the matches in a piece, in order.
type matches = iter.Seq2[int, int]

// stretch is a part of a piece, between matches or one of them; a match may be empty.
type stretch struct {
	start, end int
	match      bool
}

// stretches cuts a piece of length bytes at the matches. invert takes what is
// between them for the matches.
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

// delimit splits a piece at the matches, as HuggingFace's
// NormalizedString.split.
func delimit(out []string, piece string, b behavior, invert bool, found matches) []string {
	parts := stretches(len(piece), invert, found)
	from := 0 // start of the piece being gathered
	for i, p := range parts {
		var joins bool // with the next
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

// single finds single runes.
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

// readSplit reads a Split: at a text, or at the matches of an expression.
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
	// These match every character, so that nothing is between matches.
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

// readFixedLength splits into pieces of so many characters, the last one shorter.
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
