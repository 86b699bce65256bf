package selection

import (
	"errors"

	"infbench/bench/results"
)

func ValidationValue(scores []results.Result) (float64, error) {
	sum, n := 0.0, 0
	for len(scores) > 0 {
		same := 0
		for same < len(scores) && SameScoring(scores[same], scores[0]) {
			same++
		}
		if mean, defined := MeanOf(scores[:same]); defined > 0 {
			sum, n = sum+mean, n+1
		}
		scores = scores[same:]
	}
	if n == 0 {
		return 0, errors.New("validate: the measure is undefined for every held-out query")
	}
	return sum / float64(n), nil
}
