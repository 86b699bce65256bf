package tokenizer

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"infbench/training/tokenizer/oniguruma"
)

// readNormalizer reads a normalizer section of any type.
func readNormalizer(data json.RawMessage) (normalizer, error) {
	kind, err := typeOf(data)
	if err != nil {
		return nil, err
	}
	return readKind("normalizer type", kind, data, map[string]func(json.RawMessage) (normalizer, error){
		"BertNormalizer": readBertNormalizer,
		"ByteLevel":      bare(visibleBytes),
		"Lowercase":      bare(lowerCase),
		"NFC":            bare(inForm(norm.NFC)),
		"NFD":            bare(inForm(norm.NFD)),
		"NFKC":           bare(inForm(norm.NFKC)),
		"NFKD":           bare(inForm(norm.NFKD)),
		"Nmt":            bare(nmt),
		"Precompiled":    readPrecompiled,
		"Prepend":        readPrepend,
		"Replace":        readReplace,
		"Sequence":       readNormalizers,
		"Strip":          readStrip,
		"StripAccents":   bare(dropMarks),
	})
}

// rewrite is a normalizer that is a plain function.
type rewrite func(string) string

func (f rewrite) normalize(s string) string { return f(s) }

// bare reads a section that contains only its type.
func bare(f rewrite) func(json.RawMessage) (normalizer, error) {
	return func(data json.RawMessage) (normalizer, error) {
		section := struct {
			Type string `json:"type"`
		}{}
		return f, strict(data, &section)
	}
}

// dropMarks removes combining marks; it does not decompose.
func dropMarks(s string) string { return without(combining(), s) }

// nmt is SentencePiece's nmt_nfkc without NFKC: it removes control characters, and turns characters
// that count as white space into blanks (HuggingFace's Nmt).
func nmt(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 0x1 <= r && r <= 0x8, r == 0xb, 0xe <= r && r <= 0x1f, r == 0x7f, r == 0x8f, r == 0x9f:
			return -1
		case r == '\t', r == '\n', r == '\f', r == '\r', r == 0x1680, 0x200b <= r && r <= 0x200f,
			r == 0x2028, r == 0x2029, r == 0x2581, r == 0xfeff, r == utf8.RuneError:
			return ' '
		}
		return r
	}, s)
}

// visibleBytes writes every byte like GPT-2.
func visibleBytes(s string) string {
	words := []string{s}
	visible(words)
	return words[0]
}

// readNormalizers reads a Sequence.
func readNormalizers(data json.RawMessage) (normalizer, error) {
	section := struct {
		Type  string            `json:"type"`
		Parts []json.RawMessage `json:"normalizers"`
	}{}
	if err := strict(data, &section); err != nil {
		return nil, err
	}
	if len(section.Parts) > maxNormalizers {
		return nil, fmt.Errorf("%d normalizers are more than %d", len(section.Parts), maxNormalizers)
	}
	var parts normalizers
	for _, part := range section.Parts {
		n, err := readNormalizer(part)
		if err != nil {
			return nil, err
		}
		parts = append(parts, n)
	}
	return parts, nil
}

// readPrepend reads a normalizer that puts a text before every non-empty piece.
func readPrepend(data json.RawMessage) (normalizer, error) {
	section := struct {
		Type    string `json:"type"`
		Prepend string `json:"prepend"`
	}{}
	if err := strict(data, &section); err != nil {
		return nil, err
	}
	return prepended(section.Prepend), nil
}

// prepended is the text put before every non-empty piece.
type prepended string

func (p prepended) normalize(s string) string {
	if s == "" {
		return s
	}
	return string(p) + s
}

func (p prepended) worst(after func(string) float64) func(rune) float64 {
	before := after(string(p))
	return func(r rune) float64 { return before + after(string(r)) }
}

func readStrip(data json.RawMessage) (normalizer, error) {
	section := struct {
		Type  string `json:"type"`
		Left  bool   `json:"strip_left"`
		Right bool   `json:"strip_right"`
	}{}
	if err := strict(data, &section); err != nil {
		return nil, err
	}
	return rewrite(func(s string) string {
		if section.Left {
			s = strings.TrimLeftFunc(s, unicode.IsSpace)
		}
		if section.Right {
			s = strings.TrimRightFunc(s, unicode.IsSpace)
		}
		return s
	}), nil
}

// pattern is the text or regular expression that Replace and Split search.
type pattern struct {
	String *string `json:"String"`
	Regex  *string `json:"Regex"`

	takes func(rune) bool // whether a match of the Regex can contain a character
	empty bool            // a match can be empty
}

// compile returns a function that finds the pattern in a text.
func (p *pattern) compile() (func(text string) matches, error) {
	switch {
	case p.String != nil && *p.String != "":
		return func(text string) matches { return literal(text, *p.String) }, nil
	case p.String == nil && p.Regex == nil:
		return nil, errors.New("pattern is neither a String nor a Regex")
	}
	text := p.String // an empty text matches like an empty expression
	if p.Regex != nil {
		text = p.Regex
	}
	e, err := oniguruma.Compile(*text)
	if err != nil {
		return nil, fmt.Errorf("pattern %q is not supported: it has %w", *text, err)
	}
	p.takes, p.empty = e.Takes, e.MayBeEmpty()
	return e.All, nil
}

func readReplace(data json.RawMessage) (normalizer, error) {
	section := struct {
		Type    string  `json:"type"`
		Pattern pattern `json:"pattern"`
		Content string  `json:"content"`
	}{}
	if err := strict(data, &section); err != nil {
		return nil, err
	}
	find, err := section.Pattern.compile()
	if err != nil {
		return nil, err
	}
	return replacement{find, section.Content, section.Pattern}, nil
}

// replacement replaces every match by content.
type replacement struct {
	find    func(text string) matches
	content string
	pattern pattern
}

func (r replacement) normalize(s string) string {
	var b strings.Builder
	done := 0
	for start, end := range r.find(s) {
		b.WriteString(s[done:start])
		b.WriteString(r.content)
		done = end
	}
	if done == 0 && b.Len() == 0 {
		return s
	}
	b.WriteString(s[done:])
	return b.String()
}

// worst assumes that a character can be part of a match wherever the pattern has it.
func (r replacement) worst(after func(string) float64) func(rune) float64 {
	content := after(r.content)
	return func(c rune) float64 {
		stays := after(string(c))
		switch text := r.pattern.String; {
		case text != nil && *text != "":
			if !strings.ContainsRune(*text, c) {
				return stays
			}
			return max(stays, content/float64(utf8.RuneCountInString(*text)))
		case r.pattern.empty:
			return stays + content
		case r.pattern.takes(c):
			return max(stays, content)
		}
		return stays
	}
}
