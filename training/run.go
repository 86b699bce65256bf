package training

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"infbench/datasets"
	"infbench/datasets/atomicfile"
	"infbench/datasets/mixture"
	"infbench/training/encoder"
)

// run is what the steps of one call of Train share.
type run struct {
	config     Config
	records    []datasets.Record
	steps      int // planned
	sampler    *sampler
	tokens     *tokens
	stepper    *stepper
	validation *validation
	checkpoint checkpoint
}

// newRun reads the data and prepares the steps. Graphs are compiled when a step
// needs them.
func newRun(c Config, l Loss, enc *encoder.Encoder, data mixture.Data, opt Options) (*run, error) {
	objective, err := c.Objective()
	if err != nil {
		return nil, err
	}
	r := &run{config: c, records: data.All(), steps: c.StepsOn(data.Rows())}
	if r.sampler, err = newSampler(c, objective, l, data); err != nil {
		return nil, err
	}
	if r.steps == 0 {
		return nil, fmt.Errorf("%d batches in %d epochs do not make a step of %d", c.Epochs*r.sampler.perEpoch(), c.Epochs, c.batches())
	}
	r.tokens = newTokens(enc, c.Concat, r.sampler.rows, r.sampler.mixed() > 0)
	r.tokens.beside = r.tokens.newBeside(c, objective, listings(c, objective, data), opt)
	r.validation = &validation{every: c.EvaluateEvery, patience: c.Patience, evaluate: opt.OnEvaluate, better: opt.Better, store: enc.Store()}
	if opt.Better == nil {
		r.validation.better = func(a, b float64) bool { return a > b }
	}
	r.checkpoint = checkpoint{dir: opt.Checkpoint, files: opt.Files, store: enc.Store(), validation: r.validation}
	if opt.Files == nil {
		r.checkpoint.files = atomicfile.OS{}
	}
	if opt.Checkpoint != "" {
		if r.checkpoint.identity, err = identify(c, l, enc, r.tokens); err != nil {
			return nil, err
		}
	}
	if r.stepper, err = newStepper(c, objective, l, enc, r.sampler.batchRows(), opt.Devices...); err != nil {
		return nil, err
	}
	r.stepper.plan(r.tokens, r.sampler, r.steps*c.batches())
	return r, nil
}

// step takes the step of that index, counted from 0.
func (r *run) step(index int) (Step, error) {
	batches := r.sampler.step(index, r.config.batches())
	record, err := r.stepper.step(index, r.config.rate(index, r.steps), r.tokens, batches, r.sampler.mixed())
	if err != nil {
		return Step{}, fmt.Errorf("training step %d on records %s: %w", index+1, r.names(batches), err)
	}
	record.Epoch = float64((index+1)*r.config.batches()) / float64(r.sampler.perEpoch())
	return record, nil
}

// prepare puts the adapter on and freezes weights, as the configuration says.
// restore undoes both; an adapter that was not merged is lost.
func prepare(c Config, enc *encoder.Encoder) (restore func() error, err error) {
	unadapt := func() error { return nil }
	if c.lora() {
		if err := enc.Adapt(c.LoRA, c.Seed); err != nil {
			return nil, err
		}
		unadapt = enc.Unadapt
	}
	thaw, err := freeze(enc.Store(), c.Freeze)
	if err != nil {
		return nil, errors.Join(err, unadapt())
	}
	return func() error {
		thaw()
		return unadapt()
	}, nil
}

// finish saves the adapter, if there is one, and merges it into the weights.
func finish(c Config, enc *encoder.Encoder, opt Options) error {
	if c.lora() && opt.Adapter != "" {
		if err := enc.SaveAdapter(opt.Adapter); err != nil {
			return err
		}
	}
	return enc.Merge()
}

// names lists the IDs of the records of a step.
func (r *run) names(batches []Batch) string {
	var ids []string
	for _, b := range batches {
		for _, row := range b.Rows {
			if record, first := slices.BinarySearch(r.sampler.first, row); first {
				ids = append(ids, fmt.Sprintf("%q", r.records[record].ID))
			}
		}
	}
	return strings.Join(ids, ", ")
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
