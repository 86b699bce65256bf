package training

import (
	"slices"
	"strings"
	"testing"
)

// TestFreeze compares every weight before and after training: weights below the frozen modules
// keep their bits, also under weight decay, and the others move.
func TestFreeze(t *testing.T) {
	data := colours(24)
	c := toyConfig()
	c.Epochs, c.WeightDecay, c.DecayAll = 1, 0.1, true
	c.Freeze = []string{"embeddings.word_embeddings", "encoder.layer.0.attention"}
	for _, chunk := range []int{0, 8} {
		c.Chunk = chunk
		enc := newEncoder(t, data)
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
		for i, w := range before {
			frozen := strings.HasPrefix(w.Name, "embeddings.word_") || strings.HasPrefix(w.Name, "encoder.layer.0.attention.")
			if same := slices.Equal(w.Values, after[i].Values); same != frozen {
				t.Errorf("%s: unmoved is %v, frozen is %v", w.Name, same, frozen)
			}
		}
		for v := range enc.Store().IterVariables() {
			if !v.Trainable {
				t.Errorf("%s stays frozen after training", v.Path())
			}
		}
	}
}

func TestFreezeRefuses(t *testing.T) {
	data := colours(24)
	for part, modules := range map[string][]string{
		`no weights below "embedding" (known: embeddings, encoder`: {"embeddings", "embedding"},
		`no weights below "encoder.layer.9"`:                       {"encoder.layer.9"},
		"no weights are left to train":                             {"embeddings", "encoder"},
	} {
		c := toyConfig()
		c.Freeze = modules
		if _, err := Train(t.Context(), c, parsed(t, "uni(P)"), newEncoder(t, data), of(data), Options{}); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("freeze %v: got %v, want %q", modules, err, part)
		}
	}
}
