package catalog

import (
	"encoding/json"
	"fmt"

	"infbench/datasets/mixture"
	"infbench/runners/spec"
	"infbench/training"
)

// repeats answers whether texts of training data equal one another, which takes reading
// it up to the first that do; "" where data cannot be read, which is for others to say.
func repeats(asked string, world uint64) (string, error) {
	var of spec.Repetition
	if err := json.Unmarshal([]byte(asked), &of); err != nil {
		return "", fmt.Errorf("training data: %w", err)
	}
	corpora, err := OpenData(of.Data, world)
	if err != nil {
		return "", nil
	}
	seen := mixture.NewRepeats(of.Negatives, of.IQTerm == training.QueryOnly)
	for _, c := range corpora {
		for record, err := range c.All {
			if err != nil {
				return "", nil
			}
			if seen.Add(record) {
				return spec.Repeating, nil
			}
		}
	}
	return "", nil
}

// CheckEqual refuses to train a cell that was planned when its equal texts were kept: it
// would be another one under its name. Since they are masked, plans say so.
func CheckEqual(c *spec.Cell, data mixture.Data) error {
	if !c.MasksUnsaid() {
		return nil
	}
	seen := mixture.NewRepeats(c.Train.Mined, c.Train.IQTerm == training.QueryOnly)
	for _, record := range data.All() {
		if seen.Add(record) {
			return fmt.Errorf("training data %s holds equal texts, of record %q among others; they were negatives of each other when the plan was made, and are masked now: sweep its experiment file again", c.Data, record.ID)
		}
	}
	return nil
}
