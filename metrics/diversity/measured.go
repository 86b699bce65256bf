package diversity

import (
	"fmt"

	"infbench/metrics/stats"
)

// selfBLEUOrder is the longest n-gram of self-BLEU, BLEU's own custom.
const selfBLEUOrder = 4

// Measured is one measure of a set of texts.
type Measured struct {
	Measure   string         `json:"measure"`
	Direction string         `json:"direction"`
	N         int            `json:"n"` // what it is counted over: texts, or n-grams
	Of        string         `json:"of"`
	Value     stats.Number   `json:"value"`
	Interval  stats.Interval `json:"interval"`
}

// The two directions of a measure.
const (
	higherDiverse = "higher = more diverse"
	lowerDiverse  = "lower = more diverse"
)

// direction words whether higher means more diverse.
func direction(higher bool) string {
	if higher {
		return higherDiverse
	}
	return lowerDiverse
}

// OfTokens returns INGF and distinct-n of each order, and self-BLEU.
func OfTokens(texts [][]string, ingf Variant, orders int) []Measured {
	distinct := Variants[len(Variants)-1]
	var frequency, ratios []Measured
	for order := 1; order <= orders; order++ {
		g := NewNGrams(order)
		for _, tokens := range texts {
			g.Add(tokens)
		}
		value := Measured{N: g.Total(), Of: fmt.Sprintf("%d-grams", order)}
		value.Measure, value.Direction, value.Value = fmt.Sprintf("INGF-%d %s", order, ingf.Name), direction(ingf.Higher), ingf.Of(g)
		frequency = append(frequency, value)
		value.Measure, value.Direction, value.Value = fmt.Sprintf("distinct-%d", order), direction(distinct.Higher), distinct.Of(g)
		ratios = append(ratios, value)
	}
	bleu := Measured{
		Measure: fmt.Sprintf("self-BLEU-%d", selfBLEUOrder), Direction: lowerDiverse,
		N: len(texts), Of: "texts", Value: SelfBLEU(texts, selfBLEUOrder),
	}
	return append(append(frequency, ratios...), bleu)
}

// OfVectors returns the APS of the vectors with the chosen indices, of a file that must hold one for each of n texts. It reads the file twice rather
// than holding it.
func OfVectors(file string, chosen []int, n int, texts string, boot stats.Bootstrap, seed uint64) (Measured, error) {
	var aps APS
	add := func(v Vector) error { return aps.Add(v.Values) }
	if err := eachVector(file, chosen, n, texts, add); err != nil {
		return Measured{}, err
	}
	value := Measured{Measure: "APS", Direction: lowerDiverse, N: aps.N(), Of: "texts", Value: aps.Value()}
	if aps.N() < 2 {
		return value, nil
	}
	toOthers := make([]float64, 0, len(chosen))
	err := eachVector(file, chosen, n, texts, func(v Vector) error {
		mean, err := aps.ToOthers(v.Values)
		toOthers = append(toOthers, mean)
		return err
	})
	value.Interval = aps.Interval(toOthers, boot.Level, boot.Resamples, seed)
	return value, err
}

// eachVector calls do with the chosen vectors of a file of n.
func eachVector(file string, chosen []int, n int, texts string, do func(Vector) error) error {
	row := 0
	for v, err := range Vectors(file) {
		if err != nil {
			return err
		}
		if len(chosen) > 0 && chosen[0] == row {
			if err := do(v); err != nil {
				return fmt.Errorf("%s: %w", v.Where, err)
			}
			chosen = chosen[1:]
		}
		row++
	}
	if row != n {
		return fmt.Errorf("%s holds %d vectors, %s %d texts", file, row, texts, n)
	}
	return nil
}
