package training

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"infbench/datasets"
	"infbench/datasets/mixture"
	"infbench/training/encoder"
)

// plainly are the colours' queries with their passages: records of one row, with an
// instruction or without.
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

// halves are records without poisoned queries.
func halves(n int) []datasets.Record {
	var all []datasets.Record
	for _, t := range colours(n) {
		t.QueryNegative, t.HardNegative2 = "", ""
		all = append(all, t.Record())
	}
	return all
}

// trainOn trains a fresh encoder.
func trainOn(t *testing.T, ctx context.Context, data mixture.Data, c Config, l Loss, cross bool, opt Options) (string, Summary, error) {
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

// Records of every shape train under every loss that asks for nothing they lack.
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
		"queries and passages": {mixture.Data{part("a", datasets.Shape{}, plainly(24, false))}, []string{"uni(P)", "uni(IQ)", "uni(P,IQ)", "multi(P,IQ)"}},
		"with instructions":    {mixture.Data{part("a", datasets.Shape{}, plainly(24, true))}, []string{"uni(P)", "multi(P,IQ)"}},
		"two rows a record":    {mixture.Data{part("a", release, halves(24))}, []string{"uni(P)", "uni(I)", "multi(P,I,IQ)"}},
		"two shapes":           {mixture.Data{part("a", release, halves(24)), part("b", datasets.TripletShape, triplets)}, []string{"multi(P,I,IQ)"}},
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

// A loss that contrasts instructions needs poisoned ones.
func TestTrainRefusesPlainRecords(t *testing.T) {
	for _, loss := range []string{"uni(I)", "multi(P,I)"} {
		data := mixture.Data{{Source: mixture.Source{Name: "pairs"}, Records: plainly(24, true)}}
		_, _, err := trainOn(t, t.Context(), data, toyConfig(), parsed(t, loss), false, Options{})
		if err == nil || !strings.Contains(err.Error(), "training data pairs: loss "+loss+": the term I contrasts instructions") {
			t.Errorf("%s: %v", loss, err)
		}
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

// Training on a mixture that is stopped within an epoch, before and after a source
// joins, ends with the bytes of one that never was.
func TestResumeOfMixture(t *testing.T) {
	c, l := toyConfig(), parsed(t, "multi(P,IQ)")
	c.Epochs = 2
	for _, batches := range []Batching{"", OneSource} {
		c.Batches = batches
		data := mixture.Data{
			{Source: mixture.Source{Name: "a", Weight: 2}, Shape: datasets.TripletShape, Records: of(colours(24))[0].Records},
			{Source: mixture.Source{Name: "b", Weight: 1, From: 0.3}, Records: plainly(24, true)},
		}
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
