package tokenizer

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Decode returns the text of ids, as HuggingFace tokenizers do without special tokens:
// by the file's decoder section, or else with a blank between tokens. Bytes that are
// not UTF-8 become U+FFFD, and ids without a token nothing. A decoder that is not
// known is an error that names it.
func (t *Tokenizer) Decode(ids []int32) (string, error) {
	if t.decoderErr != nil {
		return "", fmt.Errorf("tokenizer.json: decoder: %w", t.decoderErr)
	}
	list := make([]string, 0, len(ids))
	for _, id := range ids {
		if token, ok := t.tokens[id]; ok && !t.special[id] {
			list = append(list, token)
		}
	}
	if t.decoder == nil {
		return strings.Join(list, " "), nil
	}
	return strings.Join(t.decoder(list), ""), nil
}

// decoder rewrites tokens until, joined, they are a text.
type decoder func(tokens []string) []string

// readDecoder reads a decoder section of any type; none is nil.
func readDecoder(data json.RawMessage) (decoder, error) {
	if isNull(data) {
		return nil, nil
	}
	kind, err := typeOf(data)
	if err != nil {
		return nil, err
	}
	return readKind("decoder type", kind, data, map[string]func(json.RawMessage) (decoder, error){
		"BPEDecoder":   readBPEDecoder,
		"ByteFallback": bareDecoder(joinBytes),
		"ByteLevel":    readByteLevelDecoder,
		"Fuse":         bareDecoder(fuse),
		"Metaspace":    readMetaspaceDecoder,
		"Replace":      readReplaceDecoder,
		"Sequence":     readDecoders,
		"Strip":        readStripDecoder,
		"WordPiece":    readWordPieceDecoder,
	})
}

// readDecoders reads a Sequence: one decoder after the other.
func readDecoders(data json.RawMessage) (decoder, error) {
	section := struct {
		Type  string            `json:"type"`
		Parts []json.RawMessage `json:"decoders"`
	}{}
	if err := strict(data, &section); err != nil {
		return nil, err
	}
	var parts []decoder
	for _, part := range section.Parts {
		d, err := readDecoder(part)
		if err != nil {
			return nil, err
		}
		if d == nil {
			return nil, errors.New("null in a Sequence")
		}
		parts = append(parts, d)
	}
	return inTurn(parts...), nil
}

// inTurn applies decoders one after the other.
func inTurn(parts ...decoder) decoder {
	return func(tokens []string) []string {
		for _, d := range parts {
			tokens = d(tokens)
		}
		return tokens
	}
}

// bareDecoder reads a section that holds nothing but its type.
func bareDecoder(d decoder) func(json.RawMessage) (decoder, error) {
	return func(data json.RawMessage) (decoder, error) {
		section := struct {
			Type string `json:"type"`
		}{}
		return d, strict(data, &section)
	}
}

// each decodes tokens one by one.
func each(f func(i int, token string) string) decoder {
	return func(tokens []string) []string {
		out := make([]string, len(tokens))
		for i, token := range tokens {
			out[i] = f(i, token)
		}
		return out
	}
}

func fuse(tokens []string) []string { return []string{strings.Join(tokens, "")} }

// joinBytes makes characters of runs of tokens <0x00> to <0xFF>; of a run that is not
// UTF-8 every byte becomes U+FFFD.
func joinBytes(tokens []string) []string {
	var out []string
	var run []byte
	end := func() {
		if utf8.Valid(run) {
			out = append(out, string(run))
		} else {
			out = append(out, strings.Repeat("\uFFFD", len(run)))
		}
		run = run[:0]
	}
	for _, token := range tokens {
		if b, ok := byteOf(token); ok {
			run = append(run, b)
			continue
		}
		end()
		out = append(out, token)
	}
	end()
	return out
}

// byteOf reads "<0x41>".
func byteOf(token string) (byte, bool) {
	if len(token) != len("<0x41>") || !strings.HasPrefix(token, "<0x") || token[5] != '>' {
		return 0, false
	}
	b, err := strconv.ParseUint(token[3:5], 16, 8)
	return byte(b), err == nil
}

