package runners

import "fmt"

// valueBytes is the size of a value of a vector.
const valueBytes = 4

// tokens are the vectors of texts, one after the other.
type tokens struct {
	values []float32
	counts []int // number of vectors of each text
}

// checkTokens checks vectors against the encoder's contract; name returns the name of a text.
func checkTokens(values []float32, counts []int, dim int, name func(i int) string) error {
	rows := 0
	for i, n := range counts {
		if n < 1 {
			return fmt.Errorf("%s has no vector", name(i))
		}
		if (rows+n)*dim > len(values) {
			return fmt.Errorf("%s has %d vectors of %d values, but the encoder gave fewer", name(i), n, dim)
		}
		for _, x := range values[rows*dim : (rows+n)*dim] {
			if x-x != 0 {
				return fmt.Errorf("%s has a vector with a value that is not finite", name(i))
			}
		}
		rows += n
	}
	if rows*dim != len(values) {
		return fmt.Errorf("the encoder gave %d values, but counts %d vectors of %d", len(values), rows, dim)
	}
	return nil
}
