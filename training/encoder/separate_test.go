package encoder_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infbench/internal/disk"
	"infbench/training/encoder"
)

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

// separated returns a tiny encoder whose documents have other weights than its queries.
func separated(t *testing.T, below string) *encoder.Encoder {
	t.Helper()
	e := tiny(t)
	if err := e.Separate(); err != nil {
		t.Fatal(err)
	}
	stir(t, e, below)
	return e
}

// TestSeparate: copies start equal; then each side follows only its own weights.
func TestSeparate(t *testing.T) {
	q, i, d := []string{text(6, 1)}, []string{text(4, 2)}, []string{text(9, 3)}
	shared := tiny(t)
	query, document := encodePairs(t, shared, q, i)[0], encodeTexts(t, shared, d)
	for _, c := range []struct {
		stir            string
		query, document bool // whether they equal those of shared weights
	}{{"", true, true}, {"/documents/", true, false}, {"/encoder", false, true}} {
		e := tiny(t)
		if err := e.Separate(); err != nil {
			t.Fatal(err)
		}
		if c.stir != "" {
			stir(t, e, c.stir)
		}
		if got := slices.Equal(encodePairs(t, e, q, i)[0], query); got != c.query {
			t.Errorf("stirred %q: query as before: %t", c.stir, got)
		}
		if got := slices.Equal(encodeTexts(t, e, d), document); got != c.document {
			t.Errorf("stirred %q: document as before: %t", c.stir, got)
		}
	}
}

// TestSeparateSaveOpen: the folder of separate encoders opens to the same vectors, with every
// interaction that has weights, and is inspected as its kind; its parts are models by themselves.
func TestSeparateSaveOpen(t *testing.T) {
	q, i, d := []string{text(6, 1)}, []string{text(4, 2)}, []string{text(9, 3)}
	for _, kind := range []encoder.Interaction{encoder.Concat, encoder.CrossAttentionProjected} {
		e := separated(t, "/documents/")
		if err := e.SetInteraction(kind); err != nil {
			t.Fatal(err)
		}
		if kind == encoder.CrossAttentionProjected {
			stir(t, e, "/interaction.")
		}
		dir := filepath.Join(t.TempDir(), "model")
		if err := e.Save(dir); err != nil {
			t.Fatal(err)
		}
		back, err := encoder.Open(dir, backend(t))
		if err != nil {
			t.Fatal(err)
		}
		if !back.Separated() || !slices.Equal(encodePairs(t, back, q, i)[0], encodePairs(t, e, q, i)[0]) ||
			!slices.Equal(encodeTexts(t, back, d), encodeTexts(t, e, d)) {
			t.Errorf("%s: other vectors after saving", kind)
		}
		part, err := encoder.Open(filepath.Join(dir, "document_encoder"), backend(t))
		if err != nil || !slices.Equal(encodeTexts(t, part, d), encodeTexts(t, e, d)) {
			t.Errorf("%s: the document encoder alone has other vectors: %v", kind, err)
		}
		found, err := encoder.Inspect(dir)
		if err != nil || !found.Runs() || found.Kind != "separate encoders" || found.Dim != e.Dim() {
			t.Errorf("inspected as %+v, %v", found, err)
		}
		if one, err := encoder.Inspect(filepath.Join(dir, "query_encoder")); err != nil || found.Parameters != 2*one.Parameters {
			t.Errorf("%d parameters, %d in one part, %v", found.Parameters, one.Parameters, err)
		}
	}
}

