package training

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"infbench/internal/disk"
	"infbench/internal/testkit"
	"infbench/training/encoder"
)

// resumable lists configurations with dropout and accumulation, one for each way to compute a
// step and one with all of them at once.
func resumable() map[string]Config {
	base := toyConfig()
	base.Epochs, base.RowsPerGroup, base.Accumulate, base.Dropout = 30, 6, 2, 0.1 // 60 steps
	base.EvaluateEvery, base.WeightDecay = 7, 0.01
	edited := func(edit func(*Config)) Config {
		c := base
		edit(&c)
		return c
	}
	frozen := []string{"embeddings.position_embeddings"}
	return map[string]Config{
		"undivided":     edited(func(c *Config) { c.Freeze = frozen }),
		"chunks":        edited(func(c *Config) { c.Freeze, c.Chunk, c.Epochs = frozen, 9, 20 }),
		"adapter":       edited(func(c *Config) { c.LoRA = encoder.LoRA{Rank: 2, Dropout: 0.2} }),
		"bf16":          edited(func(c *Config) { c.Precision, c.Epochs = encoder.BFloat16, 20 }),
		"checkpointing": edited(func(c *Config) { c.Checkpointing, c.Epochs = true, 20 }),
		"all at once": edited(func(c *Config) {
			c.Chunk, c.Epochs, c.LoRA = 9, 20, encoder.LoRA{Rank: 2, Dropout: 0.2}
			c.Precision, c.Checkpointing, c.Schedule = encoder.BFloat16, true, Cosine
		}),
	}
}

// TestResumeAfterManyKills kills one run 20 times, at random steps, by a crash or by an ended
// context, with checkpoints at random intervals, and compares the SHA-256 of the final weights
// with an uninterrupted run.
func TestResumeAfterManyKills(t *testing.T) {
	testkit.Deep(t)
	data := colours(8)
	l := parsed(t, "multi(P,I)")
	for name, c := range resumable() {
		t.Run(name, func(t *testing.T) {
			run := func(ctx context.Context, opt Options) (string, Summary, error) {
				enc := newEncoder(t, data)
				if name == "all at once" {
					enc = designed(t, data, encoder.CrossAttentionProjected, true)
				}
				opt.OnEvaluate = func(int) (float64, error) { // depends on the weights only
					dst := make([]float32, enc.Dim())
					err := enc.EncodeDocuments(t.Context(), []string{""}, []string{data[0].Positive}, dst)
					return float64(dst[0]), err
				}
				sum, err := Train(ctx, c, l, enc, of(data), opt)
				if err != nil {
					return "", sum, err
				}
				return digest(t, enc), sum, nil
			}
			want, whole, err := run(t.Context(), Options{})
			if err != nil {
				t.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(20, uint64(c.Chunk)))
			dir := t.TempDir()
			for range 20 {
				killed(t, rng, dir, max(1, whole.Steps/24), run)
			}
			got, sum, err := run(t.Context(), Options{Checkpoint: dir})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("the last of 21 runs began at step %d of %d", sum.Resumed, sum.Steps)
			if sum.Resumed == 0 || got != want || fmt.Sprint(sum.Curve, sum.Evaluations) != fmt.Sprint(whole.Curve, whole.Evaluations) {
				t.Errorf("resumed at %d; weights equal: %v", sum.Resumed, got == want)
			}
			if again, sum, err := run(t.Context(), Options{Checkpoint: dir}); again != want || err != nil || sum.Resumed != sum.Steps {
				t.Errorf("started again after its end: resumed at %d of %d, weights equal: %v, %v", sum.Resumed, sum.Steps, again == want, err)
			}
		})
	}
}

// killed runs until a crash or the end of its context, about pace steps. It is fine if the run
// finishes.
func killed(t *testing.T, rng *rand.Rand, dir string, pace int, run func(context.Context, Options) (string, Summary, error)) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	left, crash := 1+rng.IntN(2*pace+1), rng.IntN(2) == 0
	defer func() {
		if p := recover(); p != nil && p != "crash" {
			panic(p)
		}
	}()
	_, _, err := run(ctx, Options{Checkpoint: dir, Every: 1 + rng.IntN(pace+1), OnStep: func(Step) {
		if left--; left == 0 && crash {
			panic("crash")
		} else if left == 0 {
			cancel()
		}
	}})
	if err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestEveryFamilyResumes crashes a run with dropout at its fourth step of six, one after the
