package cost

import (
	"fmt"

	"infbench/runners/catalog"
	"infbench/runners/spec"
)

// isPlain reports whether a cell trains for its epochs on its complete data.
func isPlain(c *spec.Cell) bool { return !c.IsAblated() && c.Train.Steps == 0 && c.Train.StepsOf == "" }

// passes is how often a cell goes through its training data.
func (e *estimator) passes(c *spec.Cell, epoch workload) (float64, error) {
	if c.Train.Steps == 0 && c.Train.StepsOf == "" {
		return float64(c.Train.Epochs), nil
	}
	t := &c.Train
	key := fmt.Sprint(t.StepsOf, "@", c.World, " ", t.Steps, " ", t.Epochs, " ", t.RowsPerGroup, " ", t.Groups, " ", t.Accumulate, " ", t.LastBatch)
	rows, ok := e.rows[key]
	if !ok {
		length, err := catalog.Length(c)
		if err != nil {
			return 0, err
		}
		rows = length.RowsOn(epoch.Texts) // for a number of steps, whatever the data
		e.rows[key] = rows
	}
	return float64(rows) / float64(max(1, epoch.Texts)), nil
}

// longer is the length of a cell's training relative to that of another cell with the same
// data.
func (e *estimator) longer(c, other *spec.Cell) (float64, error) {
	if isPlain(c) && isPlain(other) {
		return float64(c.Train.Epochs) / float64(other.Train.Epochs), nil
	}
	var rows [2]float64
	for i, of := range []*spec.Cell{c, other} {
		epoch, err := e.training(of, shape{})
		if err != nil {
			return 0, err
		}
		passes, err := e.passes(of, epoch)
		if err != nil {
			return 0, err
		}
		rows[i] = passes * float64(epoch.Texts)
	}
	return rows[0] / max(1, rows[1]), nil
}
