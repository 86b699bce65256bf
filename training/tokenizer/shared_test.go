package tokenizer_test

import (
	"encoding/json"
	"os"
	"testing"

	"infbench/internal/testkit"
	"infbench/training/tokenizer"
)

// sharedFile returns a file of the shared tokenizer data, or skips the test.
func sharedFile(t testing.TB, elements ...string) string {
	t.Helper()
	return testkit.SharedPath(t, append([]string{"data", "tokenizers"}, elements...)...)
}

// readJSON decodes a shared file into v.
func readJSON(t testing.TB, v any, elements ...string) {
	t.Helper()
	data, err := os.ReadFile(sharedFile(t, elements...))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatal(err)
	}
}

// open returns the tokenizer of a shared tokenizer.json.
func open(t testing.TB, elements ...string) *tokenizer.Tokenizer {
	t.Helper()
	data, err := os.ReadFile(sharedFile(t, elements...))
	if err != nil {
		t.Fatal(err)
	}
	tok, err := tokenizer.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	return tok
}
