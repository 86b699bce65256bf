package tokenizer

import (
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"
)

// byteLevel is GPT-2's pre-tokenizer: words by an expression, then every byte
// written as a visible character.
type byteLevel struct {
	addPrefix bool // a blank before a piece that has none
	cuts      bool // by GPT-2's expression
}

func readByteLevel(data json.RawMessage) (preTokenizer, error) {
	section := struct {
		Type      string `json:"type"`
		AddPrefix *bool  `json:"add_prefix_space"`
		Trim      *bool  `json:"trim_offsets"` // concerns offsets, which we do not keep
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
	for i := before; i < len(out); i++ {
		out[i] = visible(out[i])
	}
	return out
}

// visible writes every byte of s as the character GPT-2 gives it.
func visible(s string) string {
	plain := true
	for i := range len(s) {
		plain = plain && '!' <= s[i] && s[i] <= '~'
	}
	if plain {
		return s
	}
	out := make([]byte, 0, 2*len(s))
	for i := range len(s) {
		out = utf8.AppendRune(out, byteRune(s[i]))
	}
	return string(out)
}

// byteRune is GPT-2's bytes_to_unicode: printable Latin-1 stands for itself,
// the other 68 bytes, in order, for U+0100 and on.
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

// scanner splits text as one of the regular expressions of byte-level
// tokenizers, which end in \s+(?!\S)|\s+ and so are beyond Go's regexp.
type scanner struct {
	anyCase bool // contractions in any case
	lead    bool // letters may follow any one character but letter, number, CR and LF; else one blank
	digits  int  // longest run of numbers, 0: any, after an optional blank
	lines   bool // symbols swallow line ends, and line ends end a run of white space
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

// word is the length of the first match: the alternatives in their order.
func (s scanner) word(text string) int {
	if n := s.contraction(text); n > 0 {
		return n
	}
	first, size := utf8.DecodeRuneInString(text)
	skip := 0 // what may stand before letters
	if text[0] == ' ' || s.lead && first != '\r' && first != '\n' && !unicode.IsLetter(first) && !unicode.IsNumber(first) {
		skip = size
	}
	if n := span(text[skip:], unicode.IsLetter, 0); n > 0 {
		return skip + n
	}
	if n := span(text, unicode.IsLetter, 0); n > 0 {
		return n
	}
	blank := 0
	if text[0] == ' ' {
		blank = 1
	}
	if s.digits > 0 {
		if n := span(text, unicode.IsNumber, s.digits); n > 0 {
			return n
		}
	} else if n := span(text[blank:], unicode.IsNumber, 0); n > 0 {
		return blank + n
	}
	if n := span(text[blank:], isSymbol, 0); n > 0 {
		n += blank
		if s.lines {
			n += span(text[n:], isLineEnd, 0)
		}
		return n
	}
	return s.space(text)
}

// space is the length of the match of white space at the start of text.
func (s scanner) space(text string) int {
	n := span(text, unicode.IsSpace, 0)
	if s.lines {
		if end := strings.LastIndexAny(text[:n], "\r\n"); end >= 0 {
			return end + 1
		}
	}
	if n == len(text) {
		return n
	}
	if _, last := utf8.DecodeLastRuneInString(text[:n]); n > last {
		return n - last // the last one goes with the word that follows
	}
	return n
}

// contraction is the length of an English 's, 't, 're, 've, 'm, 'll or 'd.
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

// span is the length of the runes at the start of text that are of a kind, at
// most limit of them (0: all).
func span(text string, is func(rune) bool, limit int) int {
	count := 0
	for at, r := range text {
		if !is(r) || limit > 0 && count == limit {
			return at
		}
		count++
	}
	return len(text)
}

func isLineEnd(r rune) bool { return r == '\r' || r == '\n' }
func isSymbol(r rune) bool {
	return !unicode.IsSpace(r) && !unicode.IsLetter(r) && !unicode.IsNumber(r)
}
