package training

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"infbench/training/encoder"
)

// script returns values[s] as the evaluation after step s.
func script(values map[int]float64) func(int) (float64, error) {
	return func(step int) (float64, error) {
		v, ok := values[step]
		if !ok {
			return 0, fmt.Errorf("step %d was not to be evaluated", step)
		}
		return v, nil
	}
}

// TestTrainEndsWithTheBestWeights compares the weights at the end with those of the best step.
func TestTrainEndsWithTheBestWeights(t *testing.T) {
	data := colours(24) // 6 steps an epoch
	c := toyConfig()
	c.Epochs, c.EvaluateEvery = 2, 5
	for want, values := range map[int]map[int]float64{
		5:  {5: 0.5, 10: 0.5, 12: 0.4}, // the earliest of equal values
		10: {5: 0.1, 10: 0.3, 12: 0.2},
		12: {5: -3, 10: -2, 12: -1}, // the last step, although 12 is not a multiple of 5
	} {
		enc := newEncoder(t, data)
		at := map[int]string{}
		sum, err := Train(t.Context(), c, parsed(t, "uni(P)"), enc, of(data), Options{
			OnStep:     func(s Step) { at[s.Step] = weightDigest(t, enc) },
			OnEvaluate: script(values),
		})
		if err != nil {
			t.Fatal(err)
		}
		if sum.Best != want || len(sum.Evaluations) != 3 || len(sum.Curve) != 12 {
			t.Errorf("best step %d of %v in %d steps, want %d", sum.Best, sum.Evaluations, len(sum.Curve), want)
		}
		if got := weightDigest(t, enc); got != at[want] {
			t.Errorf("training ends with other weights than those of step %d", want)
		}
	}
}

// weightDigest is a hash of the weights without moments.
func weightDigest(t testing.TB, enc *encoder.Encoder) string {
	t.Helper()
	list, err := networkWeights(variablesFolder{Encoder: enc})
	if err != nil {
		t.Fatal(err)
	}
	values, err := copySources(list)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(values)
}

func TestPatience(t *testing.T) {
	data := colours(24)
	c := toyConfig()
	c.Epochs, c.EvaluateEvery, c.Patience = 2, 2, 2
	values := map[int]float64{2: 0.1, 4: 0.3, 6: 0.2, 8: 0.3}
	run := func(opt Options) (string, Summary) {
		enc := newEncoder(t, data)
		sum, err := Train(t.Context(), c, parsed(t, "uni(P)"), enc, of(data), opt)
		if err != nil {
			t.Fatal(err)
		}
		return weightDigest(t, enc), sum
	}
	want, sum := run(Options{OnEvaluate: script(values)})
	if len(sum.Curve) != 8 || sum.Best != 4 || sum.Steps != 12 {
		t.Errorf("%d steps of %d with step %d the best, want 8 of 12 with 4", len(sum.Curve), sum.Steps, sum.Best)
	}
	dir := t.TempDir()
	func() {
		defer func() { _ = recover() }()
		run(Options{Checkpoint: dir, Every: 1, OnEvaluate: script(values), OnStep: func(s Step) {
			if s.Step == 7 {
				panic("crash")
			}
		}})
	}()
	got, rest := run(Options{Checkpoint: dir, OnEvaluate: script(map[int]float64{8: 0.3})})
	if got != want || rest.Resumed != 6 || !slices.Equal(rest.Evaluations, sum.Evaluations) {
		t.Errorf("resumed at %d: evaluations %v, want %v; weights equal: %v", rest.Resumed, rest.Evaluations, sum.Evaluations, got == want)
	}
	if again, _ := run(Options{Checkpoint: dir, OnEvaluate: script(nil)}); again != want {
		t.Error("a run that stopped early goes on")
	}
}

