package tokenizer

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"infbench/metrics/nearest"
)

// readPreTokenizer reads a pre_tokenizer section of any type.
func readPreTokenizer(data json.RawMessage) (preTokenizer, error) {
	kind, err := typeOf(data)
	if err != nil {
		return nil, err
	}
	return readKind("pre_tokenizer type", kind, data, map[string]func(json.RawMessage) (preTokenizer, error){
		"BertPreTokenizer": readBertWords,
		"ByteLevel":        readByteLevel,
		"Digits":           readDigits,
		"Metaspace":        readMetaspace,
		"Punctuation":      readPunctuation,
		"Sequence":         readPreTokenizers,
		"Split":            readSplit,
		"Whitespace":       bareSplit(splitFunc(wordsAndSymbols)),
		"WhitespaceSplit":  bareSplit(splitFunc(fields)),
	})
}

// whole is the pre-tokenizer that leaves a piece as one word.
type whole struct{}

func (whole) split(out []string, piece string, _ bool) []string { return append(out, piece) }

// splitFunc is a pre-tokenizer that is a plain function.
type splitFunc func(out []string, piece string) []string

func (f splitFunc) split(out []string, piece string, _ bool) []string { return f(out, piece) }

// bareSplit reads a section that holds nothing but its type.
func bareSplit(p preTokenizer) func(json.RawMessage) (preTokenizer, error) {
	return func(data json.RawMessage) (preTokenizer, error) {
		section := struct {
			Type string `json:"type"`
		}{}
		return p, strict(data, &section)
	}
}

// fields splits at white space, which it drops.
func fields(out []string, piece string) []string { return append(out, strings.Fields(piece)...) }

// wordsAndSymbols is the expression \w+|[^\w\s]+.
func wordsAndSymbols(out []string, piece string) []string {
	return runs(out, piece, func(r rune) int {
		switch {
		case unicode.IsSpace(r):
			return 0
		case isWordRune(r):
			return 1
		}
		return 2
	})
}

// runs splits a piece into stretches of runes of one kind; kind 0 is dropped.
func runs(out []string, piece string, kind func(rune) int) []string {
	start, last := 0, 0
	for at, r := range piece {
		k := kind(r)
		if k == last {
			continue
		}
		if last != 0 {
			out = append(out, piece[start:at])
		}
		start, last = at, k
	}
	if last != 0 {
		out = append(out, piece[start:])
	}
	return out
}

// preTokenizers is a Sequence: each splits what the one before made.
type preTokenizers []preTokenizer

