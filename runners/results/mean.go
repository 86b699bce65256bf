package results

// SameScoring reports whether two values belong to the same mean.
func (r Result) SameScoring(other Result) bool {
	return r.Benchmark == other.Benchmark && r.Task == other.Task && r.Side == other.Side && r.Measure == other.Measure
}

// Mean returns the mean of the n defined values, or 0 if n is 0.
func Mean(values []Result) (mean float64, n int) {
	sum := 0.0
	for _, r := range values {
		if r.Value != nil {
			sum += *r.Value
			n++
		}
	}
	return sum / float64(max(n, 1)), n
}

// ByScoring splits values into runs of one scoring each, in their order.
func ByScoring(values []Result) [][]Result {
	var out [][]Result
	for i, r := range values {
		if i == 0 || !r.SameScoring(values[i-1]) {
			out = append(out, values[i:i:len(values)])
		}
		last := len(out) - 1
		out[last] = out[last][:len(out[last])+1]
	}
	return out
}