// TestLowerIsBetter: Options.Better decides which evaluation is the best, also for patience and
// in a resumed run.
func TestLowerIsBetter(t *testing.T) {
	data := colours(24)
	c := toyConfig()
	c.Epochs, c.EvaluateEvery, c.Patience = 2, 2, 2
	lower := func(a, b float64) bool { return a < b }
	at := map[int]string{}
	run := func(opt Options) (string, Summary) {
		enc := newEncoder(t, data)
		opt.Better = lower
		if opt.OnStep == nil {
			opt.OnStep = func(s Step) { at[s.Step] = weightDigest(t, enc) }
		}
		sum, err := Train(t.Context(), c, parsed(t, "uni(P)"), enc, of(data), opt)
		if err != nil {
			t.Fatal(err)
		}
		return weightDigest(t, enc), sum
	}
	values := map[int]float64{2: 0.7, 4: 0.3, 6: 0.9, 8: 0.3}
	want, sum := run(Options{OnEvaluate: script(values)})
	if len(sum.Curve) != 8 || sum.Best != 4 || want != at[4] {
		t.Errorf("%d steps, step %d the best, want 8 and 4; its weights: %v", len(sum.Curve), sum.Best, want == at[4])
	}
	dir := t.TempDir()
	func() {
		defer func() { _ = recover() }()
		run(Options{Checkpoint: dir, Every: 1, OnEvaluate: script(values), OnStep: func(s Step) {
			if s.Step == 7 {
				panic("crash")
			}
		}})
	}()
	if got, rest := run(Options{Checkpoint: dir, OnEvaluate: script(map[int]float64{8: 0.3})}); got != want || rest.Resumed != 6 {
		t.Errorf("resumed at %d to other weights: %v", rest.Resumed, got != want)
	}
}

// A checkpoint is damaged if its best weights come from another step than its evaluations say,
// for example if it took the highest value for the best. Training then starts again.
func TestCheckpointOfAnotherBest(t *testing.T) {
	data := colours(24)
	c := toyConfig()
	c.Epochs, c.EvaluateEvery = 1, 2
	dir, values := t.TempDir(), map[int]float64{2: 0.7, 4: 0.3, 6: 0.5}
	ctx, stop := context.WithCancel(t.Context())
	_, err := Train(ctx, c, parsed(t, "uni(P)"), newEncoder(t, data), of(data), Options{Checkpoint: dir, OnEvaluate: script(values), OnStep: func(s Step) {
		if s.Step == 5 {
			stop()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	lower := Options{Checkpoint: dir, OnEvaluate: script(values), Better: func(a, b float64) bool { return a < b }}
	if _, err := Train(t.Context(), c, parsed(t, "uni(P)"), newEncoder(t, data), of(data), lower); !errors.Is(err, ErrDamaged) {
		t.Errorf("the best is step 4, the checkpoint has the weights of step 2: %v", err)
	}
}

// TestEvaluationSeesTheWeights: a callback that encodes sees each step's weights.
func TestEvaluationSeesTheWeights(t *testing.T) {
	data := colours(24)
	c := toyConfig()
	c.Epochs, c.EvaluateEvery, c.Dropout, c.Warmup = 1, 1, 0.1, 0
	enc := newEncoder(t, data)
	seen := map[float32]bool{}
	_, err := Train(t.Context(), c, parsed(t, "uni(P)"), enc, of(data), Options{OnEvaluate: func(step int) (float64, error) {
		dst := make([]float32, enc.Dim())
		err := enc.EncodeQueries(t.Context(), []string{"find boat"}, []string{"only red"}, dst)
		seen[dst[0]] = true
		return float64(step), err
	}})
	if err != nil || len(seen) != 6 {
		t.Errorf("6 steps gave %d vectors, error %v", len(seen), err)
	}
}

func TestEvaluationErrors(t *testing.T) {
	data := colours(24)
	c := toyConfig()
	c.EvaluateEvery = 3
	broken := errors.New("no judgments")
	for part, evaluate := range map[string]func(int) (float64, error){
		"evaluate after step 3: no judgments":     func(int) (float64, error) { return 0, broken },
		"evaluate after step 3: the value is NaN": func(int) (float64, error) { return math.NaN(), nil },
		"there is no evaluation function":         nil,
	} {
		_, err := Train(t.Context(), c, parsed(t, "uni(P)"), newEncoder(t, data), of(data), Options{OnEvaluate: evaluate})
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("got %v, want %q", err, part)
		}
	}
}
