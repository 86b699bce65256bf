package encoder_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/training/encoder"
)

// cardFolder saves a tiny network like a published model, without an infbench.json.
func cardFolder(t *testing.T) string {
	t.Helper()
	e, err := encoder.New(encoder.TinyBERT(), wordTokenizer(t, 100), 1, backend(t))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := e.Save(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "infbench.json")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A card wins over the files of sentence-transformers, and the folder's own infbench.json wins
// over the card. Remarks name contradictions and the value that counts.
func TestCardOverFolder(t *testing.T) {
	no := false
	card := encoder.Card{
		Name: "made-up", Kind: "encoder", Pooling: encoder.CLS, Normalize: &no, MaxTokens: 512,
		Query: "query: {query} {instruction}", QueryAlone: "query: {query}", Document: "passage: {title} {text}", DocumentAlone: "passage: {text}",
	}
	dir := cardFolder(t)
	plain, err := encoder.Open(dir, backend(t))
	if err != nil {
		t.Fatal(err)
	}
	carded, err := card.Open(dir, backend(t))
	if err != nil {
		t.Fatal(err)
	}
	text := carded.Config().Text
	if text.Pooling != encoder.CLS || text.Normalize || text.Query != card.Query || text.DocumentAlone != card.DocumentAlone {
		t.Errorf("read as %+v", text)
	}
	if positions := encoder.TinyBERT().MaxPositionEmbeddings; text.MaxDocument != positions || text.MaxQuery != positions {
		t.Errorf("at most %d and %d tokens, the network reads %d", text.MaxQuery, text.MaxDocument, positions)
	}
	remarks := strings.Join(carded.Remarks(), "\n")
	for _, want := range []string{`pooling is "cls" by the card made-up and "mean" by the folder; the card's counts`, `normalize is "false" by`, `max_tokens is "512" by`} {
		if !strings.Contains(remarks, want) {
			t.Errorf("remarks %q lack %q", remarks, want)
		}
	}
	if plain.Config().Text.Pooling != encoder.Mean || len(plain.Remarks()) > 0 {
		t.Errorf("without a card: %+v, %q", plain.Config().Text, plain.Remarks())
	}
	if alike, err := (&encoder.Card{Name: "alike", Kind: "encoder", Pooling: encoder.Mean}).Open(dir, backend(t)); err != nil || len(alike.Remarks()) > 0 {
		t.Errorf("a card that agrees: %v, %v", alike.Remarks(), err)
	}

	settings, err := (&encoder.Card{Kind: "encoder", Pooling: encoder.Mean, Query: "q {query} {instruction}", QueryAlone: "q {query}"}).Settings()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "infbench.json"), settings, 0o644); err != nil {
		t.Fatal(err)
	}
	own, err := card.Open(dir, backend(t))
	if err != nil {
		t.Fatal(err)
	}
	if text := own.Config().Text; text.Pooling != encoder.Mean || text.QueryAlone != "q {query}" || card.Over(dir) {
		t.Errorf("with infbench.json: %+v", text)
	}
	if remarks := strings.Join(own.Remarks(), "\n"); !strings.Contains(remarks, "infbench.json's counts") {
		t.Errorf("remarks %q", remarks)
	}
}

// Opening with a card gives the same result as writing the card's settings into the folder, for
// every card of an encoder without contradictions in the folder.
func TestCardsAreTheirSettings(t *testing.T) {
	cards, err := encoder.Cards()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cards {
		if c.Kind != "encoder" || c.AppendEOS {
			continue
		}
		dir := cardFolder(t)
		carded, err := c.Open(dir, backend(t))
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		settings, err := c.Settings()
		if err != nil {
			t.Fatal(err)
		}
		var own map[string]any
		if err := json.Unmarshal(settings, &own); err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"max_query_tokens", "max_document_tokens"} { // the card may name more than this network reads
			if n, ok := own[key].(float64); ok {
				own[key] = min(n, float64(carded.Config().MaxPositionEmbeddings))
			}
		}
		if settings, err = json.Marshal(own); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "infbench.json"), settings, 0o644); err != nil {
			t.Fatal(err)
		}
		written, err := encoder.Open(dir, backend(t))
		if err != nil {
			t.Fatal(err)
		}
		a, b := carded.Config().Text, written.Config().Text
		if x, y := a.Pooling, b.Pooling; x != y || a.Query != b.Query || a.QueryAlone != b.QueryAlone || a.Document != b.Document || a.DocumentAlone != b.DocumentAlone ||
			a.Normalize != b.Normalize || a.Prompt != b.Prompt || a.BothWays != b.BothWays || c.MaxTokens > 0 && a.MaxQuery != b.MaxQuery {
			t.Errorf("%s: carded %+v, by its settings %+v", c.Name, a, b)
		}
	}
}
