package tokenizer_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"infbench/training/tokenizer"
)

// TestBuildWordPiece is by hand. b occurs 5 times, a 4, c once; the word "ab" occurs 3 times, "b"
// twice, "ac" once.
func TestBuildWordPiece(t *testing.T) {
	texts := []string{"ab ab b", "AB", "b ac"}
	tok, err := tokenizer.BuildWordPiece(slices.Values(texts), 13)
	if err != nil {
		t.Fatal(err)
	}
	var vocab []string
	for id := range tok.VocabSize() {
		vocab = append(vocab, tok.Token(int32(id)))
	}
	want := "[PAD] [UNK] [CLS] [SEP] [MASK] b ##b a ##a ab ac"
	if got := strings.Join(vocab, " "); got != want {
		t.Errorf("vocabulary %q, want %q", got, want)
	}
	slices.Reverse(texts)
	again, err := tokenizer.BuildWordPiece(slices.Values(texts), 13)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(tok.JSON(), again.JSON()) {
		t.Error("the order of texts changes the vocabulary")
	}
}

// TestBuildSpells: every word made of known characters gets pieces, and no [UNK].
func TestBuildSpells(t *testing.T) {
	tok, err := tokenizer.BuildWordPiece(slices.Values([]string{"drought in the upper valley"}), 200)
	if err != nil {
		t.Fatal(err)
	}
	unknown, _ := tok.ID("[UNK]")
	if got := tok.Tokenize("valley droughty unthrepel"); slices.Contains(got, unknown) {
		t.Errorf("%v", tokens(tok, got))
	}
	if got := tok.Tokenize("Valley"); len(got) != 1 {
		t.Errorf("a word of the texts is split: %v", tokens(tok, got))
	}
}

func TestBuildTooSmall(t *testing.T) {
	if _, err := tokenizer.BuildWordPiece(slices.Values([]string{"a"}), 9); err == nil {
		t.Error("no error")
	}
}
