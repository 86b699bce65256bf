package catalog

import (
	"encoding/json"
	"fmt"

	"infbench/datasets/mixture"
	"infbench/runners/spec"
	"infbench/training"
)

// repeats answers whether training data have equal texts, by reading until the first that are;
// "" if data cannot be read, which other code reports.
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

// CheckEqual returns an error for a cell that was planned when its equal texts were still kept:
// now it would be another cell under the same name. Plans record this since equal texts are
// masked.
func CheckEqual(c *spec.Cell, data mixture.Data) error {
	if !c.MasksUnsaid() {
		return nil
	}
	seen := mixture.NewRepeats(c.Train.Mined, c.Train.IQTerm == training.QueryOnly)
	for _, record := range data.All() {
		if seen.Add(record) {
			return fmt.Errorf("training data %s has equal texts, of record %q among others; they were negatives of each other when the plan was made, and are masked now: sweep its experiment file again", c.Data, record.ID)
		}
	}
	return nil
}
