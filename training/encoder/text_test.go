package encoder_test

import (
	"path/filepath"
	"slices"
	"testing"

	"infbench/training/encoder"
)

// TestAppendEOS: every text ends with the model's end token, once, and is not longer than
// allowed; the same holds for a saved model.
func TestAppendEOS(t *testing.T) {
	const file = `{"query": "{query} {instruction}", "query_without_instruction": "{query}", "document": "{title} {text}",
		"document_without_title": "{text}", "max_query_tokens": 6, "max_document_tokens": 8, "append_eos": true}`
	dir := goldenCopy(t, "llama", file)
	plain, err := encoder.Open(goldenCopy(t, "llama", ""), backend(t))
	if err != nil {
		t.Fatal(err)
	}
	const eos = 2 // llama/config.json
	for range 2 {
		e, err := encoder.Open(dir, backend(t))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := e.Tokens().Query("w1", "w2"), append(plain.Tokens().Query("w1", "w2"), eos); !slices.Equal(got, want) {
			t.Errorf("query: %v, want %v", got, want)
		}
		got := e.Tokens().Document("", text(50, 1))
		if want := append(plain.Tokenizer().Encode(text(50, 1), 7), eos); !slices.Equal(got, want) {
			t.Errorf("long document: %v, want %v", got, want)
		}
		dir = filepath.Join(t.TempDir(), "saved")
		if err := e.Save(dir); err != nil {
			t.Fatal(err)
		}
	}
	// If the tokenizer's own last token is the end token, it is not repeated.
	sep, _ := plain.Tokenizer().ID("[SEP]")
	damage(t, filepath.Join(dir, "config.json"), replace(`"eos_token_id": 2`, `"eos_token_id": [`+string(rune('0'+sep))+`, 7]`))
	e, err := encoder.Open(dir, backend(t))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := e.Tokens().Query("w1", "w2"), plain.Tokens().Query("w1", "w2"); !slices.Equal(got, want) {
		t.Errorf("ends already: %v, want %v", got, want)
	}
	for _, c := range []struct{ file, old, new, want string }{
		{"config.json", `"eos_token_id"`, `"oes_token_id"`, "append_eos: config.json has no eos_token_id"},
		{"config.json", `"eos_token_id": 2`, `"eos_token_id": null`, "append_eos: config.json has no eos_token_id"},
		{"config.json", `"eos_token_id": 2`, `"eos_token_id": 99999`, "eos_token_id is 99999"},
		{"infbench.json", `"max_query_tokens": 6`, `"max_query_tokens": 1`, "append_eos leaves no room"},
	} {
		dir := goldenCopy(t, "llama", file)
		damage(t, filepath.Join(dir, c.file), replace(c.old, c.new))
		_, err := encoder.Open(dir, backend(t))
		wantError(t, err, c.want)
	}
}