// readByteLevelDecoder reads ByteLevel, whose settings concern pre-tokenization.
func readByteLevelDecoder(data json.RawMessage) (decoder, error) {
	if _, err := readByteLevel(data); err != nil {
		return nil, err
	}
	bytes := map[rune]byte{}
	for b := range 256 {
		bytes[byteRune(byte(b))] = byte(b)
	}
	return func(tokens []string) []string {
		var all []byte
		for _, token := range tokens {
			all = appendVisible(all, token, bytes)
		}
		return []string{strings.ToValidUTF8(string(all), "\uFFFD")}
	}, nil
}

// appendVisible appends the bytes that the characters of a token stand for; a token
// with another character stands for itself.
func appendVisible(all []byte, token string, bytes map[rune]byte) []byte {
	start := len(all)
	for _, r := range token {
		b, ok := bytes[r]
		if !ok {
			return append(all[:start], token...)
		}
		all = append(all, b)
	}
	return all
}

func readReplaceDecoder(data json.RawMessage) (decoder, error) {
	replace, err := readReplace(data)
	if err != nil {
		return nil, err
	}
	return each(func(_ int, token string) string { return replace.normalize(token) }), nil
}

// readStripDecoder takes up to so many characters from either end of each token.
func readStripDecoder(data json.RawMessage) (decoder, error) {
	section := struct {
		Type    string `json:"type"`
		Content string `json:"content"`
		Start   int    `json:"start"`
		Stop    int    `json:"stop"`
	}{}
	if err := strict(data, &section); err != nil {
		return nil, err
	}
	return each(func(_ int, token string) string {
		for range section.Start {
			token = strings.TrimPrefix(token, section.Content)
		}
		for range section.Stop {
			token = strings.TrimSuffix(token, section.Content)
		}
		return token
	}), nil
}

// readMetaspaceDecoder makes blanks of U+2581, and nothing of those of the first token
// unless none was put there.
func readMetaspaceDecoder(data json.RawMessage) (decoder, error) {
	words, err := readMetaspace(data)
	if err != nil {
		return nil, err
	}
	m := words.(metaspace)
	return each(func(i int, token string) string {
		blank := " "
		if i == 0 && m.scheme != "never" {
			blank = ""
		}
		return strings.ReplaceAll(token, m.sign, blank)
	}), nil
}

// readWordPieceDecoder puts blanks between words, and with cleanup none before marks.
func readWordPieceDecoder(data json.RawMessage) (decoder, error) {
	section := struct {
		Type    string `json:"type"`
		Prefix  string `json:"prefix"`
		Cleanup bool   `json:"cleanup"`
	}{}
	if err := strict(data, &section); err != nil {
		return nil, err
	}
	clean := func(s string) string { return s }
	if section.Cleanup {
		clean = cleanup
	}
	return each(func(i int, token string) string {
		if i == 0 {
			return clean(token)
		}
		if rest, ok := strings.CutPrefix(token, section.Prefix); ok {
			return clean(rest)
		}
		return clean(" " + token)
	}), nil
}

// cleanup is HuggingFace's clean_up_tokenization for English.
func cleanup(s string) string {
	for _, pair := range [][2]string{
		{" .", "."}, {" ?", "?"}, {" !", "!"}, {" ,", ","}, {" ' ", "'"}, {" n't", "n't"}, {" 'm", "'m"},
		{" do not", " don't"}, {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"},
	} {
		s = strings.ReplaceAll(s, pair[0], pair[1])
	}
	return s
}

// readBPEDecoder makes blanks of the sign that ends a word, but at the end.
func readBPEDecoder(data json.RawMessage) (decoder, error) {
	section := struct {
		Type   string `json:"type"`
		Suffix string `json:"suffix"`
	}{}
	if err := strict(data, &section); err != nil {
		return nil, err
	}
	return func(tokens []string) []string {
		last := len(tokens) - 1
		return each(func(i int, token string) string {
			blank := " "
			if i == last {
				blank = ""
			}
			return strings.ReplaceAll(token, section.Suffix, blank)
		})(tokens)
	}, nil
}
