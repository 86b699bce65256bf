package cost

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"infbench/datasets"
	"infbench/runners/catalog"
	"infbench/runners/device"
	"infbench/runners/spec"
)

// TestTinyShape: the estimated parameters of a tiny network equal those in its folder, except
// biases, norms and positions, which are at most a twentieth.
func TestTinyShape(t *testing.T) {
	for _, name := range []string{"tiny-bert", "tiny-llama"} { // two and three feed-forward matrices
		c := spec.DefaultCell()
		c.Backbone = name
		enc, _, err := catalog.NewBackbone(&c, device.Options{Device: device.GoDevice})
		if err != nil {
			t.Fatal(err)
		}
		folder := filepath.Join(t.TempDir(), name)
		if err := enc.Save(folder); err != nil {
			t.Fatal(err)
		}
		got, err := backboneShape(name)
		if err != nil {
			t.Fatal(err)
		}
		want, err := backboneShape(folder)
		if err != nil {
			t.Fatal(err)
		}
		vocabulary := int64(catalog.TinyVocabulary-enc.Config().VocabSize) * int64(got.Width) // some of its words may be missing
		if off := float64(want.Parameters-(got.Parameters-vocabulary)) / float64(want.Parameters); off < 0 || off > 0.1 {
			t.Errorf("%s: counted %+v, its folder %+v: %.3f off", name, got, want, off)
		}
		if got.Layers != want.Layers || got.Width != want.Width {
			t.Errorf("%s: %+v, its folder %+v", name, got, want)
		}
	}
}

// TestWorkload counts by hand: one record with 3 words of query, 2 of instruction and 4 of each
// passage has 3 rows of 9 words.
func TestWorkload(t *testing.T) {
	record := `{"instruction_positive":"be kind","instruction_negative":"be cruel","query_positive":"a b c","query_negative":"d e f",` +
		`"document_positive":"1 2 3 4","hard_negative_document_1":"5 6 7 8","hard_negative_document_2":"9 10 11 12"}`
	file := filepath.Join(t.TempDir(), "train.jsonl")
	if err := os.WriteFile(file, []byte(record+"\n"+record+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	w, err := trainingWork(&spec.Cell{Data: file, World: 1}, shape{})
	if err != nil {
		t.Fatal(err)
	}
	if w.Asked < 5*tokensPerWord-1e-9 || w.Asked > 5*tokensPerWord+1e-9 {
		t.Errorf("%v tokens a row ask, want %v", w.Asked, 5*tokensPerWord)
	}
	if w.Texts != 6 || w.Length < 9*tokensPerWord-1e-9 || w.Length > 9*tokensPerWord+1e-9 {
		t.Errorf("%+v, want 6 rows of %v tokens", w, 9*tokensPerWord)
	}
	if w, err = trainingWork(&spec.Cell{Data: file, World: 1}, shape{tokens: 3}); err != nil || w.Length != 6 {
		t.Errorf("cut at 3 tokens a side: %+v, %v", w, err)
	}
	if w, err = trainingWork(&spec.Cell{Data: file, World: 1, Drop: "I-"}, shape{}); err != nil || w.Texts != 4 {
		t.Errorf("without I-: %+v, %v; want 4 rows", w, err)
	}
	if w, err = trainingWork(&spec.Cell{Data: file, World: 1, Drop: "P-"}, shape{}); err != nil || w.Texts != 6 || math.Abs(w.Length*6-(6*5+2*4)*tokensPerWord) > 1e-9 {
		t.Errorf("without P-: %+v, %v; want 6 rows of 5 words, two of them with 4 more", w, err)
	}
	if w, err = trainingWork(&spec.Cell{Data: file, World: 1, Share: .5}, shape{}); err != nil || w.Texts != 3 {
		t.Errorf("half: %+v, %v; want 3 rows", w, err)
	}
	b, err := datasets.Load("mini-bright", datasets.Options{World: 1})
	if err != nil {
		t.Fatal(err)
	}
	got, err := benchmarkWork(b, shape{})
	if err != nil {
		t.Fatal(err)
	}
	texts, queries := 0, 0
	for i := range b.Tasks {
		texts, queries = texts+b.Tasks[i].Corpus.Len()+len(b.Tasks[i].Queries), queries+len(b.Tasks[i].Queries)
	}
	if got.Texts != texts || got.Queries != queries || got.Length < 5 || got.Length > 60 {
		t.Errorf("mini-bright: %+v, want %d texts, %d queries", got, texts, queries)
	}
}
