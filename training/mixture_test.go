package training

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infbench/datasets"
	"infbench/datasets/mixture"
	"infbench/training/encoder"
)

// plainly returns the queries of colours with their passages: records of one row, with or without
// an instruction.
func plainly(n int, instructed bool) []datasets.Record {
	var all []datasets.Record
	for _, t := range colours(n) {
		row := datasets.Row{Query: t.QueryPositive, Passage: t.Positive}
		if instructed {
			row.Instruction = t.InstructionPositive
		}
		all = append(all, datasets.Record{ID: t.ID, Rows: []datasets.Row{row}})
	}
	return all
}

// halves returns records without poisoned queries.
func halves(n int) []datasets.Record {
	var all []datasets.Record
	for _, t := range colours(n) {
		t.QueryNegative, t.HardNegative2 = "", ""
		all = append(all, t.Record())
	}
	return all
}

// trainOn trains a fresh encoder.
func trainOn(t *testing.T, ctx context.Context, data mixture.Data, c Config, l Contrastive, cross bool, opt Options) (string, Summary, error) {
	t.Helper()
	enc := newEncoder(t, colours(24))
	if cross {
		if err := enc.SetInteraction(encoder.CrossAttention); err != nil {
			t.Fatal(err)
		}
	}
	sum, err := Train(ctx, c, l, enc, data, opt)
	return digest(t, enc), sum, err
}

// Records of every shape train under every loss that needs only the data they have.
func TestTrainsOnEveryShape(t *testing.T) {
	part := func(name string, shape datasets.Shape, records []datasets.Record) mixture.Part {
		return mixture.Part{Source: mixture.Source{Name: name, Weight: 1}, Shape: shape, Records: records}
	}
	triplets := of(colours(24))[0].Records
	release := datasets.Shape{Instruction: true}
	for name, c := range map[string]struct {
		data   mixture.Data
		losses []string
	}{
		"queries and passages":               {mixture.Data{part("a", datasets.Shape{}, plainly(24, false))}, []string{"uni(P)", "uni(IQ)", "uni(P,IQ)", "multi(P,IQ)"}},
		"with instructions":                  {mixture.Data{part("a", datasets.Shape{}, plainly(24, true))}, []string{"uni(P)", "multi(P,IQ)"}},
		"two rows a record":                  {mixture.Data{part("a", release, halves(24))}, []string{"uni(P)", "uni(I)", "multi(P,I,IQ)"}},
		"two shapes":                         {mixture.Data{part("a", release, halves(24)), part("b", datasets.TripletShape, triplets)}, []string{"multi(P,I,IQ)"}},
		"without passages of poisoned texts": {of(colours(24)).Drop(mixture.Drop{Passages: true}), []string{"uni(I)", "uni(P,IQ)", "multi(P,I,IQ)", "multi(P,IP)", "uni(P,ST)"}},
		"with and without passages of poisoned texts": {mixture.Data{part("b", datasets.TripletShape, triplets), part("a", release, halves(24))}.Drop(mixture.Drop{Passages: true}),
			[]string{"multi(P,I,IQ)"}},
		"three shapes": {mixture.Data{part("a", release, halves(24)), part("b", datasets.TripletShape, triplets),
			part("c", datasets.Shape{}, plainly(24, true))}, []string{"uni(P)", "multi(P,IQ)"}},
	} {
		for _, loss := range c.losses {
			for _, cross := range []bool{false, true} {
				for _, term := range []IQTerm{Pair, QueryOnly} {
					if cross && term == QueryOnly || term == QueryOnly && !strings.Contains(loss, "IQ") {
						continue
					}
					config := toyConfig()
					config.Epochs, config.IQTerm = 1, term
					_, sum, err := trainOn(t, t.Context(), c.data, config, parsed(t, loss), cross, Options{})
					if err != nil || len(sum.Curve) == 0 || math.IsNaN(sum.Curve[len(sum.Curve)-1].Loss) {
						t.Errorf("%s under %s (crossed %t, %s): %d steps, %v", name, loss, cross, term, len(sum.Curve), err)
					}
				}
			}
		}
	}
}

