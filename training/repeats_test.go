package training

import (
	"fmt"
	"math"
	"testing"

	"infbench/datasets"
	"infbench/datasets/mixture"
)

// passages returns n records of a query and a passage each; distinct is the number of different
// passages, which repeat in turn.
func passages(n, distinct int) mixture.Data {
	var all []datasets.Record
	for i := range n {
		row := datasets.Row{Query: fmt.Sprintf("find thing %d", i), Passage: fmt.Sprintf("a thing of kind %d", i%distinct)}
		all = append(all, datasets.Record{ID: fmt.Sprint(i), Rows: []datasets.Row{row}})
	}
	return mixture.Data{{Source: mixture.Source{Name: "pairs"}, Records: all}}
}

// A batch that holds one passage twelve times has no negative, so by default its loss is 0. If
// equal texts are kept, as in the presets of paper and reference code, all twelve tie and the
// loss is ln 12.
func TestEqualPassagesAreNoNegatives(t *testing.T) {
	for _, w := range []struct {
		name string
		edit func(*Config)
		want float64
	}{
		{"nothing said", func(*Config) {}, 0},
		{"mask", func(c *Config) { c.FalseNegatives.Equal = Mask }, 0},
		{"keep", func(c *Config) { c.FalseNegatives.Equal = Keep }, math.Log(12)},
		{"keep, by the older name", func(c *Config) { c.Negatives.Equal = Keep }, math.Log(12)},
		{"paper", func(c *Config) { c.Fidelity = "paper" }, math.Log(12)},
		{"reference", func(c *Config) { c.Fidelity = "reference" }, math.Log(12)},
		{"paper, mask by the older name", func(c *Config) { c.Fidelity, c.Negatives.Equal = "paper", Mask }, 0},
		{"chunks, nothing said", func(c *Config) { c.Chunk = 4 }, 0},
	} {
		c := toyConfig()
		c.Epochs = 1
		w.edit(&c)
		_, sum, err := trainOn(t, t.Context(), passages(12, 1), c, parsed(t, "uni(P)"), false, Options{})
		if err != nil {
			t.Fatalf("%s: %v", w.name, err)
		}
		if got := sum.Curve[0].Loss; math.Abs(got-w.want) > 1e-5 {
			t.Errorf("%s: loss %v, want %v", w.name, got, w.want)
		}
	}
}

// If no text of a batch equals another one, masking is the same program as no masking, to the
// last byte of the weights. If some texts are equal, it is another program.
func TestMaskingNothingIsTheSameProgram(t *testing.T) {
	weights := func(equal Duplicates, distinct int, chunk int) string {
		c := toyConfig()
		c.Epochs, c.FalseNegatives.Equal, c.Chunk = 2, equal, chunk
		digest, _, err := trainOn(t, t.Context(), passages(24, distinct), c, parsed(t, "uni(P,ST)"), false, Options{})
		if err != nil {
			t.Fatal(err)
		}
		return digest
	}
	for _, chunk := range []int{0, 8} {
		if weights("", 24, chunk) != weights(Keep, 24, chunk) {
			t.Errorf("chunk %d: masking changes the weights where nothing is equal", chunk)
		}
		if weights("", 20, chunk) == weights(Keep, 20, chunk) {
			t.Errorf("chunk %d: masking changes nothing where passages are equal", chunk)
		}
	}
}

// Only batches with equal texts get labels, for the graph that masks.
func TestLabelsOfBatchesThatRepeat(t *testing.T) {
	data := passages(24, 20)
	c := toyConfig()
	o, err := c.Objective()
	if err != nil {
		t.Fatal(err)
	}
	s, err := newSampler(c, o, parsed(t, "uni(P)"), data)
	if err != nil {
		t.Fatal(err)
	}
	tk := newTokens(newEncoder(t, colours(24)), "", s.rows, false)
	tk.modifierInputs = tk.newModifierInputs(c, o, listings(c, o, data), Options{})
	kinds := map[bool]int{}
	for b := range 40 {
		batch := s.batch(b)
		seen := map[string]bool{}
		for _, i := range batch.Rows {
			seen[s.rows[i].Passage] = true
		}
		repeats := len(seen) < len(batch.Rows)
		kinds[repeats]++
		if got := len(tk.labels(batch)) > 0; got != repeats {
			t.Errorf("batch %d: labels %v, equal passages %v", b, got, repeats)
		}
	}
	if kinds[true] == 0 || kinds[false] == 0 {
		t.Errorf("batches with and without equal passages: %v", kinds)
	}
}
