package tokenizer_test

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"infbench/training/tokenizer"
)

// pairFile is a tokenizer of five pieces and one added token.
const pairFile = `{"version":"1.0","truncation":null,"padding":null,
"added_tokens":[{"id":6,"content":"[X]","single_word":false,"lstrip":false,"rstrip":false,"normalized":false,"special":true}],
"normalizer":null,"pre_tokenizer":{"type":"WhitespaceSplit"},"decoder":null,
"post_processor":{"type":"BertProcessing","sep":["[SEP]",2],"cls":["[CLS]",1]},
"model":{"type":"WordPiece","vocab":{"[UNK]":0,"[CLS]":1,"[SEP]":2,"a":3,"##b":4,"c":5,"[X]":6},
"unk_token":"[UNK]","continuing_subword_prefix":"##","max_input_chars_per_word":100}}`

// TestPairLengths shortens pairs of 0 to 9 words of one to four pieces, with added tokens, to 3 to
// 17 ids like tokenizers 0.23.3 (PyPI): the digests are of its ids and segments. (0.23.2 of npm
// read no more of a text than the limit and then took the second for the longer one.)
func TestPairLengths(t *testing.T) {
	tok, err := tokenizer.Read([]byte(pairFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		left   bool
		digest string
	}{
		{false, "a19841eb6f9f7a2f54b765c7c60a9fd22401175719a45e0b0a3ba2d658d72d9d"},
		{true, "ac92544ec9d234e5d9effc26c7b2a5f4e0be795790e083c99e8fea44331d608d"},
	} {
		digest := sha256.New()
		for _, words := range [][]string{{"a"}, {"abb"}, {"abb", "[X]"}, {"[X]"}} {
			for limit := 3; limit <= 17; limit++ {
				for pair := range 100 {
					a, b := repeated(words, pair/10), repeated(words, pair%10)
					b = strings.ReplaceAll(strings.ReplaceAll(b, "a", "c"), "cbb", "abbb")
					ids, types := tok.Cutting(c.left).EncodePair(a, b, limit)
					fmt.Fprintln(digest, commas(ids), commas(types))
				}
			}
		}
		if got := fmt.Sprintf("%x", digest.Sum(nil)); got != c.digest {
			t.Errorf("cut left %v: digest %s, the library's is %s", c.left, got, c.digest)
		}
	}
}

// repeated returns n words, cycling through words.
func repeated(words []string, n int) string {
	text := make([]string, n)
	for i := range text {
		text[i] = words[i%len(words)]
	}
	return strings.Join(text, " ")
}

func commas(list []int32) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(list), "[]"), " ", ",")
}

// TestOddRoom shows cases of TestPairLengths: the odd id belongs to the longer text, and to the
// second if both are equally long.
func TestOddRoom(t *testing.T) {
	tok, err := tokenizer.Read([]byte(pairFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ a, b, limit, first, second int }{
		{13, 12, 14, 6, 5}, {14, 13, 14, 6, 5}, {15, 14, 14, 6, 5}, {14, 14, 14, 5, 6}, {14, 15, 14, 5, 6}, {20, 15, 14, 6, 5},
		{20, 13, 14, 6, 5}, {20, 6, 14, 6, 5}, {20, 5, 14, 6, 5}, {20, 4, 14, 7, 4}, {4, 20, 14, 4, 7}, {9, 8, 8, 3, 2}, {9, 7, 8, 3, 2},
	} {
		ids, _ := tok.EncodePair(strings.Repeat("a ", c.a), strings.Repeat("c ", c.b), c.limit)
		first, second := 0, 0
		for _, id := range ids {
			switch id {
			case 3:
				first++
			case 5:
				second++
			}
		}
		if first != c.first || second != c.second {
			t.Errorf("%d and %d in %d: %d and %d, want %d and %d", c.a, c.b, c.limit, first, second, c.first, c.second)
		}
	}
}