// TestBrokenSeparate: the error names the problem of one side.
func TestBrokenSeparate(t *testing.T) {
	for _, c := range []struct {
		want  string
		spoil func(dir string) error
	}{
		{"document_encoder", func(dir string) error { return os.RemoveAll(filepath.Join(dir, "document_encoder")) }},
		{"must both be folders inside", func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "infbench.json"), []byte(`{"query_encoder": "../x", "document_encoder": "y"}`), 0o600)
		}},
		{"one handling of texts", func(dir string) error {
			path := filepath.Join(dir, "query_encoder", "infbench.json")
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			return os.WriteFile(path, []byte(strings.Replace(string(data), `"max_query_tokens": 40`, `"max_query_tokens": 30`, 1)), 0o600)
		}},
	} {
		dir := filepath.Join(t.TempDir(), "model")
		if err := separated(t, "/documents/").Save(dir); err != nil {
			t.Fatal(err)
		}
		if err := c.spoil(dir); err != nil {
			t.Fatal(err)
		}
		if _, err := encoder.Open(dir, backend(t)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// TestSeparateAdapters: both sides get an adapter. Merged or opened again, they change both.
func TestSeparateAdapters(t *testing.T) {
	q, i, d := []string{text(6, 1)}, []string{text(4, 2)}, []string{text(9, 3)}
	e := separated(t, "/documents/")
	base, adapter := filepath.Join(t.TempDir(), "model"), filepath.Join(t.TempDir(), "adapter")
	if err := e.Save(base); err != nil {
		t.Fatal(err)
	}
	query, document := encodePairs(t, e, q, i)[0], encodeTexts(t, e, d)
	if err := e.Adapt(encoder.LoRA{Rank: 2}, 1); err != nil {
		t.Fatal(err)
	}
	stir(t, e, "/lora/")
	if err := e.SaveAdapter(adapter); err != nil {
		t.Fatal(err)
	}
	if err := e.Merge(); err != nil {
		t.Fatal(err)
	}
	back, err := encoder.OpenAdapted(base, adapter, backend(t))
	if err != nil {
		t.Fatal(err)
	}
	if slices.Equal(encodePairs(t, e, q, i)[0], query) || slices.Equal(encodeTexts(t, e, d), document) {
		t.Error("an adapter changes nothing")
	}
	if !slices.Equal(encodePairs(t, e, q, i)[0], encodePairs(t, back, q, i)[0]) || !slices.Equal(encodeTexts(t, e, d), encodeTexts(t, back, d)) {
		t.Error("adapters opened again give other vectors")
	}
}

// TestSaveAdapted: an adapter that names its base has the vectors of the merged model, with the
// handling of texts that it was trained with, and replaces a model of its name.
func TestSaveAdapted(t *testing.T) {
	q, i, d := []string{text(6, 1)}, []string{text(4, 2)}, []string{text(9, 3)}
	parent := t.TempDir()
	base, adapter, dir := filepath.Join(parent, "base"), filepath.Join(parent, "adapter"), filepath.Join(parent, "model")
	if err := errors.Join(tiny(t).Save(base), tiny(t).Save(dir)); err != nil {
		t.Fatal(err)
	}
	e, err := encoder.Open(base, backend(t))
	if err != nil {
		t.Fatal(err)
	}
	before := encodeTexts(t, e, d)
	if err := e.Apply(encoder.Design{Pooling: encoder.CLS, Join: "{instruction} then {query}", MaxDocument: 8, TruncationSide: encoder.Left}); err != nil {
		t.Fatal(err)
	}
	if err := e.Adapt(encoder.LoRA{Rank: 2, Alpha: 3}, 1); err != nil {
		t.Fatal(err)
	}
	stir(t, e, "/lora/")
	if err := errors.Join(e.SaveAdapter(adapter), e.Merge(), encoder.SaveAdapted(e, disk.OS{}, dir, adapter, "../base", "")); err != nil {
		t.Fatal(err)
	}
	name, revision, err := encoder.AdapterBase(dir)
	if err != nil || name != "../base" || revision != "" || !encoder.IsAdapter(dir) {
		t.Errorf("base %q at %q, %v", name, revision, err)
	}
	if exists(dir, "model.safetensors") || exists(dir, "modules.json") {
		t.Error("files of the model before are left")
	}
	back, err := encoder.OpenAdapted(filepath.Join(dir, name), dir, backend(t))
	if err != nil {
		t.Fatal(err)
	}
	if slices.Equal(encodeTexts(t, e, d), before) {
		t.Error("the adapter changes nothing")
	}
	if !slices.Equal(encodePairs(t, e, q, i)[0], encodePairs(t, back, q, i)[0]) || !slices.Equal(encodeTexts(t, e, d), encodeTexts(t, back, d)) {
		t.Error("the adapter opened again gives other vectors")
	}
	for _, c := range []struct {
		separate bool
		by       encoder.Interaction
		want     string
	}{{true, encoder.Concat, "separate encoders"}, {false, encoder.CrossAttentionProjected, "the projections of interaction cross_attention(projections=learned) are not in the adapter"}, {false, encoder.CrossAttention, ""}} {
		if err := encoder.CheckKeep(c.separate, c.by); c.want != "" || err != nil {
			wantError(t, err, c.want)
		}
	}
}
