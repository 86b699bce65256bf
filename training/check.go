package training

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"infbench/datasets"
	"infbench/datasets/mixture"
	"infbench/training/encoder"
)

// check returns an error for input that Train cannot handle.
func check(c Config, l Loss, enc *encoder.Encoder, data mixture.Data, opt Options) error {
	if err := errors.Join(c.Validate(), c.checkComplete()); err != nil {
		return fmt.Errorf("training configuration: %w", err)
	}
	if err := checkLoss(l); err != nil {
		return err
	}
	if c.EvaluateEvery > 0 && opt.OnEvaluate == nil {
		return fmt.Errorf("evaluate_every %d, but there is no evaluation function (Options.OnEvaluate)", c.EvaluateEvery)
	}
	if len(opt.Devices) > 0 && c.Chunk == 0 {
		return fmt.Errorf("%d devices share the chunks of a batch: set chunk, the sequences in each", 1+len(opt.Devices))
	}
	if c.Dropout > 0 {
		if err := enc.CheckDropout(); err != nil {
			return err
		}
	}
	if enc.Config().Text.Prompt.Excludes() {
		return fmt.Errorf("prompt_pooling %s: training with prompts left out of the pooling is not implemented (infbench.json in the model's folder can set include)", enc.Config().Text.Prompt)
	}
	if err := errors.Join(c.CheckWidths(enc.Width()), c.CheckScore(l, enc.Config().Text.Score)); err != nil {
		return err
	}
	if g := c.FalseNegatives.Guide; g != "" && g != Self && opt.Guide == nil {
		return fmt.Errorf("false_negatives: guide %s, but no such model was given", g)
	}
	if d := c.modifiers().Distill; d.byModel() && opt.Teacher == nil {
		return fmt.Errorf("distill: teacher %s, but no such model was given", d.Teacher)
	}
	return c.checkData(l, data)
}

// checkData returns an error for records without a text to encode or with a shape unlike their
// source, and for a loss or modifier that needs data they lack.
func (c Config) checkData(l Loss, data mixture.Data) error {
	var fields []Fields
	for _, p := range data {
		f := Fields{Shape: p.Shape}
		for i, r := range p.Records {
			f.Add(r, i == 0)
		}
		if err := c.CheckFields(l, f); err != nil {
			return fmt.Errorf("training data %s: %w", p.Name, err)
		}
		fields = append(fields, f)
		for i, r := range p.Records {
			if err := checkRecord(r, p.Shape); err != nil {
				return fmt.Errorf("training record %d (%q) %w", i+1, r.ID, err)
			}
		}
	}
	return c.CheckMined(fields)
}

