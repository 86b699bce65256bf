package training

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"infbench/datasets"
	"infbench/datasets/mixture"
	"infbench/internal/disk"
	"infbench/internal/memory"
	"infbench/training/encoder"
)

// run is the state that the steps of one call of Train share.
type run struct {
	config     Config
	records    []datasets.Record
	steps      int // planned
	sampler    *sampler
	tokens     *tokens
	stepper    *stepper
	validation *validation
	checkpoint checkpoint
	ahead      chan prepared // holds at most one step, tokenised and uploaded during the step before it
}

// prepared is the input of a step.
type prepared struct {
	index    int
	batches  []Batch
	uploaded []uploaded
	tokens   int // without padding
	err      error
}

// newRun reads the data and prepares the steps. Graphs are compiled when a step needs them.
func newRun(c Config, l Loss, enc *encoder.Encoder, data mixture.Data, opt Options) (*run, error) {
	objective, err := c.under(enc.Config().Text.Score)
	if err != nil {
		return nil, err
	}
	r := &run{config: c, records: data.All(), steps: c.StepsOn(data.Rows())}
	if r.sampler, err = newSampler(c, objective, l, data); err != nil {
		return nil, err
	}
	r.tokens = newTokens(enc, c.Concat, r.sampler.rows, r.sampler.mixed() > 0)
	r.tokens.modifierInputs = r.tokens.newModifierInputs(c, objective, listings(c, objective, data), opt)
	folder := variablesFolder{Dir: opt.Checkpoint, Files: opt.files, Encoder: enc}
	if folder.Files == nil {
		folder.Files = disk.OS{}
	}
	r.validation = &validation{every: c.EvaluateEvery, patience: c.Patience, evaluate: opt.OnEvaluate, better: opt.Better, kept: best{folder: folder}}
	if opt.Better == nil {
		r.validation.better = func(a, b float64) bool { return a > b }
	}
	r.checkpoint = checkpoint{variablesFolder: folder, validation: r.validation}
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

// rehearse runs the computation that takes most memory before the first step, so that a run that
// does not fit fails in the first minute. It is used only on a device, which has its own memory
// and takes long to compile. Weights and moments keep their bits.
func (r *run) rehearse() error {
	number := r.stepper.largest
	list, _, err := r.tokens.arrays([]Batch{r.sampler.batch(number)}, r.sampler.mixed())
	if err != nil {
		return err
	}
	largest, err := r.stepper.program.upload(list[0])
	if err == nil {
		err = r.stepper.program.rehearse(largest)
	}
	if err != nil {
		return fmt.Errorf("the largest batch (step %d): %w", number/r.config.batches()+1, err)
	}
	return nil
}

// room checks that the activations of the largest batch fit into the memory of this process and
// returns nil or a *memory.Full. It asks for the smallest measured amount, two thirds of the
// estimate without attention weights, so that it never rejects a batch that fits.
func (r *run) room() error {
	enc := r.stepper.encoder
	if !enc.Backend().HasSharedBuffers() {
		return nil
	}
	config := enc.Config()
	if err := memory.For(config.KeptBytes(0, r.stepper.most, r.config.Checkpointing) * 2 / 3); err != nil {
		return fmt.Errorf("train on %d tokens at a time: %w; use smaller batches or train.chunk", r.stepper.most, err)
	}
	return nil
}

// prepare draws, tokenises and uploads the batches of a step.
func (r *run) prepare(index int) prepared {
	p := prepared{index: index, batches: r.sampler.step(index, r.config.batches())}
	list, tokens, err := r.tokens.arrays(p.batches, r.sampler.mixed())
	p.tokens, p.err = tokens, err
	for _, in := range list {
		if p.err == nil {
			var u uploaded
			u, p.err = r.stepper.program.upload(in)
			p.uploaded = append(p.uploaded, u)
		}
	}
	return p
}

// next returns the step with that index and starts preparing the one after it.
func (r *run) next(index int) prepared {
	var p prepared
	if r.ahead != nil {
		p, r.ahead = <-r.ahead, nil
	}
	if p.batches == nil || p.index != index {
		p = r.prepare(index)
	}
	if index+1 < r.steps {
		ahead := make(chan prepared, 1) // buffered, so that the sender never waits
		go func() { ahead <- r.prepare(index + 1) }()
		r.ahead = ahead
	}
	return p
}

// close waits for the step in preparation and frees the graphs.
func (r *run) close() error {
	if r.ahead != nil {
		<-r.ahead
	}
	return r.stepper.close()
}

// step takes the step with that index, counted from 0.
func (r *run) step(index int) (Step, error) {
	p := r.next(index)
	if p.err != nil {
		return Step{}, fmt.Errorf("training step %d on records %s: %w", index+1, r.names(p.batches), p.err)
	}
	record, err := r.stepper.step(index, r.config.rate(index, r.steps), p.uploaded, p.tokens)
	if err != nil {
		return Step{}, fmt.Errorf("training step %d on records %s: %w", index+1, r.names(p.batches), err)
	}
	record.Epoch = float64((index+1)*r.config.batches()) / float64(r.sampler.perEpoch())
	return record, nil
}

// prepare adds the adapter and freezes weights, as configured. restore undoes both; an adapter
// that was not merged is lost.
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
