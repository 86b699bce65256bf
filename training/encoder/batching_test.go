package encoder

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"
	_ "infbench/training/backend"
)

// words returns sequences with the given lengths, each with its own ids.
func words(lengths ...int) []sequence {
	out := make([]sequence, len(lengths))
	for i, n := range lengths {
		for k := range n {
			out[i].ids = append(out[i].ids, int32(5+(7*i+3*k)%90))
		}
	}
	return out
}

// hollow returns an encoder without weights and tokenizer.
func hollow(width int) *Encoder {
	e := &Encoder{config: Config{HiddenSize: width}}
	e.tokens, e.params = &Tokens{config: &e.config}, &parameters{config: &e.config}
	e.passes = newPasses(e)
	return e
}

// SetBatching applies to all texts, also to queries with their own weights.
func TestSetBatching(t *testing.T) {
	e, want := hollow(64), Batching{Tokens: 1024, Memory: 1 << 20}
	e.SetBatching(want)
	for _, by := range []*batched{e.passes.of(Documents, false), e.passes.of(Queries, true), &e.passes.pairs} {
		if by.batching != want {
			t.Errorf("batching %+v, want %+v", by.batching, want)
		}
	}
}

// If a backend rejects batches of more than some rows, batches are halved until it accepts them.
// Every value arrives, and each shape is rejected once.
func TestBatchesAreHalved(t *testing.T) {
	for _, c := range []struct{ fits, refusals int }{{1000, 0}, {40, 2}, {8, 8}, {1, 16}} {
		for _, message := range []string{
			"RESOURCE_EXHAUSTED: Out of memory while trying to allocate 4294967296 bytes",
			"PJRT error (code=8): Allocation of 4294967296 bytes on device ordinal 0 was refused", "CUDNN_STATUS_ALLOC_FAILED",
			"CUDA_ERROR_OUT_OF_MEMORY: out of memory", "Failed to allocate request for 2.0GiB on device ordinal 0",
		} {
			refusals, calls := 0, map[string]int{}
			b := &batched{model: hollow(64), width: 1, longest: 512, batching: Batching{Tokens: 1024}}
			b.execute = func(ids, mask, _ *tensors.Tensor, use func([]float32)) error {
				rows := ids.Shape().Dim(0)
				calls[fmt.Sprint(ids.Shape().Dimensions)]++
				if rows > c.fits {
					refusals++
					return errors.New(message)
				}
				flat, err := tensors.CopyFlatData[int32](mask)
				if err != nil {
					return err
				}
				sums := make([]float32, rows)
				for i, v := range flat {
					sums[i/ids.Shape().Dim(1)] += float32(v)
				}
				use(sums)
				return nil
			}
			sequences := words(slices.Repeat([]int{3, 16, 17, 9, 30, 24}, 30)...)
			got := make([]float32, len(sequences))
			if err := b.run(t.Context(), sequences, got); err != nil {
				t.Fatalf("%d rows fit: %v", c.fits, err)
			}
			for i, s := range sequences {
				if got[i] != float32(len(s.ids)) {
					t.Fatalf("%d rows fit: sequence %d has value %v, want %d", c.fits, i, got[i], len(s.ids))
				}
			}
			// Full batches have 64, 42 and 32 rows at lengths 16, 24 and 32.
			if refusals != c.refusals {
				t.Errorf("%d rows fit: %d refusals, want %d; calls %v", c.fits, refusals, c.refusals, calls)
			}
		}
	}
}

// A single sequence that does not fit is a clear error; any other error ends at once.
func TestOneSequenceTooMany(t *testing.T) {
	for message, want := range map[string]string{
		"RESOURCE_EXHAUSTED": "a sequence of 16 tokens does not fit into memory by itself", "INTERNAL: a bug": "run 64 x 16 tokens: INTERNAL: a bug",
	} {
		calls := 0
		b := &batched{model: hollow(0), width: 1, longest: 512, batching: Batching{Tokens: 1024}}
		b.execute = func(_, _, _ *tensors.Tensor, _ func([]float32)) error {
			calls++
			return errors.New(message)
		}
		err := b.run(t.Context(), words(3), make([]float32, 1))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", message, err, want)
		}
		if (calls == 1) != strings.Contains(message, "INTERNAL") {
			t.Errorf("%s: tried %d times", message, calls)
		}
	}
}

