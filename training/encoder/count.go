package encoder

import "fmt"

// CountWeights returns the number of weights of a network with a configuration, without building
// the weights.
func CountWeights(config Config) (int, error) {
	e, err := build(config, nil)
	if err != nil {
		return 0, fmt.Errorf("count weights: %w", err)
	}
	total := 0
	for _, t := range e.params.tensors() {
		size := 1
		for _, n := range t.shape {
			size *= n
		}
		total += size
	}
	return total, nil
}
