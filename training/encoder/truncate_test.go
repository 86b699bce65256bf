package encoder_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infbench/training/encoder"
)

const promptsFile = "config_sentence_transformers.json"

// TestTruncateDim: sentence-transformers 6.2 cuts vectors to the first truncate_dim values after
// all modules (SentenceTransformer._inference, util/tensor.py: embeddings[..., :truncate_dim]),
// does not scale them again, and keeps the key when it saves.
func TestTruncateDim(t *testing.T) {
	whole := tiny(t)
	vectors := func(e *encoder.Encoder) []float32 {
		t.Helper()
		out := make([]float32, 2*e.Dim())
		if err := e.EncodeQueries(context.Background(), []string{"w1 w2 w3"}, []string{""}, out[:e.Dim()]); err != nil {
			t.Fatal(err)
		}
		if err := e.EncodeDocuments(context.Background(), []string{""}, []string{"w4 w5"}, out[e.Dim():]); err != nil {
			t.Fatal(err)
		}
		return out
	}
	want := vectors(whole)
	for _, c := range []struct {
		name  string
		value any
		dim   int
		wrong string
	}{
		{"cut", 16, 16, ""},
		{"one value", 1, 1, ""},
		{"null", nil, 64, ""},
		{"as wide", 64, 64, ""},
		{"wider", 100, 64, ""},
		{"none left", 0, 0, "truncate_dim 0: want a number of values"},
		{"from the end", -4, 0, "truncate_dim -4: want a number of values"},
		{"half a value", 1.5, 0, "truncate_dim 1.5: want a number of values"},
		{"a text", "16", 0, `truncate_dim "16": want a number of values`},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "model")
			if err := whole.Save(dir); err != nil {
				t.Fatal(err)
			}
			rewrite(t, filepath.Join(dir, promptsFile), map[string]any{"truncate_dim": c.value})
			found, err := encoder.Inspect(dir)
			if err != nil {
				t.Fatal(err)
			}
			e, err := encoder.Open(dir, backend(t))
			if c.wrong != "" {
				wantError(t, err, c.wrong)
				if len(found.Problems) != 1 || !strings.Contains(found.Problems[0], c.wrong) || !strings.Contains(found.Problems[0], promptsFile) {
					t.Errorf("inspected: %q", found.Problems)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			first := slices.Concat(want[:c.dim], want[64:64+c.dim])
			if got := vectors(e); e.Dim() != c.dim || e.Width() != 64 || !slices.Equal(got, first) {
				t.Errorf("%d of %d values: %v, want %v", e.Dim(), e.Width(), got, first)
			}
			if cut := c.dim < 64; found.Dim != c.dim || (found.Whole == 64) != cut {
				t.Errorf("inspected: %d of %d values", found.Dim, found.Whole)
			}
			again := filepath.Join(t.TempDir(), "again")
			if err := e.Save(again); err != nil {
				t.Fatal(err)
			}
			e.LeaveWhole()
			if got := vectors(e); !slices.Equal(got, want) {
				t.Errorf("uncut: %v, want %v", got, want)
			}
			if e, err = encoder.Open(again, backend(t)); err != nil {
				t.Fatal(err)
			}
			if got := vectors(e); !slices.Equal(got, first) {
				t.Errorf("saved: %v, want %v", got, first)
			}
		})
	}
}

// TestTruncatedProducts: if a Normalize module comes before the cut, inner products are those of
// vectors shorter than 1, which is neither cosine nor dot here.
func TestTruncatedProducts(t *testing.T) {
	for _, c := range []struct {
		similarity string
		normalize  bool
		dim        any
		want       string
		wrong      string
	}{
		{"cosine", true, 16, "cosine", ""},
		{"dot", false, 16, "dot", ""},
		{"dot", true, nil, "cosine", ""},
		{"dot", true, 16, "", "truncate_dim cuts vectors of length 1"},
	} {
		config := encoder.TinyBERT()
		config.Text.Normalize = c.normalize
		e, err := encoder.New(config, wordTokenizer(t, 600), 42, backend(t))
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(t.TempDir(), "model")
		if err := e.Save(dir); err != nil {
			t.Fatal(err)
		}
		rewrite(t, filepath.Join(dir, promptsFile), map[string]any{"truncate_dim": c.dim, "similarity_fn_name": c.similarity})
		got, err := encoder.FolderSimilarity(dir)
		if c.wrong != "" {
			wantError(t, err, c.wrong)
		} else if err != nil || got != c.want {
			t.Errorf("%s, normalize %v, truncate_dim %v: %q, %v, want %q", c.similarity, c.normalize, c.dim, got, err, c.want)
		}
	}
}