// A loss that contrasts instructions needs poisoned instructions.
func TestTrainRefusesPlainRecords(t *testing.T) {
	for _, loss := range []string{"uni(I)", "multi(P,I)"} {
		data := mixture.Data{{Source: mixture.Source{Name: "pairs"}, Records: plainly(24, true)}}
		_, _, err := trainOn(t, t.Context(), data, toyConfig(), parsed(t, loss), false, Options{})
		if err == nil || !strings.Contains(err.Error(), "training data pairs: loss "+loss+": the term I contrasts instructions") {
			t.Errorf("%s: %v", loss, err)
		}
	}
}

// A loss of passages only cannot use poisoned texts without passages.
func TestTrainRefusesPassagesAlone(t *testing.T) {
	data := of(colours(24)).Drop(mixture.Drop{Passages: true})
	_, _, err := trainOn(t, t.Context(), data, toyConfig(), parsed(t, "uni(P)"), false, Options{})
	if err == nil || !strings.Contains(err.Error(), "poisoned texts without passages have no effect") {
		t.Error(err)
	}
}

// Without the passages of poisoned texts the term P is the same as without those texts, and
// chunks compute the same as one piece.
func TestTrainWithoutPassages(t *testing.T) {
	c := toyConfig()
	c.Epochs, c.Warmup = 1, 0
	bare := of(colours(24)).Drop(mixture.Drop{Passages: true})
	first := func(data mixture.Data, c Config, loss string) Step {
		_, sum, err := trainOn(t, t.Context(), data, c, parsed(t, loss), false, Options{})
		if err != nil {
			t.Fatal(err)
		}
		return sum.Curve[0]
	}
	one := first(bare, c, "uni(P,IQ)")
	c.Chunk = 7
	chunked := first(bare, c, "uni(P,IQ)")
	near(t, "loss in chunks", chunked.Loss, one.Loss, 1e-4, 0)
	near(t, "norm in chunks", chunked.GradNorm, one.GradNorm, 1e-3, 0)
	c.Chunk = 0
	plain := of(colours(24)).Drop(mixture.Drop{Instruction: true, Query: true})
	c.RowsPerGroup /= 3 // the same records
	want := first(plain, c, "uni(P,IQ)")
	near(t, "term P", one.Terms["P"], want.Terms["P"], 1e-5, 0)
	near(t, "MRR", one.MRR, want.MRR, 1e-6, 0)
	if !(one.Terms["IQ"] > want.Terms["IQ"]) {
		t.Errorf("term IQ %v with poisoned texts, %v without", one.Terms["IQ"], want.Terms["IQ"])
	}
}

// Training for as many steps as its epochs make is the same training. Any other number of steps
// reaches into further epochs, or ends within one, and resumes in the same way.
func TestTrainForSteps(t *testing.T) {
	l, data := parsed(t, "multi(P,I)"), of(colours(24))
	c := toyConfig()
	want, _, err := trainOn(t, t.Context(), data, c, l, false, Options{})
	if err != nil {
		t.Fatal(err)
	}
	c = c.ForSteps(c.StepsOn(data.Rows()))
	if got, sum, err := trainOn(t, t.Context(), data, c, l, false, Options{}); got != want || err != nil || sum.Steps != 12 {
		t.Errorf("%d steps: weights equal %t, %v", sum.Steps, got == want, err)
	}
	for _, n := range []int{1, 4, 20} {
		c := c.ForSteps(n)
		want, sum, err := trainOn(t, t.Context(), data, c, l, false, Options{})
		if err != nil || len(sum.Curve) != n || sum.Curve[n-1].Epoch != float64(n)/6 {
			t.Errorf("%d steps asked for: %d done, %v", n, len(sum.Curve), err)
		}
		ctx, stop := context.WithCancel(t.Context())
		dir := t.TempDir()
		opt := Options{Checkpoint: dir, OnStep: func(s Step) {
			if s.Step == 3 {
				stop()
			}
		}}
		if _, _, err := trainOn(t, ctx, data, c, l, false, opt); n > 3 && !errors.Is(err, context.Canceled) {
			t.Errorf("stopped after step 3 of %d: %v", n, err)
		}
		if got, _, err := trainOn(t, t.Context(), data, c, l, false, Options{Checkpoint: dir}); got != want || err != nil {
			t.Errorf("%d steps, resumed: weights equal %t, %v", n, got == want, err)
		}
		stop()
	}
}

