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

	"golang.org/x/sys/cpu"

	"infbench/datasets/format"
	"infbench/internal/tools/pretrained"
	"infbench/internal/tools/pyenv"
	"infbench/training/encoder"
)

// encodeBout encodes texts of one length: a full batch without padding.
func encodeBout() bout {
	const work = "encode 32 texts of 128 tokens, MiniLM-L6's shape"
	return bout{
		name: "encode",
		note: "PyTorch's networks are written as in transformers and get tokens instead of texts; the faster of eager and compiled counts, without the time of compiling (one that is over 10 % slower in the first turn does not run again); ONNX Runtime has the same network, exported by PyTorch",
		rows: []row{
			{name: "encode", work: work, against: []int{1, 2}, ours: "encode", theirs: "encode"},
			{name: "encode/onnxruntime", work: work + ", against ONNX Runtime", against: []int{3}, ours: "encode", theirs: "encode"},
		},
		sides: append(append([]side{oursBy("encode")}, torchBy("encode_torch", "encode_torch.py", "float32")...),
			theirsBy("encode_onnx", "ONNX Runtime", "encode_onnx.py")),
		prepare: prepareBatch,
		check:   sameVectors,
	}
}

// bfloat16Bout encodes the same texts in bfloat16.
func bfloat16Bout() bout {
	return bout{
		name: "encode-bf16",
		note: "in bfloat16 all weights and values of PyTorch have that type",
		rows: []row{
			{name: "encode-bf16", work: "encode 32 texts of 128 tokens, MiniLM-L6's shape, in bfloat16", against: []int{1, 2}, ours: "encode", theirs: "encode"},
		},
		sides: append([]side{oursBy("encode_bf16")}, torchBy("encode_torch", "encode_torch.py", "bfloat16")...),
		ready: func(context.Context, *kit, *job) error {
			if !cpu.X86.HasAVX512BF16 && !cpu.X86.HasAMXBF16 {
				return pyenv.Absent{Why: "this processor has no bfloat16 instructions"}
			}
			return nil
		},
		prepare: prepareBatch,
		check:   sameDirections,
	}
}

// prepareBatch writes a network of MiniLM's shape and a batch of texts.
func prepareBatch(_ context.Context, j *job) error {
	j.Timed = j.size(4, 1)
	config := j.miniLM()
	tok, words, err := vocabulary(config.VocabSize)
	if err != nil {
		return err
	}
	e, err := j.writeModel(config, tok)
	if err != nil {
		return err
	}
	j.Dim = e.Dim()
	rng := rand.New(rand.NewPCG(1, 2))
	return j.writeTexts(e, randomTexts(rng, words, j.size(32, 4), j.size(126, 14)))
}

// scifact is the collection whose abstracts have realistic lengths.
const (
	scifact   = "data/scifact/beir/corpus.jsonl"
	wordPiece = "data/tokenizers/bert/bert-base-uncased.tokenizer.json"
)

// abstractsBout encodes real texts, whose lengths vary, with a real network.
func abstractsBout() bout {
	return bout{
		name:  "abstracts",
		note:  "every 27th of the batches of 32 of SciFact's abstracts, sorted by length, is used, in shuffled order; both sides get texts and return vectors",
		rows:  []row{{name: "abstracts", work: "encode SciFact's abstracts as they are, all-MiniLM-L6-v2", against: []int{1}, ours: "encode", theirs: "encode"}},
		sides: []side{oursBy("encode"), theirsBy("encode_library", "sentence-transformers", "encode_library.py")},
		ready: func(ctx context.Context, k *kit, j *job) (err error) {
			j.Model, err = pretrained.MiniLM(ctx, k.stdout, k.cache)
			return err
		},
		shared: []string{scifact},
		prepare: func(_ context.Context, j *job) error {
			e, err := j.openModel()
			if err != nil {
				return err
			}
			texts, err := someAbstracts(j, e)
			if err != nil {
				return err
			}
			return writeJSON(j.path(textsFile), texts)
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
	a, b, err := j.vectors(ours, theirs)
	if err != nil {
		return err
	}
	return closeValues(a, b, vectorTolerance)
}

// vectors reads the vectors of two sides.
func (j *job) vectors(ours, theirs string) (a, b []float32, err error) {
	if a, err = floatsOf(j.path(ours + ".f32")); err != nil {
		return nil, nil, err
	}
	b, err = floatsOf(j.path(theirs + ".f32"))
	return a, b, err
}

// leastCosine is the least allowed cosine between the vectors that two programs compute in
// bfloat16, which has 8 bits, from one text. With MiniLM's shape, PyTorch's are .99997 from
// its own in float32.
const leastCosine = 0.9995

// sameDirections compares the unit vectors of two sides for the same texts.
func sameDirections(j *job, ours, theirs string) error {
	a, b, err := j.vectors(ours, theirs)
	if err != nil {
		return err
	}
	if len(a) != len(b) || len(a) == 0 {
		return fmt.Errorf("%d values and %d", len(a), len(b))
	}
	for at := 0; at < len(a); at += j.Dim {
		dot, aa, bb := 0.0, 0.0, 0.0
		for i := at; i < at+j.Dim; i++ {
			x, y := float64(a[i]), float64(b[i])
			dot, aa, bb = dot+x*y, aa+x*x, bb+y*y
		}
		if cosine := dot / math.Sqrt(aa*bb); !(cosine >= leastCosine) || math.Abs(aa-1) > .01 || math.Abs(bb-1) > .01 {
			return fmt.Errorf("the vectors of text %d have lengths %g and %g and a cosine of %g, want 1, 1 and at least %g", at/j.Dim, math.Sqrt(aa), math.Sqrt(bb), cosine, leastCosine)
		}
	}
	return nil
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
