package training

import (
	"cmp"

	"infbench/training/encoder"
)

// Design is the set of changes that an experiment makes to a backbone.
type Design = encoder.Design

// Precision is the number format of matrix products; Float32 is the default.
type Precision = encoder.Precision

// Float32 is the default precision.
const Float32 = encoder.Float32

// Complete fills the open settings of c and d from the preset named by c.Fidelity: the
// temperature (see Fidelity; under the score dot it is 1), and how texts are read
//
//   - recommended: nothing; the backbone reads texts as it does.
//   - paper: "<Instruction> <Query>" as one text (section 3).
//   - reference: "<query> <instruction>" as one text, without the backbone's prompts
//     and cut on the right, so that a text that is too long loses its instruction. Losses
//     that contrast instructions (its map types) are still trained on joined tokens,
//     although evaluation reads one text (spec/training.md, section 1.3).
func (c Config) Complete(l Loss, d Design) (Config, Design) {
	if d.Score == encoder.CosineScore {
		d.Score = "" // the default
	}
	if o, err := c.under(d.Score); err == nil {
		c.Temperature = &o.Temperature
	}
	if c.Batches == Mixed {
		c.Batches = ""
	}
	c.leaveUsual()
	switch c.Fidelity {
	case "paper":
		d.Join = cmp.Or(d.Join, "instruction_first")
		d.Concat = cmp.Or(d.Concat, encoder.ByText)
	case "reference":
		if d.Concat == "" && l.Needs()&drawsInstructions != 0 {
			c.Concat = cmp.Or(c.Concat, encoder.ByToken)
		}
		d.Join = cmp.Or(d.Join, "query_first")
		d.Concat = cmp.Or(d.Concat, encoder.ByText)
		d.TruncationSide = cmp.Or(d.TruncationSide, encoder.Right)
		if d.Prompts == nil {
			d.Prompts = new(bool)
		}
	}
	return c, d
}
