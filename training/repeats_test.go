package training

import (
	"fmt"
	"math"
	"testing"

	"infbench/datasets"
	"infbench/datasets/mixture"
)

// passages are n records of a query and a passage each; distinct says how many different
// passages there are, round and round.
func passages(n, distinct int) mixture.Data {
	var all []datasets.Record
	for i := range n {
		row := datasets.Row{Query: fmt.Sprintf("find thing %d", i), Passage: fmt.Sprintf("a thing of kind %d", i%distinct)}
		all = append(all, datasets.Record{ID: fmt.Sprint(i), Rows: []datasets.Row{row}})
	}
	return mixture.Data{{Source: mixture.Source{Name: "pairs"}, Records: all}}
}

// A batch that holds one passage twelve times has no negative at all: with nothing said
// its loss is 0. Where equal texts are kept, as the presets of paper and reference code
// do, all twelve tie, and it is ln 12.
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

// Where no text of a batch equals another one, masking is the program that masks
// nothing, to the last byte of the weights; where some do it is another.
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

// Batches are numbered for the graph that masks only where they hold equal texts.
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
	tk.beside = tk.newBeside(c, o, listings(c, o, data), Options{})
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

func TestRepeats(t *testing.T) {
	record := func(rows ...datasets.Row) datasets.Record { return datasets.Record{Rows: rows} }
	triplet := record(datasets.Row{Instruction: "i", Query: "q", Passage: "p"},
		datasets.Row{Instruction: "j", Query: "q", Passage: "r"}, datasets.Row{Instruction: "i", Query: "s", Passage: "t"})
	pair := func(query, passage string, negatives ...string) datasets.Record {
		return record(datasets.Row{Query: query, Passage: passage, Negatives: negatives})
	}
	for name, w := range map[string]struct {
		records []datasets.Record
		edit    func(*Config)
		want    bool
	}{
		"a triplet":                           {[]datasets.Record{triplet}, nil, false},
		"a triplet, each query read anew":     {[]datasets.Record{triplet}, func(c *Config) { c.IQTerm = QueryOnly }, true},
		"one passage of two queries":          {[]datasets.Record{pair("a", "x"), pair("b", "x")}, nil, true},
		"one query of two passages":           {[]datasets.Record{pair("a", "x"), pair("a", "y")}, nil, true},
		"no passages":                         {[]datasets.Record{pair("a", ""), pair("b", "")}, nil, false},
		"a negative that nobody takes":        {[]datasets.Record{pair("a", "x", "y"), pair("b", "y")}, nil, false},
		"a negative that is a row's passage":  {[]datasets.Record{pair("a", "x", "y"), pair("b", "y")}, func(c *Config) { c.Mined = 1 }, true},
		"a passage that was a negative":       {[]datasets.Record{pair("a", "x", "y"), pair("b", "y")}, func(c *Config) { c.Mined = 2 }, true},
		"a passage that becomes a negative":   {[]datasets.Record{pair("a", "x"), pair("b", "y", "z", "x")}, func(c *Config) { c.Mined = 2 }, true},
		"a negative of two rows, and no more": {[]datasets.Record{pair("a", "x", "z"), pair("b", "y", "z")}, func(c *Config) { c.Mined = 1 }, false},
	} {
		c := DefaultConfig()
		if w.edit != nil {
			w.edit(&c)
		}
		seen, got := c.NewRepeats(), false
		for _, r := range w.records {
			got = seen.Add(r) || got
		}
		if got != w.want {
			t.Errorf("%s: %v, want %v", name, got, w.want)
		}
	}
}