// A mixture of one source trains as the source does, whatever its weight.
func TestMixtureOfOneSource(t *testing.T) {
	c, l := toyConfig(), parsed(t, "multi(P,I)")
	want, _ := trained(t, c, l, Options{})
	data := of(colours(24))
	data[0].Source = mixture.Source{Name: "a", Weight: 3}
	c.Batches = OneSource
	got, _, err := trainOn(t, t.Context(), data, c, l, false, Options{})
	if err != nil || got != want {
		t.Errorf("weights %.12s, want %.12s, %v", got, want, err)
	}
}

// joining returns two sources; the second joins later.
func joining() mixture.Data {
	return mixture.Data{
		{Source: mixture.Source{Name: "a", Weight: 2}, Shape: datasets.TripletShape, Records: of(colours(24))[0].Records},
		{Source: mixture.Source{Name: "b", Weight: 1, From: 0.3}, Records: plainly(24, true)},
	}
}

// A source joins at the step of its share, whatever the batches of a step: earlier steps have
// none of its records, and soon after they do.
func TestSourceJoinsAtItsStep(t *testing.T) {
	data, l := joining(), parsed(t, "uni(P)")
	for _, at := range []int{7, 25, 40, 68} { // out of 100 steps
		data[1].From = float64(at) / 100
		for _, batches := range []Batching{Mixed, OneSource} {
			for _, accumulate := range []int{1, 4} {
				c := toyConfig().ForSteps(100)
				c.Batches, c.Accumulate = batches, accumulate
				s, err := newSampler(c, Objective{}, l, data)
				if err != nil {
					t.Fatal(err)
				}
				ofSecond := func(b Batch) bool {
					return slices.ContainsFunc(b.Records, func(record int) bool { return record >= len(data[0].Records) })
				}
				first := 0
				for !slices.ContainsFunc(s.step(first, accumulate), ofSecond) && first < 100 {
					first++
				}
				if first < at || first > at+10 {
					t.Errorf("@%v, batches %s, %d a step: the source first occurs in step %d of 100", data[1].From, batches, accumulate, first)
				}
			}
		}
	}
}

// If a share ends within a step, the source joins with the step after it: all batches of a step
// come from the same sources.
func TestSourceJoinsWithAWholeStep(t *testing.T) {
	data := joining()
	data[0].Weight, data[1].Weight, data[1].From = 1, 20, 0.33
	c := toyConfig().ForSteps(10)
	c.Accumulate = 4
	s, err := newSampler(c, Objective{}, parsed(t, "uni(P)"), data)
	if err != nil {
		t.Fatal(err)
	}
	for step := range 10 {
		for i, b := range s.step(step, 4) {
			joined := slices.ContainsFunc(b.Records, func(record int) bool { return record >= len(data[0].Records) })
			if joined != (step >= 4) {
				t.Errorf("step %d, batch %d: of the source that joins after 3.3 steps: %t", step, i, joined)
			}
		}
	}
}

// Training on a mixture that is stopped within an epoch, before and after a source joins, ends
// with the same bytes as an uninterrupted run.
func TestResumeOfMixture(t *testing.T) {
	c, l := toyConfig(), parsed(t, "multi(P,IQ)")
	c.Epochs = 2
	for _, batches := range []Batching{"", OneSource} {
		c.Batches = batches
		data := joining()
		want, whole, err := trainOn(t, t.Context(), data, c, l, false, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, stop := range []int{1, 3, whole.Steps/2 + 2} {
			dir := filepath.Join(t.TempDir(), "checkpoint")
			ctx, cancel := context.WithCancel(t.Context())
			_, _, err := trainOn(t, ctx, data, c, l, false, Options{Checkpoint: dir, OnStep: func(s Step) {
				if s.Step == stop {
					cancel()
				}
			}})
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("stopped at %d: %v", stop, err)
			}
			got, rest, err := trainOn(t, t.Context(), data, c, l, false, Options{Checkpoint: dir})
			if err != nil || got != want || rest.Resumed != stop || fmt.Sprint(rest.Curve) != fmt.Sprint(whole.Curve) {
				t.Errorf("batches %q stopped at %d: resumed at %d, weights %.12s, want %.12s, %v", batches, stop, rest.Resumed, got, want, err)
			}
		}
	}
}
