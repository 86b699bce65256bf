package training

import (
	"cmp"

	"infbench/training/encoder"
)

// Design is what an experiment changes in a backbone.
type Design = encoder.Design

// Precision is in what matrices are multiplied; Float32 is the default.
type Precision = encoder.Precision

// Float32 is the precision of what says nothing else.
const Float32 = encoder.Float32

// Complete fills what c and d leave open with what the preset named by c.Fidelity
// says: the temperature (see Fidelity), and of how texts are read
//
//   - recommended: nothing; the backbone reads texts as it does.
//   - paper: "<Instruction> <Query>" as one text (section 3).
//   - reference: "<query> <instruction>" as one text, without the backbone's prompts
//     and cut on the right, so that what is too long loses its instruction. Losses
//     that contrast instructions (its map types) are trained on joined tokens all
//     the same, though evaluation reads one text (spec/training.md, section 1.3).
func (c Config) Complete(l Loss, d Design) (Config, Design) {
	if o, err := Fidelity(c.Fidelity); err == nil && c.Temperature == nil {
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
