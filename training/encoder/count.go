package encoder

import "fmt"

// CountWeights is the number of weights of a network of a configuration, which is
// not made for it.
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
