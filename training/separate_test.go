package training

import (
	"strings"
	"testing"

	"infbench/training/encoder"
)

// TestSeparateLearnsAndResumes trains both sides, with projections, dropout and
// accumulation, and continues after a crash to the same bits.
func TestSeparateLearnsAndResumes(t *testing.T) {
	data := colours(24)
	c := toyConfig()
	c.Epochs, c.Dropout, c.Accumulate = 4, 0.05, 2
	l := parsed(t, "uni(P,I)")
	fresh := func() *encoder.Encoder { return designed(t, data, encoder.CrossAttentionProjected, true) }
	enc := fresh()
	before, err := stored(enc.Store())
	if err != nil {
		t.Fatal(err)
	}
	sum, err := Train(t.Context(), c, l, enc, of(data), Options{})
	if err != nil {
		t.Fatal(err)
	}
	after, err := stored(enc.Store())
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range after {
		if strings.HasSuffix(v.Name, "key.bias") || strings.Contains(v.Name, "token_type") || strings.Contains(v.Name, "position") {
			continue // without a gradient, or with rows that no token uses
		}
		if distance(v.Values, before[i].Values) == 0 {
			t.Errorf("%s does not move", v.Name)
		}
	}
	if first, last := sum.Curve[0].Loss, sum.Curve[len(sum.Curve)-1].Loss; !(last < first) {
		t.Errorf("loss went from %v to %v", first, last)
	}
	dir := t.TempDir()
	func() {
		defer func() { _ = recover() }()
		_, _ = Train(t.Context(), c, l, fresh(), of(data), Options{Checkpoint: dir, Every: 5, OnStep: func(s Step) {
			if s.Step == 8 {
				panic("crash")
			}
		}})
	}()
	again := fresh()
	rest, err := Train(t.Context(), c, l, again, of(data), Options{Checkpoint: dir, Every: 5})
	if err != nil || rest.Resumed != 5 || digest(t, again) != digest(t, enc) {
		t.Errorf("resumed at %d: other weights, or error %v", rest.Resumed, err)
	}
}

// TestSeparateFreezes: a module is frozen on both sides, or on one side by its full name; an
// adapter moves both sides.
func TestSeparateFreezes(t *testing.T) {
	data := colours(8)
	const queries, documents = "embeddings.word_embeddings.weight", "documents/embeddings.word_embeddings.weight"
	for _, w := range []struct {
		name               string
		edit               func(*Config)
		queries, documents bool // whether they move
	}{
		{"nothing", func(*Config) {}, true, true},
		{"embeddings", func(c *Config) { c.Freeze = []string{"embeddings"} }, false, false},
		{"documents/embeddings", func(c *Config) { c.Freeze = []string{"documents/embeddings"} }, true, false},
		{"all documents, in chunks", func(c *Config) {
			c.Chunk, c.Freeze = 8, []string{"documents/embeddings", "documents/encoder"}
		}, true, false},
	} {
		c := toyConfig()
		c.Epochs = 1
		w.edit(&c)
		enc := designed(t, data, encoder.Concat, true)
		value := func(name string) []float32 {
			list, err := stored(enc.Store())
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range list {
				if v.Name == name {
					return v.Values
				}
			}
			t.Fatalf("no weight %s", name)
			return nil
		}
		q, d := value(queries), value(documents)
		if _, err := Train(t.Context(), c, parsed(t, "uni(P)"), enc, of(data), Options{}); err != nil {
			t.Fatalf("%s: %v", w.name, err)
		}
		if got := distance(value(queries), q) > 0; got != w.queries {
			t.Errorf("freeze %s: queries move: %t", w.name, got)
		}
		if got := distance(value(documents), d) > 0; got != w.documents {
			t.Errorf("freeze %s: documents move: %t", w.name, got)
		}
	}
}

func TestSeparateAdapts(t *testing.T) {
	data := colours(8)
	c := toyConfig()
	c.Epochs, c.LoRA = 1, encoder.LoRA{Rank: 2}
	enc := designed(t, data, encoder.CrossAttentionProjected, true)
	before, err := stored(enc.Store())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Train(t.Context(), c, parsed(t, "uni(P)"), enc, of(data), Options{}); err != nil {
		t.Fatal(err)
	}
	after, err := stored(enc.Store())
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range after {
		linear := strings.HasSuffix(v.Name, ".weight") && (strings.Contains(v.Name, "dense") || strings.Contains(v.Name, "self."))
		if moved := distance(v.Values, before[i].Values) > 0; moved != (linear || strings.HasPrefix(v.Name, "interaction.")) {
			t.Errorf("%s moved: %t", v.Name, moved)
		}
	}
}
