package training

import (
	"slices"
	"testing"
)

// Lengths returns the lengths of the sequences that a run embeds: their sum in each step is its
// number of tokens, and the passages come first.
func TestLengths(t *testing.T) {
	data := paperRecords(24)
	for name, change := range map[string]func(*Config){
		"whole":      func(*Config) {},
		"accumulate": func(c *Config) { c.Accumulate = 2 },
		"epochs":     func(c *Config) { c.Epochs = 3 },
	} {
		c := toyConfig()
		c.RowsPerGroup, c.Epochs = 6, 1
		change(&c)
		enc, l := newLong(t, data), parsed(t, "multi(P,I)")
		lengths, err := Lengths(c, l, enc, of(data))
		if err != nil {
			t.Fatal(err)
		}
		sum, err := Train(t.Context(), c, l, enc, of(data), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(lengths) != len(sum.Curve) || len(lengths) == 0 {
			t.Fatalf("%s: %d steps, want %d", name, len(lengths), len(sum.Curve))
		}
		for i, of := range lengths {
			tokens := 0
			for _, n := range of {
				tokens += n
			}
			if tokens != sum.Curve[i].Tokens || slices.Min(of) < 1 {
				t.Errorf("%s, step %d: %d tokens, want %d", name, i+1, tokens, sum.Curve[i].Tokens)
			}
		}
	}
}
