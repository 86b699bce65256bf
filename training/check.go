package training

import (
	"errors"
	"fmt"
	"strings"

	"infbench/datasets"
	"infbench/training/encoder"
)

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
	if len(opt.Devices) > 0 && c.Chunk == 0 {
		return fmt.Errorf("%d devices share the chunks of a batch: set chunk, the sequences in each", 1+len(opt.Devices))
	}
	if c.Dropout > 0 {
		if err := enc.CheckDropout(); err != nil {
			return err
		}
	}
	if enc.ExcludesPrompt() {
		return fmt.Errorf("prompt_pooling %s: training with prompts left out of the pooling is not implemented", enc.Config().Text.Prompt)
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
