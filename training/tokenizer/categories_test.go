package tokenizer

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"testing"
)

// TestCategories checks every code point, between x and y, against the library of tokenizers 0.23.2
// (npm). The digest is over the lines "U written", in hexadecimal, of the code points that the
// component changes.
func TestCategories(t *testing.T) {
	whole := func(f func(string) string) func(string) []string {
		return func(s string) []string { return []string{f(s)} }
	}
	named := func(name string) func(string) []string {
		n, err := readNormalizer([]byte(`{"type":"` + name + `"}`))
		if err != nil {
			t.Fatal(err)
		}
		return whole(n.normalize)
	}
	for _, c := range []struct {
		name, digest string
		do           func(string) []string
	}{
		{"BertNormalizer", "efe2b96d7adc0392165239d0b17b9faceb6b9c16d5426dc07c123c9fd6b47659", whole(bertNormalizer{true, true, true, true}.normalize)},
		{"clean_text", "8d1a50335889d4c42fe32e02375dbfffcd3630f5771ba20ab04b069b77d4bb10", whole(bertNormalizer{clean: true}.normalize)},
		{"handle_chinese_chars", "31db525443c988aebb4a13c2583e2be9463b3cae4fed40a17ad1924d21e13369", whole(bertNormalizer{chinese: true}.normalize)},
		{"strip_accents", "90930eef802110ff0d86c0a86eb0b67d1c21cf6ae150446ea301dd77757db23e", whole(bertNormalizer{strip: true}.normalize)},
		{"Lowercase", "c1b6bbfe40ff3b1518786a5edb456afbfe2b7698a21e22d0174af0e16731048b", named("Lowercase")},
		{"StripAccents", "8958fcbff1f2ef0cd04667d0c844a020692f70a02db0554bb67377d0aec2bb0b", named("StripAccents")},
		{"NFC", "530a5c50b2b9d1cb6e566f8759418ee7c87d885d83901cfc6a7ca7d532dbd6a7", named("NFC")},
		{"NFD", "24aaed8e5a3d6ed7ea939646850e9ae267f9b1eadece35f7edd82b81006380de", named("NFD")},
		{"NFKC", "6c544ea89747b864bb1c32e0a28d0ecfc47dd01fe1f4cfa300d903cfa4099708", named("NFKC")},
		{"NFKD", "99eb77794e3d483cedf2d1e9bca337173d4887d2e85c3aba9b1c86779cc81a93", named("NFKD")},
		{"Nmt", "d0e5546aed2170d3815b4bd807877d1549acbb5e48ca2ef9a85f03e9c23417c4", named("Nmt")},
		{"BertPreTokenizer", "e523da7f435b9d1adc3d222d8683e20087135a7d0dabb18fc5f2aaa9e78a6e35", func(s string) []string { return bertWords{}.split(nil, s, true) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := categoryDigest(c.do); got != c.digest {
				t.Errorf("digest %s, the library's is %s", got, c.digest)
			}
		})
	}
}

// categoryDigest returns the digest over all code points that TestCategories compares.
func categoryDigest(do func(string) []string) string {
	digest := sha256.New()
	var line, same []byte
	for r := rune(0); r <= 0x10ffff; r++ {
		if 0xd800 <= r && r <= 0xdfff {
			continue
		}
		line = strconv.AppendInt(line[:0], int64(r), 16)
		same = append(append(append(same[:0], "78,"...), line...), ",79"...)
		line = append(line, ' ')
		start := len(line)
		for i, word := range do("x" + string(r) + "y") {
			if i > 0 {
				line = append(line, '|')
			}
			line = appendCodes(line, word)
		}
		if string(line[start:]) != string(same) {
			digest.Write(append(line, '\n'))
		}
	}
	return hex.EncodeToString(digest.Sum(nil))
}

// appendCodes appends the code points of s in hexadecimal, separated by commas.
func appendCodes(line []byte, s string) []byte {
	for i, r := range s {
		if i > 0 {
			line = append(line, ',')
		}
		line = strconv.AppendInt(line, int64(r), 16)
	}
	return line
}

// TestBertCategories has characters whose category changed since Unicode 8, or that it lacks, and
// their neighbours; tokenizers 0.23.2 gave the values.
func TestBertCategories(t *testing.T) {
	bert := bertNormalizer{true, true, true, true}
	for _, c := range []struct{ text, want string }{
		{"x\u08d1y", "x\u08d1y"}, {"x\u08d2y", "x\u08d2y"}, {"x\u08d3y", "x\u08d3y"}, {"x\u08e2y", "x\u08e2y"},
		{"x\u08e3y", "xy"}, {"x\u08e4y", "xy"}, // non-spacing marks of Unicode 8
		{"x\ua9bcy", "xy"}, {"x\ua9bdy", "x\ua9bdy"}, {"x\ua9bey", "x\ua9bey"}, // spacing until Unicode 11
		{"x\u1734y", "xy"}, {"x\u1885y", "x\u1885y"}, {"x\U000111c9y", "x\U000111c9y"},
		{"x\u061cy", "xy"}, {"x\u061dy", "x\u061dy"}, {"x\u0300y", "xy"}, {"\u1c89", "\u1c8a"},
	} {
		if got := bert.normalize(c.text); got != c.want {
			t.Errorf("%+q = %+q, want %+q", c.text, got, c.want)
		}
	}
	for _, c := range []struct{ text, want string }{
		{"x\u061by", "[x ؛ y]"}, {"x\u061dy", "[x\u061dy]"}, {"x\u061ey", "[x \u061e y]"}, {"x\u166dy", "[x \u166d y]"},
		{"x\u2e42y", "[x \u2e42 y]"}, {"x\u2e43y", "[x\u2e43y]"}, {"x\U000111c9y", "[x \U000111c9 y]"},
	} {
		if got := fmt.Sprint(bertWords{}.split(nil, c.text, true)); got != c.want {
			t.Errorf("words of %+q: %+q, want %+q", c.text, got, c.want)
		}
	}
}

// TestOldMarks: marks that Unicode 9 lacks have no combining class and compose with nothing, so
// that normalisation moves no character past them (tokenizers 0.23.2).
func TestOldMarks(t *testing.T) {
	for _, c := range []struct{ form, text, want string }{
		{"NFD", "a\u0301\u0323", "a\u0323\u0301"},
		{"NFD", "a\u1ac1\u0323", "a\u1ac1\u0323"},
		{"NFC", "\U00011935\U00011930", "\U00011935\U00011930"},
		{"NFKC", "\u32ffﬁ", "\u32fffi"},
	} {
		n, err := readNormalizer([]byte(`{"type":"` + c.form + `"}`))
		if err != nil {
			t.Fatal(err)
		}
		if got := n.normalize(c.text); got != c.want {
			t.Errorf("%s of %+q = %+q, want %+q", c.form, c.text, got, c.want)
		}
	}
}