// checkRecord returns an error that names what r lacks to fit a shape.
func checkRecord(r datasets.Record, shape datasets.Shape) error {
	if len(r.Rows) != shape.Rows() {
		return fmt.Errorf("has %d rows, but earlier records have %d", len(r.Rows), shape.Rows())
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

// Fields describe the records of a source.
type Fields struct {
	Shape     datasets.Shape
	Negatives int     // the most that any record lists
	Bare      int     // records that list no negatives
	Scores    bool    // every record has a teacher's scores
	Spread    float64 // largest spread of the scores of a row
}

// Add takes a record into account. Scores is true while all records have scores; first marks the
// first record.
func (f *Fields) Add(r datasets.Record, first bool) {
	scored := true
	for _, row := range r.Rows {
		scored = scored && len(row.Scores) > 0
		if len(row.Scores) > 0 {
			f.Spread = max(f.Spread, slices.Max(row.Scores)-slices.Min(row.Scores))
		}
	}
	f.Scores = scored && (first || f.Scores)
	n := len(r.Negatives())
	f.Negatives = max(f.Negatives, n)
	if n == 0 {
		f.Bare++
	}
}

// CheckFields returns an error if records lack data that a loss or its modifiers need.
func (c Config) CheckFields(l Loss, f Fields) error {
	if err := CheckShape(l, f.Shape); err != nil {
		return err
	}
	d := c.modifiers().Distill
	if l, ok := l.(Contrastive); ok && (l.Form == Sig || l.Form == Pairwise) {
		switch {
		case c.Focal > 0:
			return fmt.Errorf("loss %s with focal %v: the focal weight applies to a softmax only", l, c.Focal)
		case d.On() && d.Share == 1:
			return fmt.Errorf("loss %s with distill: share 1: the teacher is then the entire loss; use uni(P), and distill: loss for its form", l)
		}
	}
	if c.Candidates.narrow() && f.Shape.Rows() == 1 && c.Mined == 0 && c.Candidates.drawn() == 0 {
		return fmt.Errorf("candidates %s: the records have one row, and without negatives nothing to contrast it with: set negatives, or candidates own+4", c.Candidates)
	}
	if others := c.RowsPerGroup*c.Groups - f.Shape.Rows(); c.Candidates.drawn() > others {
		return fmt.Errorf("candidates %s: a batch of %d rows has %d of other records", c.Candidates, c.RowsPerGroup*c.Groups, others)
	}
	if !d.On() {
		return nil
	}
	switch {
	case d.List == RecordList && (f.Shape.Rows() == 1 || f.Shape.Bare):
		return errors.New("distill: list record needs records of several passages; use list own or batch")
	case d.List == OwnList && f.Shape.Rows() > 1:
		return errors.New("distill: list own needs records of one row; for records of several rows use list record")
	case d.Teacher == Taught && !f.Scores:
		return fmt.Errorf("distill: teacher %s, but not all records have scores (field teacher_scores, a list of numbers)", Taught)
	case d.Teacher == Taught && d.Loss == KL && f.Spread/d.Temperature > mostSpread:
		return fmt.Errorf("distill: temperature %v: the scores of a row lie %.4g apart, and shares of exp(-%.4g) vanish in float32; want at least %.3g",
			d.Temperature, f.Spread, f.Spread/d.Temperature, f.Spread/mostSpread)
	}
	return nil
}

// CheckScore returns the terms of a loss and the settings that a score does not have.
func (c Config) CheckScore(l Loss, s Score) error {
	if s == "" || s == encoder.CosineScore {
		return nil
	}
	var errs refusals
	refuse := func(bad bool, format string, value any) {
		errs.when(bad, format+" under design.score %s: it exists for cosines only", value, s)
	}
	refuse(c.Hardness.Alpha > 0, "hardness: alpha %v", c.Hardness.Alpha)
	refuse(c.Spread > 0, "spread %v", c.Spread)
	refuse(len(c.Matryoshka.Dims) > 0, "matryoshka: dims %v", c.Matryoshka.Dims)
	refuse(s != encoder.DotScore && c.FalseNegatives.Guide == Self, "false_negatives: guide %s", Self)
	errs.when((s.OfTokens() || s.OfPairs()) && l.Needs()&(ST|IP) != 0, "loss %s under design.score %s: the terms ST and IP exist for one vector a text only", NameOf(l), s)
	return errors.Join(errs...)
}

// CheckMined returns an error if more mined negatives are asked for than any record of any source
// lists. Rows of a source with fewer negatives use those that exist.
func (c Config) CheckMined(sources []Fields) error {
	most := 0
	for _, f := range sources {
		most = max(most, f.Negatives)
	}
	if c.Mined > most {
		return fmt.Errorf("negatives %d: no record lists more than %d", c.Mined, most)
	}
	return nil
}

// mostSpread is the difference of scores at which the smaller share of a softmax vanishes in
// float32.
const mostSpread = 100

// CheckWidths returns an error for widths above the width of the vectors.
func (c Config) CheckWidths(width int) error {
	for _, dim := range c.Matryoshka.Dims {
		if dim > width {
			return fmt.Errorf("matryoshka: dims %d: the vectors have %d values", dim, width)
		}
	}
	return nil
}

// CheckShape returns an error for a loss that draws instruction negatives on records without a
// poisoned instruction. It also returns an error for a loss that contrasts passages only, on
// records whose poisoned texts have no passages: such texts would have no effect.
func CheckShape(l Loss, shape datasets.Shape) error {
	if terms := l.Needs() & drawsInstructions; terms != 0 && !shape.Instruction {
		return fmt.Errorf("loss %s: the term %s contrasts instructions, but the records have no poisoned instructions", NameOf(l), terms)
	}
	if shape.Bare && l.Needs()&^P == 0 {
		return fmt.Errorf("loss %s: it contrasts only passages, so poisoned texts without passages have no effect", NameOf(l))
	}
	return nil
}
