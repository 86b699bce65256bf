package tokenizer_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"infbench/internal/testkit"
	"infbench/training/tokenizer"
)

// oldVocabulary returns the folder of SentencePiece's own outputs, or skips the test.
func oldVocabulary(t testing.TB) string {
	t.Helper()
	return testkit.SharedPath(t, "goldens-bin", "sentencepiece")
}

// folderOf copies files into a folder under other names.
func folderOf(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func readFile(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestModelFileGoldens compares ids with those of
// SentencePiece 0.1.97 (goldens-bin/README.md): unigram with nmt_nfkc, BPE with bytes,
// unigram with nfkc_cf and user-defined symbols.
func TestModelFileGoldens(t *testing.T) {
	dir := oldVocabulary(t)
	var golden struct {
		Strings []string
		Models  map[string]struct {
			Size int `json:"vocab_size"`
			IDs  [][]int32
		}
	}
	if err := json.Unmarshal([]byte(readFile(t, filepath.Join(dir, "ids.json"))), &golden); err != nil {
		t.Fatal(err)
	}
	if len(golden.Models) != 3 || len(golden.Strings) != 399 {
		t.Fatalf("%d models, %d strings", len(golden.Models), len(golden.Strings))
	}
	for name, want := range golden.Models {
		t.Run(name, func(t *testing.T) {
			tok, err := tokenizer.ReadSentencePiece([]byte(readFile(t, filepath.Join(dir, name))))
			if err != nil {
				t.Fatal(err)
			}
			if tok.VocabSize() != want.Size {
				t.Errorf("%d tokens, want %d", tok.VocabSize(), want.Size)
			}
			for i, text := range golden.Strings {
				if ids := tok.Tokenize(text); !slices.Equal(ids, want.IDs[i]) {
					t.Fatalf("%q:\n%v, want\n%v", text, ids, want.IDs[i])
				}
			}
		})
	}
}
