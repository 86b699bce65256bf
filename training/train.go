// Package training trains bi-encoders on rows of instruction, query and passage under every
// objective of InF-Embed.
//
// A Loss is the function to minimise and a Config configures training; Train is the loop.
// Networks, tokenizers and HuggingFace folders belong to training/encoder, benchmarks and their
// measures to neither. One Example trains a loss of the paper, another a custom loss;
// runners/device opens the backends that networks compute on.
package training

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gomlx/compute"

	"infbench/datasets/mixture"
	"infbench/internal/disk"
	"infbench/training/encoder"
)

// Options configure the output of a run and the evaluation of its weights. They never change a
// number, except for OnEvaluate and Better.
type Options struct {
	Checkpoint string        // folder of the resumable state; empty: no checkpoints
	Every      int           // steps between checkpoints; 0: at the end and when stopped
	Within     time.Duration // time between checkpoints, regardless of steps; 0: no limit
	OnStep     func(Step)    // called after each step that this call ran

	// Devices share the work of a step with the encoder's own device; this requires Config.Chunk.
	// On the Go backend the weights have the same bits on any number of devices. Through XLA the
	// losses and gradients of several devices equal those of one except for rounding: one device
	// adds gradients in the program that computes them. A run can continue a checkpoint on another
	// number of devices.
	Devices []compute.Backend

	Adapter string // folder for the trained adapter in PEFT's format; empty: none

	// Guide and Teacher are the models that Config.FalseNegatives and Config.Distill name, unless
	// these name Self and Taught.
	Guide, Teacher Judge

	// OnEvaluate scores the weights after a step, every Config.EvaluateEvery steps. It must be a
	// function of the weights, because it is called again after a crash. Better reports whether
	// one value is strictly better than another; nil: the higher one is better.
	OnEvaluate func(step int) (float64, error)
	Better     func(a, b float64) bool

	files disk.FS // see WrittenTo
}

// WrittenTo returns the options with a file system for writing checkpoints. The default is the
// operating system's.
func (o Options) WrittenTo(files disk.FS) Options {
	o.files = files
	return o
}

// Summary describes a finished training.
type Summary struct {
	Steps   int    // planned
	Resumed int    // steps that an earlier, interrupted call had done
	Curve   []Step // all steps done, including those of earlier calls
	Unused  int    // records that each epoch leaves over because they fill no batch
	Length  int    // tokens of the longest sequence that a batch can hold

	Evaluations []Evaluation
	Best        int // step whose weights these are; 0: the last step, without evaluation
}

// Train updates the weights of enc on data. If opt.Checkpoint holds the state of an interrupted
// run of the same configuration, Train continues that run and ends with the same weights, bit for
// bit, as an uninterrupted run. The state of any other run is an error.
//
// When ctx ends, Train finishes the running step, saves a checkpoint and returns ctx's error,
// wrapped. If a loss or gradient is not finite, it stops with an error that names step and
// records and leaves the weights as before that step.
//
// With Config.EvaluateEvery training ends with the weights of the best evaluation. With
// Config.LoRA the weights change only at the end, when the adapter is merged. On one build and
// backend the result is a function of c, l, enc and data, not of GOMAXPROCS.
func Train(ctx context.Context, c Config, l Loss, enc *encoder.Encoder, data mixture.Data, opt Options) (sum Summary, err error) {
	if err := check(c, l, enc, data, opt); err != nil {
		return Summary{}, err
	}
	restore, err := prepare(c, enc)
	if err != nil {
		return Summary{}, err
	}
	defer func() { err = errors.Join(err, restore()) }()
	r, err := newRun(c, l, enc, data, opt)
	if err != nil {
		return Summary{}, err
	}
	defer func() { err = errors.Join(err, r.close()) }()

	sum = Summary{Steps: r.steps, Unused: r.sampler.unused(), Length: r.tokens.length}
	// The state of the loop is the curve, the validation, and the contents of enc.Store():
	// weights and moments.
	if sum.Curve, err = r.checkpoint.load(); err != nil {
		return sum, err
	}
	sum.Resumed = len(sum.Curve)
	if onDevice := !enc.Backend().HasSharedBuffers(); onDevice && sum.Resumed == 0 {
		if err := r.rehearse(); err != nil {
			return sum, err
		}
	}
	if err := r.room(); err != nil && sum.Resumed < r.steps {
		return sum, err
	}
	step, saved, savedAt := sum.Resumed, sum.Resumed, time.Now()
	for step < r.steps && !r.validation.stop() && ctx.Err() == nil {
		record, err := r.step(step)
		if err != nil {
			return sum, err
		}
		step++
		sum.Curve = append(sum.Curve, record)
		if opt.OnStep != nil {
			opt.OnStep(record)
		}
		if err := r.validation.after(step, r.steps); err != nil {
			return sum, err
		}
		if opt.Every > 0 && step%opt.Every == 0 || opt.Within > 0 && time.Since(savedAt) >= opt.Within {
			if err := r.checkpoint.save(sum.Curve); err != nil {
				return sum, err
			}
			saved, savedAt = step, time.Now()
		}
	}
	if step > saved {
		if err := r.checkpoint.save(sum.Curve); err != nil {
			return sum, err
		}
	}
	sum.Evaluations = r.validation.done
	if step < r.steps && !r.validation.stop() {
		return sum, fmt.Errorf("training stopped after step %d of %d: %w", step, r.steps, context.Cause(ctx))
	}
	if sum.Best, err = r.validation.restore(); err != nil {
		return sum, err
	}
	return sum, finish(c, enc, opt)
}
