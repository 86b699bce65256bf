package suites

import (
	"cmp"
	"math"
	"slices"
)

// Answer is a system's confidence in an answer, from 0 to 1, and whether the answer was
// right.
type Answer struct {
	Confidence float64
	Right      bool
}

// CalibrationBin is the number of answers per bin of the calibration error.
const CalibrationBin = 100

// CalibrationError is the root mean square over answers of the difference between mean
// confidence and accuracy of their bin. Bins are CalibrationBin answers in order of rising
// confidence; the last bin also takes the rest. ok is false without answers. Hendrycks et al.
// 2019, "RMS calibration error".
func CalibrationError(answers []Answer) (value float64, ok bool) {
	bins := calibrationBins(answers)
	return binnedError(bins, len(answers)), len(answers) > 0
}

// PublishedCalibrationError is the value that the released scripts of Humanity's Last Exam
// and of BrowseComp-Plus print under this name. They leave out the last bin, so the value is
// always 0 for up to 199 answers. Use it only for comparison with published numbers.
func PublishedCalibrationError(answers []Answer) float64 {
	bins := calibrationBins(answers)
	return binnedError(bins[:max(0, len(bins)-1)], len(answers))
}

// calibrationBins cuts the answers, sorted by confidence, into bins; fewer answers than a bin
// make one bin.
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

// binnedError weights the bins by their share of all answers.
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
