package training

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/ml/model"

	"infbench/datasets"
	"infbench/training/encoder"
	"infbench/training/tokenizer"
	"infbench/training/weights"
)

// colours is a toy corpus: the query names a thing, the instruction a colour,
// the passage describes a thing of that colour.
func colours(n int) []datasets.Triplet {
	things := []string{"boat", "house", "stone", "bird", "lamp", "chair", "tree", "wall"}
	names := []string{"red", "green", "blue", "black", "white"}
	rng := rand.New(rand.NewPCG(5, 5))
	other := func(list []string, not string) string {
		for {
			if w := list[rng.IntN(len(list))]; w != not {
				return w
			}
		}
	}
	passage := func(thing, colour string) string { return fmt.Sprintf("a %s that is %s", thing, colour) }
	var out []datasets.Triplet
	for i := range n {
		thing, colour := things[rng.IntN(len(things))], names[rng.IntN(len(names))]
		poisonedThing, poisoned := other(things, thing), other(names, colour)
		out = append(out, datasets.Triplet{
			ID:            fmt.Sprintf("colour-%d", i),
			QueryPositive: "find " + thing, QueryNegative: "find " + poisonedThing,
			InstructionPositive: "only " + colour, InstructionNegative: "only " + poisoned + " please",
			Positive: passage(thing, colour), HardNegative1: passage(thing, poisoned), HardNegative2: passage(poisonedThing, colour),
		})
	}
	return out
}

// newEncoder makes a fresh tiny encoder for the texts of triplets.
func newEncoder(t testing.TB, triplets []datasets.Triplet) *encoder.Encoder {
	t.Helper()
	tok, err := tokenizer.BuildWordPiece(func(yield func(string) bool) {
		for _, row := range Rows(of(triplets)) {
			for _, text := range []string{row.Query, row.Instruction, row.Passage} {
				if !yield(text) {
					return
				}
			}
		}
	}, 200)
	if err != nil {
		t.Fatal(err)
	}
	config := encoder.TinyBERT()
	config.HiddenSize, config.IntermediateSize = 16, 32 // so that a step takes 10 ms
	enc, err := encoder.New(config, tok, 1, openBackend(t))
	if err != nil {
		t.Fatal(err)
	}
	return enc
}

// toyConfig trains 6 steps an epoch on colours(24).
func toyConfig() Config {
	c := DefaultConfig()
	c.LearningRate, c.Warmup, c.Seed = 5e-3, 0.05, 1
	return c
}

