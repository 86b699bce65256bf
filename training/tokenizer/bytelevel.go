package tokenizer

import (
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"

	"infbench/training/tokenizer/oniguruma"
)

// byteLevel is GPT-2's pre-tokenizer: it splits words by an expression, then writes every byte as a
// visible character.
type byteLevel struct {
	addPrefix bool // adds a blank before a piece that does not begin with one
	cuts      bool // splits by GPT-2's expression
}

func readByteLevel(data json.RawMessage) (preTokenizer, error) {
	section := struct {
		Type      string `json:"type"`
		AddPrefix *bool  `json:"add_prefix_space"`
		Trim      *bool  `json:"trim_offsets"` // concerns offsets, which this package does not keep
		UseRegex  *bool  `json:"use_regex"`
	}{}
	if err := strict(data, &section); err != nil {
		return nil, err
	}
	return byteLevel{orTrue(section.AddPrefix), orTrue(section.UseRegex)}, nil
}

func (b byteLevel) split(out []string, piece string, _ bool) []string {
	if b.addPrefix && !strings.HasPrefix(piece, " ") {
		piece = " " + piece
	}
	before := len(out)
	if b.cuts {
		out = gpt2Scanner.split(out, piece)
	} else {
		out = append(out, piece)
	}
	visible(out[before:])
	return out
}

// growth returns the largest factor by which a piece can grow: a letter of two bytes becomes two
// characters of two bytes, and a letter of one byte may get a blank.
func (b byteLevel) growth() float64 {
	if b.addPrefix {
		return 3
	}
	return 2
}

// visible writes every byte of the words as its character in GPT-2, all of them into one string.
func visible(words []string) {
	size := 0
	for _, word := range words {
		size += 2 * len(word)
	}
	var all strings.Builder
	all.Grow(size)
	for i, word := range words {
		start := all.Len()
		for k := range len(word) {
			if c := word[k]; '!' <= c && c <= '~' {
				all.WriteByte(c)
			} else {
				all.WriteRune(byteRune(c))
			}
		}
		words[i] = all.String()[start:]
	}
}

// byteRune is GPT-2's bytes_to_unicode: printable Latin-1 represents itself, and the other 68
// bytes, in order, become U+0100 and following.
func byteRune(b byte) rune {
	switch {
	case b <= ' ':
		return 0x100 + rune(b)
	case b < 0x7f, 0xa1 <= b && b != 0xad:
		return rune(b)
	case b == 0xad:
		return 0x143
	}
	return 0x121 + rune(b-0x7f)
}

// scanner splits text like one of the regular expressions of byte-level tokenizers. They end in
// \s+(?!\S)|\s+, which Go's regexp does not support.
type scanner struct {
	anyCase bool // contractions in any case
	lead    bool // letters may follow any one character except letter, number, CR and LF; else one blank
	digits  int  // longest run of numbers; 0: any length, after an optional blank
	lines   bool // symbols include the line ends after them, and a run of white space ends with a line end
}

// The scanners of GPT-2, Llama 3 and Qwen 2.
var (
	gpt2Scanner   = scanner{}
	llama3Scanner = scanner{anyCase: true, lead: true, digits: 3, lines: true}
	qwen2Scanner  = scanner{anyCase: true, lead: true, digits: 1, lines: true}
)

// scanners lists the expressions by their text.
func scanners() map[string]scanner {
	const (
		gpt2   = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`
		gpt2b  = `'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`
		llama3 = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
		qwen2  = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	)
	return map[string]scanner{gpt2: gpt2Scanner, gpt2b: gpt2Scanner, llama3: llama3Scanner, qwen2: qwen2Scanner}
}

func (s scanner) split(out []string, piece string) []string {
	for len(piece) > 0 {
		n := s.word(piece)
		out, piece = append(out, piece[:n]), piece[n:]
	}
	return out
}

// word returns the length of the first match, trying the alternatives in order.
func (s scanner) word(text string) int {
	if n := s.contraction(text); n > 0 {
		return n
	}
	first, size := utf8.DecodeRuneInString(text)
	kind := kindOf(first)
	skip, next := 0, kind // length of a character before letters, and the kind of the next
	if first == ' ' || s.lead && (kind == symbol || kind == space && !isLineEnd(first)) {
		skip = size
		r, _ := utf8.DecodeRuneInString(text[skip:])
		if next = kindOf(r); skip == len(text) {
			next = space
		}
	}
	switch {
	case next == letter:
		return skip + span(text[skip:], letter, 0)
	case s.digits > 0 && kind == number:
		return span(text, number, s.digits)
	case s.digits == 0 && next == number:
		return skip + span(text[skip:], number, 0)
	case kind == symbol:
		return s.symbols(text, 0)
	case first == ' ' && next == symbol:
		return s.symbols(text, 1)
	}
	return s.space(text)
}

// symbols returns the length of a match of symbols after blank blanks (0 or 1).
func (s scanner) symbols(text string, blank int) int {
	n := blank + span(text[blank:], symbol, 0)
	for s.lines && n < len(text) && isLineEnd(rune(text[n])) {
		n++
	}
	return n
}

// space returns the length of a match of white space at the start of text.
func (s scanner) space(text string) int {
	n := span(text, space, 0)
	if s.lines {
		if end := strings.LastIndexAny(text[:n], "\r\n"); end >= 0 {
			return end + 1
		}
	}
	if n == len(text) {
		return n
	}
	if _, last := utf8.DecodeLastRuneInString(text[:n]); n > last {
		return n - last // the last one belongs to the next word
	}
	return n
}

// contraction returns the length of an English 's, 't, 're, 've, 'm, 'll or 'd.
func (s scanner) contraction(text string) int {
	if text[0] != '\'' {
		return 0
	}
	for _, end := range []string{"s", "t", "re", "ve", "m", "ll", "d"} {
		n := 1 + len(end)
		if len(text) >= n && text[1:n] == end || s.anyCase && len(text) >= n && strings.EqualFold(text[1:n], end) {
			return n
		}
	}
	if s.anyCase && strings.HasPrefix(text, "'ſ") { // U+017F folds to s
		return len("'ſ")
	}
	return 0
}

// kind is a class of characters in the expressions.
type kind uint8

const (
	symbol kind = iota // none of the others
	letter             // \p{L}
	number             // \p{N}
	space              // \s
)

func kindOf(r rune) kind {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z':
		return letter
	case r == ' ':
		return space
	case '!' <= r && r <= '~' && !('0' <= r && r <= '9'):
		return symbol
	case oniguruma.IsLetter(r):
		return letter
	case oniguruma.IsNumber(r):
		return number
	case unicode.IsSpace(r):
		return space
	}
	return symbol
}

// span returns the length of the characters of one kind at the start of text, at most limit
// characters (0: all).
func span(text string, of kind, limit int) int {
	count := 0
	for at, r := range text {
		if kindOf(r) != of || limit > 0 && count == limit {
			return at
		}
		count++
	}
	return len(text)
}

func isLineEnd(r rune) bool { return r == '\r' || r == '\n' }
