package encoder_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/training/encoder"
)

// TestSettings: a folder with a card's settings handles texts as the card defines, including
// pooling; settings missing in the card do not change.
func TestSettings(t *testing.T) {
	write := func(dir string, card encoder.Card) {
		t.Helper()
		data, err := card.Settings()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "infbench.json"), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	dir := filepath.Join(t.TempDir(), "model")
	if err := tiny(t).Save(dir); err != nil {
		t.Fatal(err)
	}
	card, err := encoder.ParseCard([]byte(`
name: x
kind: encoder
pooling: cls
normalize: false
query: "<q> {instruction}: {query}"
query_without_instruction: "{query}"
max_tokens: 33
sources: [y]
`))
	if err != nil {
		t.Fatal(err)
	}
	write(dir, card)
	e, err := encoder.Open(dir, backend(t))
	if err != nil {
		t.Fatal(err)
	}
	text := e.Config().Text
	if text.Pooling != encoder.CLS || text.Normalize || text.Query != "<q> {instruction}: {query}" || text.QueryAlone != "{query}" ||
		text.Document != "{title} {text}" || text.MaxQuery != 33 || text.MaxDocument != 33 {
		t.Errorf("%+v", text)
	}
	card.Pooling, card.Normalize = "", nil
	write(dir, card)
	if e, err = encoder.Open(dir, backend(t)); err != nil {
		t.Fatal(err)
	}
	if text := e.Config().Text; text.Pooling != encoder.Mean || !text.Normalize {
		t.Errorf("card without pooling: %+v", text)
	}
}

// TestSettingsJudge: a card's judge turns a language model into a cross-encoder. The golden's
// vocabulary lacks MonoT5's words, which shows that they are read.
func TestSettingsJudge(t *testing.T) {
	card, err := encoder.CardOf("monot5-base")
	if err != nil {
		t.Fatal(err)
	}
	data, err := card.Settings()
	if err != nil {
		t.Fatal(err)
	}
	_, err = encoder.OpenCrossEncoder(goldenCopy(t, "t5_relu", string(data)), backend(t))
	wantError(t, err, `the judge's word "▁false" is not a token of the vocabulary`)
	known := strings.NewReplacer("▁false", "w1", "▁true", "w2").Replace(string(data))
	c, err := encoder.OpenCrossEncoder(goldenCopy(t, "t5_relu", known), backend(t))
	if err != nil {
		t.Fatal(err)
	}
	if got := scores(t, c, "w3", "w4", []string{"w5"}); len(got) != 1 || !(got[0] < 0) {
		t.Errorf("log probability %v", got)
	}
	remote, err := encoder.CardOf("google-gecko")
	if err != nil {
		t.Fatal(err)
	}
	_, err = remote.Settings()
	wantError(t, err, "google-gecko is remote and has no folder")
}
