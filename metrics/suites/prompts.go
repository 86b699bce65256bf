package suites

import "math"

// Spread sums up one measure over several prompts, as Promptriever reports sensitivity.
type Spread struct {
	N               int
	Mean            float64
	Lowest, Highest float64
	Population      float64 // standard deviation, divided by n
	Sample          float64 // divided by n-1; NaN for one prompt
}

// SpreadOf returns the spread of the values under each prompt; ok is false without values.
// The paper's code does not show which of the two deviations it prints (Weller et al. 2024,
// arXiv 2409.11136), so Spread has both.
func SpreadOf(values []float64) (s Spread, ok bool) {
	if len(values) == 0 {
		return s, false
	}
	s = Spread{N: len(values), Lowest: values[0], Highest: values[0]}
	for _, v := range values {
		s.Mean += v / float64(s.N)
		s.Lowest, s.Highest = min(s.Lowest, v), max(s.Highest, v)
	}
	squares := 0.0
	for _, v := range values {
		squares += (v - s.Mean) * (v - s.Mean)
	}
	s.Population = math.Sqrt(squares / float64(s.N))
	s.Sample = math.Sqrt(squares / float64(s.N-1)) // 0/0 for one prompt
	return s, true
}
