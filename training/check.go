package training

import (
	"errors"
	"fmt"
	"strings"

	"infbench/datasets"
	"infbench/datasets/mixture"
	"infbench/training/encoder"
)

// check refuses what cannot be trained.
func check(c Config, l Loss, enc *encoder.Encoder, data mixture.Data, opt Options) error {
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
		return fmt.Errorf("prompt_pooling %s: training with prompts left out of the pooling is not implemented (infbench.json in the model's folder may say include)", enc.Config().Text.Prompt)
	}
	return checkData(l, data)
}

// checkData refuses records without a text to encode, or of another shape than their
// source, and a loss that needs what they lack.
func checkData(l Loss, data mixture.Data) error {
	for _, p := range data {
		if err := l.CheckShape(p.Shape); err != nil {
			return fmt.Errorf("training data %s: %w", p.Name, err)
		}
		for i, r := range p.Records {
			if err := checkRecord(r, p.Shape); err != nil {
				return fmt.Errorf("training record %d (%q) %w", i+1, r.ID, err)
			}
		}
	}
	return nil
}

// checkRecord words what a record lacks to be one of a shape.
func checkRecord(r datasets.Record, shape datasets.Shape) error {
	if len(r.Rows) != shape.Rows() {
		return fmt.Errorf("has %d rows, those before it %d", len(r.Rows), shape.Rows())
	}
	for k, row := range r.Rows {
		for _, f := range []struct{ name, text string }{{"query", row.Query}, {"passage", row.Passage}, {"instruction", row.Instruction}} {
			optional := f.name == "instruction" && !shape.Instruction || f.name == "passage" && shape.Bare && k > 0
			if !optional && strings.TrimSpace(f.text) == "" {
				return fmt.Errorf("has no %s in row %d", f.name, k+1)
			}
		}
	}
	return nil
}

// CheckShape refuses a loss that draws instruction negatives on records that have no
// poisoned instruction, and one that contrasts nothing but passages on records whose
// poisoned texts have none: they would have no say in it.
func (l Loss) CheckShape(shape datasets.Shape) error {
	if terms := l.Terms & (I | IP); terms != 0 && !shape.Instruction {
		return fmt.Errorf("loss %s: the term %s contrasts instructions, and the records have no poisoned one", l, terms)
	}
	if shape.Bare && l.Terms == P {
		return fmt.Errorf("loss %s: it contrasts passages alone, and poisoned texts without their passages have no say in it", l)
	}
	return nil
}