func readPreTokenizers(data json.RawMessage) (preTokenizer, error) {
	section := struct {
		Type  string            `json:"type"`
		Parts []json.RawMessage `json:"pretokenizers"`
	}{}
	if err := strict(data, &section); err != nil {
		return nil, err
	}
	var list preTokenizers
	for _, part := range section.Parts {
		p, err := readPreTokenizer(part)
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}

func (list preTokenizers) split(out []string, piece string, first bool) []string {
	pieces := []string{piece}
	for _, p := range list {
		var next []string
		for i, s := range pieces {
			next = p.split(next, s, first && i == 0)
		}
		pieces = next
	}
	return append(out, pieces...)
}

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

// delimit splits a piece at the stretches that next finds: it returns the
// bounds of the first match at or after a byte, or start < 0.
func delimit(out []string, piece string, b behavior, next func(from int) (start, end int)) []string {
	type part struct {
		start, end int
		match      bool
	}
	var parts []part
	done := 0
	for done < len(piece) {
		start, end := next(done)
		if start < 0 || end <= start {
			break
		}
		if done < start {
			parts = append(parts, part{done, start, false})
		}
		parts = append(parts, part{start, end, true})
		done = end
	}
	if done < len(piece) {
		parts = append(parts, part{done, len(piece), false})
	}
	from := 0 // start of the piece being gathered
	for i, p := range parts {
		last := i+1 == len(parts)
		switch {
		case b == removed && p.match:
			from = p.end
			continue
		case b == mergedWithPrevious && !p.match && !last,
			b == mergedWithNext && p.match && !last && !parts[i+1].match,
			b == contiguous && p.match && !last && parts[i+1].match:
			continue
		}
		out = append(out, piece[from:p.end])
		from = p.end
	}
	return out
}

// readSplit reads a Split: at a text, or at one of the expressions that
// pretrained byte-level tokenizers use.
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
	if err := checkBehavior(section.Behavior); err != nil {
		return nil, err
	}
	switch p := section.Pattern; {
	case p.String != nil && *p.String != "" && !section.Invert:
		return splitFunc(func(out []string, piece string) []string {
			return delimit(out, piece, section.Behavior, func(from int) (int, int) {
				at := strings.Index(piece[from:], *p.String)
				if at < 0 {
					return -1, -1
				}
				return from + at, from + at + len(*p.String)
			})
		}), nil
	case p.Regex != nil:
		// These expressions match every character, so that what is a match
		// and what is between matches is decided.
		s, ok := scanners()[*p.Regex]
		if !ok {
			return nil, fmt.Errorf("pattern %q is not supported", *p.Regex)
		}
		if section.Behavior != isolated && !(section.Behavior == removed && section.Invert) {
			return nil, fmt.Errorf("behavior %s with pattern %q is not supported", section.Behavior, *p.Regex)
		}
		return splitFunc(s.split), nil
	}
	return nil, errors.New("pattern is neither a String nor a Regex")
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
		return delimitRunes(out, piece, section.Behavior, isBertPunctuation)
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
		return delimitRunes(out, piece, b, unicode.IsNumber)
	}), nil
}

// delimitRunes is delimit at single runes.
func delimitRunes(out []string, piece string, b behavior, is func(rune) bool) []string {
	return delimit(out, piece, b, func(from int) (int, int) {
		at := strings.IndexFunc(piece[from:], is)
		if at < 0 {
			return -1, -1
		}
		_, n := utf8.DecodeRuneInString(piece[from+at:])
		return from + at, from + at + n
	})
}

// readMetaspace reads the pre-tokenizer of SentencePiece models: blanks become
// a sign, usually U+2581, and words start with it.
func readMetaspace(data json.RawMessage) (preTokenizer, error) {
	section := struct {
		Type        string  `json:"type"`
		Replacement string  `json:"replacement"`
		AddPrefix   *bool   `json:"add_prefix_space"` // of early versions
		Text        string  `json:"str_rep"`          // the same
		Scheme      *string `json:"prepend_scheme"`
		Split       *bool   `json:"split"`
	}{}
	if err := strict(data, &section); err != nil {
		return nil, err
	}
	scheme := "always"
	if !orTrue(section.AddPrefix) {
		scheme = "never"
	}
	if section.Scheme != nil {
		scheme = *section.Scheme
	}
	if utf8.RuneCountInString(section.Replacement) != 1 {
		return nil, fmt.Errorf("replacement %q is not one character", section.Replacement)
	}
	switch scheme {
	case "always", "first", "never":
	default:
		return nil, nearest.Unknown("prepend_scheme", scheme, []string{"always", "first", "never"})
	}
	return metaspace{section.Replacement, scheme, orTrue(section.Split)}, nil
}

type metaspace struct {
	sign, scheme string
	cuts         bool
}

func (m metaspace) split(out []string, piece string, first bool) []string {
	piece = strings.ReplaceAll(piece, " ", m.sign)
	if (m.scheme == "always" || m.scheme == "first" && first) && !strings.HasPrefix(piece, m.sign) {
		piece = m.sign + piece
	}
	if !m.cuts {
		return append(out, piece)
	}
	return delimit(out, piece, mergedWithNext, func(from int) (int, int) {
		at := strings.Index(piece[from:], m.sign)
		if at < 0 {
			return -1, -1
		}
		return from + at, from + at + len(m.sign)
	})
}
