package tokenizer

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"infbench/internal/nearest"
	"infbench/training/tokenizer/oniguruma"
)

// readPreTokenizer reads a pre_tokenizer section of any type.
func readPreTokenizer(data json.RawMessage) (preTokenizer, error) {
	kind, err := typeOf(data)
	if err != nil {
		return nil, err
	}
	return readKind("pre_tokenizer type", kind, data, map[string]func(json.RawMessage) (preTokenizer, error){
		"BertPreTokenizer":   readBertWords,
		"ByteLevel":          readByteLevel,
		"CharDelimiterSplit": readCharDelimiter,
		"Digits":             readDigits,
		"FixedLength":        readFixedLength,
		"Metaspace":          readMetaspace,
		"Punctuation":        readPunctuation,
		"Sequence":           readPreTokenizers,
		"Split":              readSplit,
		"UnicodeScripts":     bareSplit(splitFunc(scripts)),
		"Whitespace":         bareSplit(splitFunc(wordsAndSymbols)),
		"WhitespaceSplit":    bareSplit(splitFunc(fields)),
	})
}

// oneWord is the pre-tokenizer that keeps a piece as one word.
type oneWord struct{}

func (oneWord) split(out []string, piece string, _ bool) []string { return append(out, piece) }

// splitFunc is a pre-tokenizer that is a plain function.
type splitFunc func(out []string, piece string) []string

func (f splitFunc) split(out []string, piece string, _ bool) []string { return f(out, piece) }

// bareSplit reads a section that contains only its type.
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

// wordsAndSymbols implements the expression \w+|[^\w\s]+.
func wordsAndSymbols(out []string, piece string) []string {
	return runs(out, piece, func(r rune) int {
		switch {
		case unicode.IsSpace(r):
			return 0
		case oniguruma.IsWord(r):
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

// preTokenizers is a Sequence: each one splits the results of the one before.
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
		if _, cuts := p.(splitFunc); cuts && first { // text dropped at the start was the start
			first = len(next) > 0 && strings.HasPrefix(pieces[0], next[0])
		}
		pieces = next
	}
	return append(out, pieces...)
}

// growth returns the product of the growths.
func (list preTokenizers) growth() float64 {
	product := 1.0
	for _, p := range list {
		if g, ok := p.(interface{ growth() float64 }); ok {
			product *= g.growth()
		}
	}
	return product
}

// readMetaspace reads the pre-tokenizer of SentencePiece models: blanks become a sign, usually
// U+2581, and words start with it.
func readMetaspace(data json.RawMessage) (preTokenizer, error) {
	section := struct {
		Type        string  `json:"type"`
		Replacement string  `json:"replacement"`
		AddPrefix   *bool   `json:"add_prefix_space"` // early versions
		Text        string  `json:"str_rep"`          // early versions
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
	return delimit(out, piece, mergedWithNext, false, literal(piece, m.sign))
}

// growth: a blank can become a sign, and get another one.
func (m metaspace) growth() float64 {
	if m.scheme == "never" {
		return float64(len(m.sign))
	}
	return float64(2 * len(m.sign))
}
