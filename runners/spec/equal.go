package spec

import (
	"cmp"
	"encoding/json"
	"fmt"

	"infbench/training"
)

// RepeatsInput is what a Resolver is given before the JSON of a Repetition, by which it is
// asked whether texts of training data equal one another: Repeating, or "".
const RepeatsInput = "repeats: "

// Repeating is that they do.
const Repeating = "some texts are equal"

// Repetition is training data and what of it stands among the negatives of others.
type Repetition struct {
	Data      string
	Negatives int             // mined ones that a row takes
	IQTerm    training.IQTerm // what varies in the IQ term
}

// MasksUnsaid says whether equal texts are masked because the preset does it, the cell
// being silent.
func (c *Cell) MasksUnsaid() bool {
	said := cmp.Or(c.Train.FalseNegatives.Equal, c.Train.Negatives.Equal)
	preset, err := training.Fidelity(c.Train.Fidelity)
	return c.Model == Trained && err == nil && preset.False.Equal && said == ""
}

// sayEqual writes out that equal texts are masked where the preset does it unsaid and the
// data of a cell has some. They were kept by presets once (but for instructions): so the
// trial gets another ID than the one under which it was trained then, and trials on data
// without equal texts, whose numbers are the same, keep theirs. What is absent is not
// read; it is planned again when it is there.
func (c *Cell) sayEqual(resolve Resolver) error {
	if !c.MasksUnsaid() {
		return nil
	}
	asked, err := json.Marshal(Repetition{c.Data, c.Train.Mined, c.Train.IQTerm})
	if err != nil {
		return err
	}
	answer, err := resolve(RepeatsInput+string(asked), c.World)
	if err != nil {
		return fmt.Errorf("read %s: %w", c.Data, err)
	}
	if answer == Repeating {
		c.Train.FalseNegatives.Equal = training.Mask
	}
	return nil
}

// saidOfData tells a cell that says of equal texts what its preset does: by itself, or
// since its data has some.
func saidOfData(c *Cell) bool {
	silent := *c
	silent.Train.FalseNegatives.Equal = ""
	return c.Train.FalseNegatives.Equal == training.Mask && silent.MasksUnsaid()
}