func parsed(t testing.TB, name string) Contrastive {
	t.Helper()
	l, err := parseContrastive(name)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// stored copies all variables of a store, by path.
func stored(store *model.Store) ([]weights.Tensor, error) {
	list, err := variableSources(nil, store)
	if err != nil {
		return nil, err
	}
	return copySources(list)
}

// digest is the SHA-256 of all variables of an encoder's store.
func digest(t testing.TB, enc *encoder.Encoder) string {
	t.Helper()
	list, err := stored(enc.Store())
	if err != nil {
		t.Fatal(err)
	}
	hash := sha256.New()
	if err := weights.Write(hash, list); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", hash.Sum(nil))
}

// trained trains a fresh encoder on colours(24) and returns its digest.
func trained(t testing.TB, c Config, l Loss, opt Options) (string, Summary) {
	t.Helper()
	return trainedOn(t, colours(24), c, l, opt)
}

func trainedOn(t testing.TB, data []datasets.Triplet, c Config, l Loss, opt Options) (string, Summary) {
	t.Helper()
	enc := newEncoder(t, data)
	sum, err := Train(t.Context(), c, l, enc, of(data), opt)
	if err != nil {
		t.Fatal(err)
	}
	return digest(t, enc), sum
}

func TestTrainLearns(t *testing.T) {
	c := toyConfig()
	c.Epochs = 8
	_, sum := trained(t, c, parsed(t, "uni(P,I)"), Options{})
	if sum.Steps != 48 || len(sum.Curve) != 48 || sum.Unused != 0 || sum.Length != 7 {
		t.Errorf("%d steps planned, %d done, %d records unused, length %d; want 48, 48, 0, 7",
			sum.Steps, len(sum.Curve), sum.Unused, sum.Length)
	}
	first, last := sum.Curve[0], sum.Curve[47]
	if !(last.Loss < first.Loss/2) || !(last.Accuracy > 0.6) {
		t.Errorf("no learning: first step %+v, last %+v", first, last)
	}
	for i, s := range sum.Curve {
		near(t, "sum of terms", s.Terms["P"]+s.Terms["I"], s.Loss, 1e-5, 0)
		near(t, "learning rate", s.LearningRate, c.rate(i, 48), 1e-12, 0)
		if s.Step != i+1 || s.Epoch != float64(i+1)/6 || s.Tokens < 12*2*5 || !(s.GradNorm > 0) {
			t.Errorf("step %d reads %+v", i+1, s)
		}
	}
}

// TestTrainRunsEveryLoss takes a few steps under every loss and every way to compute it.
func TestTrainRunsEveryLoss(t *testing.T) {
	losses := append(AllLosses(), parsed(t, "multi(P,I,IQ,ST)"), parsed(t, "uni(P,IQ,ST)"), parsed(t, "multi(P,IP)"))
	for _, fidelity := range fidelities {
		for _, l := range losses {
			c := toyConfig()
			c.Epochs, c.RowsPerGroup, c.Groups, c.Fidelity = 1, 6, 2, fidelity
			if fidelity == "paper" {
				c.IQTerm = QueryOnly
			}
			_, sum := trainedOn(t, colours(8), c, l, Options{})
			if terms := sum.Curve[0].Terms; len(terms) != len(l.Terms.Split()) {
				t.Errorf("%s, %s: terms %v", fidelity, l, terms)
			}
		}
	}
}

// Weights are a function of the seed and not of the processors, with one source and with two
// sources if the second joins later.
func TestTrainIsDeterministic(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for name, batches := range map[string]Batching{"one source": "", "mixed": Mixed, "source": OneSource} {
		c, data := toyConfig(), of(colours(24))
		if c.Epochs, c.Batches = 1, batches; batches != "" {
			data = joining()
		}
		on := func(processors int) string {
			runtime.GOMAXPROCS(processors)
			weights, _, err := trainOn(t, t.Context(), data, c, parsed(t, "multi(P,IQ)"), false, Options{})
			if err != nil {
				t.Fatal(err)
			}
			return weights
		}
		want := on(1)
		for _, processors := range []int{1, 2} {
			if got := on(processors); got != want {
				t.Errorf("%s, GOMAXPROCS=%d: weights %.12s, before %.12s", name, processors, got, want)
			}
		}
		c.Seed++
		if on(2) == want {
			t.Errorf("%s: another seed gives the same weights", name)
		}
	}
}

// TestResumeIsBitExact stops runs at several steps, some of them between two
// checkpoints as a crash would, and continues them.
func TestResumeIsBitExact(t *testing.T) {
	c := toyConfig()
	c.Epochs, c.RowsPerGroup, c.WeightDecay = 3, 6, 0.01
	data := colours(8) // 4 steps an epoch
	l := parsed(t, "multi(P,I)")
	want, whole := trainedOn(t, data, c, l, Options{})
	for _, stop := range []int{1, 4, 11} {
		for _, every := range []int{0, 4} {
			dir := filepath.Join(t.TempDir(), "checkpoint")
			ctx, cancel := context.WithCancel(t.Context())
			enc := newEncoder(t, data)
			sum, err := Train(ctx, c, l, enc, of(data), Options{Checkpoint: dir, Every: every, OnStep: func(s Step) {
				if s.Step == stop {
					cancel()
				}
			}})
			if !errors.Is(err, context.Canceled) || len(sum.Curve) != stop {
				t.Fatalf("cancelled at step %d: %d steps, error %v", stop, len(sum.Curve), err)
			}
			got, rest := trainedOn(t, data, c, l, Options{Checkpoint: dir, Every: every})
			if got != want {
				t.Errorf("stopped at step %d, checkpoints every %d: weights %.12s, want %.12s", stop, every, got, want)
			}
			if rest.Resumed != stop || fmt.Sprint(rest.Curve) != fmt.Sprint(whole.Curve) {
				t.Errorf("resumed at %d, want %d; curves equal: %v", rest.Resumed, stop, fmt.Sprint(rest.Curve) == fmt.Sprint(whole.Curve))
			}
			again, done := trainedOn(t, data, c, l, Options{Checkpoint: dir})
			if again != want || done.Resumed != done.Steps {
				t.Errorf("a finished run ran again: resumed at %d of %d", done.Resumed, done.Steps)
			}
		}
	}
}

// TestResumeAfterCrash continues from the checkpoint before the crash, although a half-written
// newer file is in the folder.
func TestResumeAfterCrash(t *testing.T) {
	c := toyConfig()
	l := parsed(t, "uni(P)")
	want, _ := trained(t, c, l, Options{})
	data, dir := colours(24), t.TempDir()
	func() {
		defer func() { _ = recover() }()
		_, _ = Train(t.Context(), c, l, newEncoder(t, data), of(data), Options{Checkpoint: dir, Every: 4, OnStep: func(s Step) {
			if s.Step == 7 {
				panic("crash")
			}
		}})
	}()
	if err := os.WriteFile(filepath.Join(dir, "step-8.safetensors"), []byte("half"), 0o644); err != nil {
		t.Fatal(err)
	}
	got, sum := trained(t, c, l, Options{Checkpoint: dir, Every: 4})
	if got != want || sum.Resumed != 4 {
		t.Errorf("resumed at %d, want 4; weights %.12s, want %.12s", sum.Resumed, got, want)
	}
	left, _ := filepath.Glob(filepath.Join(dir, "*"))
	if len(left) != 2 {
		t.Errorf("left behind: %v, want state.json and one file of tensors", left)
	}
}

func TestResumeRefusesOtherRuns(t *testing.T) {
	c := toyConfig()
	c.Epochs = 1
	l := parsed(t, "uni(P)")
	data := colours(24)
	dir := t.TempDir()
	_, _ = trained(t, c, l, Options{Checkpoint: dir})
	other := colours(24)
	other[3].Positive += " indeed"
	rate := c
	rate.LearningRate *= 2
	seed := c
	seed.Seed++
	for part, run := range map[string]struct {
		c    Config
		l    Contrastive
		data []datasets.Triplet
	}{
		"different training configuration":         {rate, l, data},
		"different training configuration or loss": {c, parsed(t, "uni(IQ)"), data},
		"training configuration or loss":           {seed, l, data},
		"different training data":                  {c, l, other},
	} {
		enc := newEncoder(t, data)
		_, err := Train(t.Context(), run.c, run.l, enc, of(run.data), Options{Checkpoint: dir})
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("want an error with %q, got %v", part, err)
		}
	}
	if _, err := Train(t.Context(), c, l, newEncoder(t, data), of(data), Options{Checkpoint: dir}); err != nil {
		t.Errorf("the run itself: %v", err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "step-*"))
	raw, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	raw[len(raw)-1] ^= 1
	if err := os.WriteFile(files[0], raw, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Train(t.Context(), c, l, newEncoder(t, data), of(data), Options{Checkpoint: dir}); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("flipped bit: %v", err)
	}
}