func testEncoder(t *testing.T) *Encoder {
	t.Helper()
	backend, err := compute.NewWithConfig("go:parallelism=-1")
	if err != nil {
		t.Fatal(err)
	}
	c := TinyBERT()
	c.VocabSize = 100
	e, err := New(c, nil, 1, backend)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Vectors on the Go backend have the same bits whatever texts are encoded with them, and agree to
// float32 rounding for any memory budget.
func TestVectorsAreOfTheTextAlone(t *testing.T) {
	e := testEncoder(t)
	sequences := words(slices.Repeat([]int{5, 16, 17, 9, 30, 24, 40, 33}, 25)...)
	encode := func(list []sequence) []float32 {
		t.Helper()
		out := make([]float32, len(list)*e.Dim())
		if err := e.passes.vectors.run(t.Context(), list, out); err != nil {
			t.Fatal(err)
		}
		return out
	}
	want := encode(sequences)
	for _, at := range []int{0, 7, 99, 199} {
		alone := encode(sequences[at : at+1])
		if !slices.Equal(alone, want[at*e.Dim():(at+1)*e.Dim()]) {
			t.Errorf("sequence %d has other bits when encoded alone", at)
		}
	}
	for i, v := range encode(sequences[13:50]) {
		if v != want[13*e.Dim()+i] {
			t.Fatalf("value %d of a part of the sequences has other bits", i)
		}
	}
	for _, rows := range []int{1, 3, 20} {
		e.SetBatching(Batching{Memory: e.config.intermediate(rows, 48)})
		if n, err := e.passes.vectors.rows(48, 1000); err != nil || n > rows {
			t.Errorf("room for %d rows: %d, %v", rows, n, err)
		}
		for i, v := range encode(sequences) {
			if d := v - want[i]; d > 1e-6 || d < -1e-6 {
				t.Fatalf("room for %d rows: value %d is %v, want %v", rows, i, v, want[i])
			}
		}
	}
	e.SetBatching(Batching{Memory: e.config.intermediate(1, 40) - 1})
	if err := e.passes.vectors.run(t.Context(), sequences, make([]float32, len(want))); !errors.Is(err, ErrMemory) {
		t.Errorf("too little memory for one sequence: %v", err)
	}
}

// Few shapes are compiled: one per length, or two if small batches are requested.
func TestFewShapes(t *testing.T) {
	for _, c := range []struct {
		batching Batching
		most     int
	}{{Batching{Tokens: 4096}, 1}, {Batching{Tokens: 4096, Small: 512}, 2}} {
		b := &batched{model: hollow(0), width: 1, longest: 512, batching: c.batching}
		shapes := map[int]map[int]bool{}
		b.execute = func(ids, _, _ *tensors.Tensor, use func([]float32)) error {
			rows, length := ids.Shape().Dim(0), ids.Shape().Dim(1)
			if shapes[length] == nil {
				shapes[length] = map[int]bool{}
			}
			shapes[length][rows] = true
			use(make([]float32, rows))
			return nil
		}
		for n := 1; n <= 512; n += 13 {
			for _, count := range []int{1, 2, 100, 400} {
				sequences := slices.Repeat([]sequence{{ids: make([]int32, n)}}, count)
				if err := b.run(t.Context(), sequences, make([]float32, count)); err != nil {
					t.Fatal(err)
				}
			}
		}
		if len(shapes) > 19 { // 16, 24, 32, 40, 48, 56, 64, 80, ... 512
			t.Errorf("%d lengths: %v", len(shapes), shapes)
		}
		for length, rows := range shapes {
			if len(rows) > c.most {
				t.Errorf("length %d is run with %d batch sizes, want at most %d", length, len(rows), c.most)
			}
		}
	}
}

// Backends that compile get 17 lengths up to 8192. A text never gets fewer tokens than it has, or
// more than the model reads.
func TestFewLengths(t *testing.T) {
	const longest = 8192
	lengths := map[int]bool{}
	for n := 1; n <= longest; n++ {
		length := FewLengths(n, longest)
		if length < n || length > 16 && length > 2*n {
			t.Fatalf("%d tokens are padded to %d", n, length)
		}
		lengths[length] = true
		for _, cut := range []int{longest, 300} { // a pair of halves keeps its length
			half := FewLengths(min(n, cut), cut)
			if whole := FewLengths(2*half, 2*cut); whole != 2*half {
				t.Fatalf("two halves of %d tokens are padded to %d", half, whole)
			}
		}
	}
	if len(lengths) != 17 {
		t.Errorf("%d lengths, want 17", len(lengths))
	}
	for _, c := range []struct{ n, longest, want int }{
		{1, 512, 16}, {17, 512, 32}, {33, 512, 64}, {65, 512, 96}, {97, 512, 128}, {129, 512, 192}, {193, 256, 256}, {290, 300, 300}, {5, 8, 8},
	} {
		if got := FewLengths(c.n, c.longest); got != c.want {
			t.Errorf("%d of at most %d tokens are padded to %d, want %d", c.n, c.longest, got, c.want)
		}
	}
}
