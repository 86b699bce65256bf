package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"

	"infbench/datasets/format"
	"infbench/training/encoder"
)

// encodeBout encodes texts of one length: a full batch without padding.
func encodeBout() bout {
	return bout{
		name: "encode",
		note: "PyTorch's networks are written as in transformers and get tokens instead of texts",
		rows: []row{{name: "encode", work: "encode 32 texts of 128 tokens, MiniLM-L6's shape", side: 1, ours: "encode", theirs: "encode"}},
		sides: []side{
			oursBy("encode"), theirsBy("encode_torch", torch, "encode_torch.py"),
		},
		prepare: func(_ context.Context, j *job) error {
			j.Timed = j.size(5, 1)
			config := j.miniLM()
			tok, words, err := vocabulary(config.VocabSize)
			if err != nil {
				return err
			}
			e, err := j.writeModel(config, tok)
			if err != nil {
				return err
			}
			rng := rand.New(rand.NewPCG(1, 2))
			return j.writeTexts(e, randomTexts(rng, words, j.size(32, 4), j.size(126, 14)))
		},
		check: sameVectors,
	}
}

// scifact is the collection whose abstracts have realistic lengths.
const (
	scifact   = "data/scifact/beir/corpus.jsonl"
	wordPiece = "data/tokenizers/bert/bert-base-uncased.tokenizer.json"
)

// abstractsBout encodes real texts, whose lengths vary.
func abstractsBout() bout {
	return bout{
		name: "abstracts",
		note: "SciFact's abstracts are sorted by length into batches of 32; every 27th batch is used, in shuffled order",
		rows: []row{{name: "abstracts", work: "encode SciFact's abstracts as they are, against sorted batches of 32", side: 1, ours: "encode", theirs: "encode"}},
		sides: []side{
			oursBy("encode"), theirsBy("encode_torch", torch, "encode_torch.py"),
		},
		shared: []string{scifact, wordPiece},
		prepare: func(_ context.Context, j *job) error {
			j.Warm = 0 // it takes minutes, so one-time work counts
			tok, err := j.pretrained(wordPiece)
			if err != nil {
				return err
			}
			config := j.miniLM()
			config.VocabSize = max(config.VocabSize, tok.VocabSize())
			e, err := j.writeModel(config, tok)
			if err != nil {
				return err
			}
			texts, err := someAbstracts(j, e)
			if err != nil {
				return err
			}
			return j.writeTexts(e, texts)
		},
		check: sameVectors,
	}
}

// someAbstracts returns batches of 32 abstracts, each with neighbours by length in the
// complete collection: a program that sorts them pads as little as with all.
func someAbstracts(j *job, e *encoder.Encoder) ([]string, error) {
	var all []string
	for text, err := range abstracts(j.Shared) {
		if err != nil {
			return nil, err
		}
		all = append(all, text)
	}
	length := map[string]int{}
	for _, text := range all {
		length[text] = len(e.Tokens().Document("", text))
	}
	slices.SortStableFunc(all, func(a, b string) int { return cmp.Compare(length[a], length[b]) })
	const batch = 32
	every := j.size(27, 80)
	var some []string
	for at := every / 2 * batch; at+batch <= len(all); at += every * batch {
		some = append(some, all[at:at+batch]...)
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(some), func(a, b int) { some[a], some[b] = some[b], some[a] })
	return some, nil
}

// abstracts streams SciFact's titles and texts, each as one line.
func abstracts(shared string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		columns := []format.Column{{Name: "title"}, {Name: "text"}}
		for row, err := range format.Rows([]string{filepath.Join(shared, filepath.FromSlash(scifact))}, columns) {
			if err != nil {
				yield("", err)
				return
			}
			if !yield(oneLine(row.Text(0)+" "+row.Text(1)), nil) {
				return
			}
		}
	}
}

// vectorTolerance is the largest difference allowed between the values of two unit vectors
// that two programs compute in float32 from one text.
const vectorTolerance = 2e-5

// sameVectors compares the vectors of two sides for the same texts.
func sameVectors(j *job, ours, theirs string) error {
	a, err := floatsOf(j.path(ours + ".f32"))
	if err != nil {
		return err
	}
	b, err := floatsOf(j.path(theirs + ".f32"))
	if err != nil {
		return err
	}
	return closeValues(a, b, vectorTolerance)
}

// closeValues returns an error naming the first values that differ by more than the
// tolerance.
func closeValues(a, b []float32, tolerance float64) error {
	if len(a) != len(b) || len(a) == 0 {
		return fmt.Errorf("%d values and %d", len(a), len(b))
	}
	for i := range a {
		if d := math.Abs(float64(a[i]) - float64(b[i])); !(d <= tolerance) {
			return fmt.Errorf("value %d is %g and %g: more than %g apart", i, a[i], b[i], tolerance)
		}
	}
	if !slices.ContainsFunc(a, func(v float32) bool { return v != 0 }) {
		return errors.New("all values are zero")
	}
	return nil
}