// TestTrainStopsAtNonFinite makes the first step move the weights so far that the second
// overflows.
func TestTrainStopsAtNonFinite(t *testing.T) {
	c := toyConfig()
	c.LearningRate, c.Schedule, c.Warmup = 1e30, Constant, 0
	data := colours(24)
	enc := newEncoder(t, data)
	sum, err := Train(t.Context(), c, parsed(t, "uni(P)"), enc, of(data), Options{})
	if err == nil || !strings.Contains(err.Error(), "training step 2 on records \"colour-") {
		t.Fatalf("got %v after %d steps", err, len(sum.Curve))
	}
	if got := strings.Count(err.Error(), "colour-"); got != 4 {
		t.Errorf("the error names %d records, want the 4 of the batch: %v", got, err)
	}
	list, err := stored(enc.Store())
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range list {
		for _, x := range v.Values {
			if !finite(float64(x)) {
				t.Fatalf("%s holds %v", v.Name, x)
			}
		}
		if strings.HasPrefix(v.Name, "optimizer") {
			t.Errorf("%s is left in the encoder's store", v.Name)
		}
	}
}

// TestTrainStopsBeforeTheFirstStep passes a context that has ended.
func TestTrainStopsBeforeTheFirstStep(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	data := colours(24)
	enc := newEncoder(t, data)
	before := digest(t, enc)
	sum, err := Train(ctx, toyConfig(), parsed(t, "uni(P)"), enc, of(data), Options{})
	if !errors.Is(err, context.Canceled) || len(sum.Curve) != 0 || digest(t, enc) != before {
		t.Errorf("%d steps, error %v", len(sum.Curve), err)
	}
}

func TestTrainRefuses(t *testing.T) {
	data := colours(24)
	enc := newEncoder(t, data)
	empty := colours(24)
	empty[2].HardNegative1 = " "
	bad := toyConfig()
	bad.Epochs = -1
	for _, l := range []Contrastive{{}, {"sum", P}, {Multi, 1 << 7}, {Uni, IP}} {
		if _, err := Train(t.Context(), toyConfig(), l, enc, of(data), Options{}); err == nil {
			t.Errorf("the loss %q is accepted", l)
		}
	}
	for part, run := range map[string]struct {
		c    Config
		data []datasets.Triplet
	}{
		`record 3 ("colour-2") has no passage in row 2`: {toyConfig(), empty},
		"epochs -1":        {bad, data},
		"do not fill":      {toyConfig(), data[:3]},
		"0 records do not": {toyConfig(), nil},
	} {
		if _, err := Train(t.Context(), run.c, parsed(t, "uni(P)"), enc, of(run.data), Options{}); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("want an error with %q, got %v", part, err)
		}
	}
}