// checkpoint.
func TestEveryFamilyResumes(t *testing.T) {
	data := colours(24)
	for _, kind := range []string{"bert", "distilbert", "roberta", "mpnet", "modernbert", "llama", "qwen2", "mistral", "gemma3_text", "t5"} {
		c := toyConfig()
		c.Epochs, c.Dropout = 1, 0.1
		run := func(c Config, opt Options) (string, Summary) {
			enc := newLike(t, kind, data)
			sum, err := Train(t.Context(), c, parsed(t, "uni(P)"), enc, of(data), opt)
			if err != nil {
				t.Fatal(kind, err)
			}
			return digest(t, enc), sum
		}
		want, _ := run(c, Options{})
		dir := t.TempDir()
		func() {
			defer func() { _ = recover() }()
			run(c, Options{Checkpoint: dir, Every: 3, OnStep: func(s Step) {
				if s.Step == 4 {
					panic("crash")
				}
			}})
		}()
		got, sum := run(c, Options{Checkpoint: dir})
		c.Dropout = 0
		if plain, _ := run(c, Options{}); got != want || sum.Resumed != 3 || plain == want {
			t.Errorf("%s: resumed at %d; weights equal: %v; equal without dropout: %v", kind, sum.Resumed, got == want, plain == want)
		}
	}
}

// If steps are slow, checkpoints are saved by time; nothing else changes.
func TestCheckpointsByTime(t *testing.T) {
	data, c, l := colours(24), toyConfig(), parsed(t, "uni(P)")
	whole := newEncoder(t, data)
	if _, err := Train(t.Context(), c, l, whole, of(data), Options{}); err != nil {
		t.Fatal(err)
	}
	for within, saved := range map[time.Duration]int{1: 3, time.Hour: 0} {
		dir := t.TempDir()
		func() {
			defer func() { _ = recover() }()
			Train(t.Context(), c, l, newEncoder(t, data), of(data), Options{Checkpoint: dir, Every: 100, Within: within, OnStep: func(s Step) {
				if s.Step == 4 {
					panic("crash")
				}
			}})
		}()
		enc := newEncoder(t, data)
		sum, err := Train(t.Context(), c, l, enc, of(data), Options{Checkpoint: dir})
		if err != nil || sum.Resumed != saved || digest(t, enc) != digest(t, whole) {
			t.Errorf("within %v: resumed at %d, want %d; %v; equal weights: %v", within, sum.Resumed, saved, err, digest(t, enc) == digest(t, whole))
		}
	}
}

// Whichever bit of a checkpoint flips, training does not continue from changed state: it reports
// damage, or the parsed state is the same as before.
func TestResumeFindsEveryFlippedBit(t *testing.T) {
	data, c, l := colours(4), toyConfig(), parsed(t, "uni(P)")
	c.Epochs, c.RowsPerGroup = 2, 6
	dir := t.TempDir()
	if _, err := Train(t.Context(), c, l, newEncoder(t, data), of(data), Options{Checkpoint: dir, Every: 1}); err != nil {
		t.Fatal(err)
	}
	enc := newEncoder(t, data)
	r, err := newRun(c, l, enc, of(data), Options{Checkpoint: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer r.stepper.close()
	want, err := r.checkpoint.load()
	if err != nil || len(want) == 0 {
		t.Fatal(want, err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 2 {
		t.Fatal(files, err)
	}
	for _, path := range files {
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(whole); i += max(1, len(whole)/500) {
			flipped := slices.Clone(whole)
			flipped[i] ^= 1 << (i % 8)
			if err := os.WriteFile(path, flipped, 0o644); err != nil {
				t.Fatal(err)
			}
			got, err := r.checkpoint.load()
			if err == nil && !reflect.DeepEqual(got, want) || err != nil && !errors.Is(err, ErrDamaged) {
				t.Errorf("%s, byte %d, %q for %q: %v", filepath.Base(path), i, flipped[i], whole[i], err)
			}
		}
		if err := os.WriteFile(path, whole, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// A checkpoint in another format is an error, but not an ErrDamaged.
func TestCheckpointOfAnotherFormat(t *testing.T) {
	s := state{Format: checkpointFormat - 1}
	var err error
	if s.Sum, err = s.sum(); err != nil {
		t.Fatal(err)
	}
	if err := (checkpoint{}).check(s); !errors.As(err, new(*disk.FormatError)) || errors.Is(err, ErrDamaged) {
		t.Errorf("%v, want an error about the format", err)
	}
}
