package suites

import (
	"cmp"
	"math"
	"slices"
)

// Answer is how sure a system was of an answer, from 0 to 1, and whether it was right.
type Answer struct {
	Confidence float64
	Right      bool
}

// CalibrationBin is how many answers make a bin of the calibration error.
const CalibrationBin = 100

// CalibrationError is the root mean square over answers of the difference between mean
// confidence and accuracy of their bin, bins being CalibrationBin answers in rising
// confidence of which the last takes the rest. ok is false without answers.
// Hendrycks et al. 2019, "RMS calibration error".
func CalibrationError(answers []Answer) (value float64, ok bool) {
	bins := calibrationBins(answers)
	return binnedError(bins, len(answers)), len(answers) > 0
}

// PublishedCalibrationError is what the released scripts of Humanity's Last Exam and of
// BrowseComp-Plus print under this name: the same, but that the last bin is left out, so
// that of up to 199 answers it is 0 whatever they are, and 0 below CalibrationBin. For
// comparison with published numbers only.
func PublishedCalibrationError(answers []Answer) float64 {
	bins := calibrationBins(answers)
	return binnedError(bins[:max(0, len(bins)-1)], len(answers))
}

// calibrationBins cuts the answers, sorted by confidence, into bins; fewer than a bin
// make one.
func calibrationBins(answers []Answer) [][]Answer {
	if len(answers) == 0 {
		return nil
	}
	sorted := slices.Clone(answers)
	slices.SortStableFunc(sorted, func(a, b Answer) int { return cmp.Compare(a.Confidence, b.Confidence) })
	var bins [][]Answer
	for len(sorted) >= 2*CalibrationBin {
		bins, sorted = append(bins, sorted[:CalibrationBin]), sorted[CalibrationBin:]
	}
	return append(bins, sorted)
}

// binnedError weighs the bins by their share of all answers.
func binnedError(bins [][]Answer, answers int) float64 {
	sum := 0.0
	for _, bin := range bins {
		confidence, right := 0.0, 0.0
		for _, a := range bin {
			confidence += a.Confidence
			if a.Right {
				right++
			}
		}
		difference := (confidence - right) / float64(len(bin))
		sum += float64(len(bin)) / float64(answers) * difference * difference
	}
	return math.Sqrt(sum)
}
