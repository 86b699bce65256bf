package spec

import (
	"cmp"
	"encoding/json"
	"fmt"

	"infbench/training"
)

// RepeatsInput begins the name with which a Resolver is asked whether texts of training data
// equal one another. The JSON of a Repetition follows. The answer is Repeating, or "".
const RepeatsInput = "repeats: "

// Repeating is the answer that some are equal.
const Repeating = "some texts are equal"

// Repetition names training data and the texts to compare with the negatives of others.
type Repetition struct {
	Data      string
	Negatives int             // number of mined ones in a row
	IQTerm    training.IQTerm // varying part of the IQ term
}

// MasksUnsaid reports whether equal texts are masked because the preset does so and the cell
// does not set it.
func (c *Cell) MasksUnsaid() bool {
	said := cmp.Or(c.Train.FalseNegatives.Equal, c.Train.Negatives.Equal)
	preset, err := training.Fidelity(c.Train.Fidelity)
	return c.Model == Trained && err == nil && preset.False.Equal && said == ""
}

// writeEqual writes the masking of equal texts into a cell if the preset masks them, the cell
// does not set it, and its data has equal texts. Presets once kept equal texts (except for
// instructions). So a trial with equal texts gets an ID that differs from that of its old
// training, and a trial without them, whose numbers are the same, keeps its ID. Absent data is
// not read; it is planned again when it is there.
func (c *Cell) writeEqual(resolve Resolver) error {
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

// masksExplicitly reports whether a cell sets the same masking of equal texts as its preset, by
// itself or because its data has equal texts.
func masksExplicitly(c *Cell) bool {
	silent := *c
	silent.Train.FalseNegatives.Equal = ""
	return c.Train.FalseNegatives.Equal == training.Mask && silent.MasksUnsaid()
}
