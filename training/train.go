// Package training trains bi-encoders on instruction-query-passage triplets
// under every objective of InF-Embed.
//
// A Loss says what is minimised, a Config how; Train is the loop. Networks,
// tokenizers and HuggingFace folders are the business of training/encoder;
// benchmarks and their measures of neither.
package training

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"infbench/datasets"
	"infbench/training/encoder"
)

// Options say where a run leaves its traces and how its weights are judged. But
// for OnEvaluate they never change a number.
type Options struct {
	Checkpoint string     // folder of the resumable state; empty: none is kept
	Every      int        // steps between checkpoints; 0: at the end and when stopped
	OnStep     func(Step) // called after each step that this call ran

	Adapter string // folder that gets the trained adapter as PEFT reads it; empty: none

	// OnEvaluate judges the weights after a step, a higher value being better;
	// Config.EvaluateEvery says when. It must be a function of the weights: after
	// a crash it is asked again.
	OnEvaluate func(step int) (float64, error)
}

// Summary is what training did.
type Summary struct {
	Steps   int    // planned
	Resumed int    // steps that an earlier, interrupted call had done
	Curve   []Step // of all steps done, those of earlier calls included
	Unused  int    // records that each epoch leaves over because they fill no batch
	Length  int    // tokens that every sequence was padded to

	Evaluations []Evaluation
	Best        int // step whose weights these are; 0: the last, nothing was evaluated
}

// Train updates the weights of enc on triplets. Where opt.Checkpoint holds the
// state of an interrupted run of the same configuration, it continues that run
// and ends with the same weights, bit for bit, as a run never interrupted; the
// state of any other run is an error.
//
// When ctx ends, Train finishes the running step, saves a checkpoint and
// returns ctx's error, wrapped. Where a loss or gradient is not finite it stops
// with an error that names step and records, the weights being those before it.
//
// With Config.EvaluateEvery training ends with the weights of the best evaluation.
// With Config.LoRA the weights change at the end only, when the adapter is merged.
// On one build and backend the result is a function of c, l, enc and triplets,
// not of GOMAXPROCS.
func Train(ctx context.Context, c Config, l Loss, enc *encoder.Encoder, triplets []datasets.Triplet, opt Options) (sum Summary, err error) {
	if err := check(c, l, enc, triplets, opt); err != nil {
		return Summary{}, err
	}
	objective, err := c.Objective()
	if err != nil {
		return Summary{}, err
	}
	if c.lora() {
		if err := enc.Adapt(c.LoRA, c.Seed); err != nil {
			return Summary{}, err
		}
		defer func() { err = errors.Join(err, enc.Unadapt()) }()
	}
	thaw, err := freeze(enc.Store(), c.Freeze)
	if err != nil {
		return Summary{}, err
	}
	defer thaw()
	rows := Rows(triplets)
	sampler, err := newSampler(c, objective, l, rows)
	if err != nil {
		return Summary{}, err
	}
	tokens := newTokens(enc, rows, sampler.mixed() > 0)
	stepper, err := newStepper(c, objective, l, enc, sampler.batchRows())
	if err != nil {
		return Summary{}, err
	}
	defer func() { err = errors.Join(err, stepper.close()) }()

	steps := c.Steps(len(triplets))
	if steps == 0 {
		return Summary{}, fmt.Errorf("%d batches in %d epochs do not make a step of %d", c.Epochs*sampler.perEpoch(), c.Epochs, c.batches())
	}
	sum = Summary{Steps: steps, Unused: len(triplets) % (sampler.batchRows() / rowsPerTriplet), Length: tokens.length}
	validation := &validation{every: c.EvaluateEvery, patience: c.Patience, evaluate: opt.OnEvaluate, store: enc.Store()}
	keep := checkpoint{dir: opt.Checkpoint, store: enc.Store(), validation: validation}
	if opt.Checkpoint != "" {
		if keep.identity, err = identify(c, l, enc, tokens); err != nil {
			return sum, err
		}
		if sum.Curve, err = keep.load(); err != nil {
			return sum, err
		}
		sum.Resumed = len(sum.Curve)
	}

	// The state of the loop is this, the validation, and what enc.Store() holds,
	// weights and moments.
	step, saved := sum.Resumed, sum.Resumed
	for step < steps && !validation.stop() && ctx.Err() == nil {
		batches := sampler.step(step, c.batches())
		record, err := stepper.step(step, c.rate(step, steps), tokens, batches, sampler.mixed())
		if err != nil {
			return sum, fmt.Errorf("training step %d on records %s: %w", step+1, names(triplets, batches), err)
		}
		step++
		record.Epoch = float64(step*c.batches()) / float64(sampler.perEpoch())
		sum.Curve = append(sum.Curve, record)
		if opt.OnStep != nil {
			opt.OnStep(record)
		}
		if err := validation.after(step, steps); err != nil {
			return sum, err
		}
		if opt.Checkpoint != "" && opt.Every > 0 && step%opt.Every == 0 {
			if err := keep.save(sum.Curve); err != nil {
				return sum, err
			}
			saved = step
		}
	}
	if opt.Checkpoint != "" && step > saved {
		if err := keep.save(sum.Curve); err != nil {
			return sum, err
		}
	}
	sum.Evaluations = validation.done
	if step < steps && !validation.stop() {
		return sum, fmt.Errorf("training stopped after step %d of %d: %w", step, steps, context.Cause(ctx))
	}
	if sum.Best, err = validation.restore(); err != nil {
		return sum, err
	}
	if c.lora() && opt.Adapter != "" {
		if err := enc.SaveAdapter(opt.Adapter); err != nil {
			return sum, err
		}
	}
	return sum, enc.Merge()
}

// check refuses what cannot be trained.
func check(c Config, l Loss, enc *encoder.Encoder, triplets []datasets.Triplet, opt Options) error {
	if err := errors.Join(c.Validate(), c.whole()); err != nil {
		return fmt.Errorf("training configuration: %w", err)
	}
	if err := l.check(); err != nil {
		return err
	}
	if c.EvaluateEvery > 0 && opt.OnEvaluate == nil {
		return fmt.Errorf("evaluate_every %d, but there is nothing to evaluate with", c.EvaluateEvery)
	}
	if c.Dropout > 0 {
		if err := enc.CheckDropout(); err != nil {
			return err
		}
	}
	if i := enc.Config().Text.Interaction; c.Chunk > 0 && i.Crossed() {
		return fmt.Errorf("chunk %d: chunks are not implemented for interaction %s", c.Chunk, i)
	}
	return checkTriplets(triplets)
}

// checkTriplets refuses records without a text to encode.
func checkTriplets(triplets []datasets.Triplet) error {
	for i, t := range triplets {
		for _, f := range []struct{ name, text string }{
			{"positive query", t.QueryPositive}, {"negative query", t.QueryNegative},
			{"positive instruction", t.InstructionPositive}, {"negative instruction", t.InstructionNegative},
			{"positive passage", t.Positive}, {"first hard negative", t.HardNegative1}, {"second hard negative", t.HardNegative2},
		} {
			if strings.TrimSpace(f.text) == "" {
				return fmt.Errorf("training record %d (%q) has no %s", i+1, t.ID, f.name)
			}
		}
	}
	return nil
}

// names lists the IDs of the records of a step.
func names(triplets []datasets.Triplet, batches []Batch) string {
	var ids []string
	for _, b := range batches {
		for i := 0; i < len(b.Rows); i += rowsPerTriplet {
			ids = append(ids, fmt.Sprintf("%q", triplets[b.Rows[i]/rowsPerTriplet].ID))
		}
	}
	return strings.Join(ids, ", ")
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
