package diversity

import (
	"fmt"
	"io"

	"infbench/metrics/stats"
)

// selfBLEUOrder is the longest n-gram of self-BLEU, as is usual for BLEU.
const selfBLEUOrder = 4

// Measured is one measure of a set of texts.
type Measured struct {
	Measure   string         `json:"measure"`
	Direction string         `json:"direction"`
	N         int            `json:"n"` // number of units counted: texts or n-grams
	Of        string         `json:"of"`
	Value     stats.Number   `json:"value"`
	Interval  stats.Interval `json:"interval"`
}

// The two directions of a measure.
const (
	higherDiverse = "higher = more diverse"
	lowerDiverse  = "lower = more diverse"
)

// direction states whether higher means more diverse.
func direction(higher bool) string {
	if higher {
		return higherDiverse
	}
	return lowerDiverse
}

// Measure returns INGF and distinct-n of orders 1 to most, with their intervals at
// level, and self-BLEU.
func (t *Texts) Measure(ingf Variant, most int, level float64) []Measured {
	distinct := Variants[len(Variants)-1]
	var frequency, ratios []Measured
	b, o := newBLEU(t), t.first()
	for order := 1; order <= max(most, selfBLEUOrder); order++ {
		if order > 1 {
			o.next()
		}
		if order <= selfBLEUOrder {
			b.add(o)
		}
		if order <= most {
			frequency = append(frequency, o.measured(fmt.Sprintf("INGF-%d %s", order, ingf.Name), ingf, level))
			ratios = append(ratios, o.measured(fmt.Sprintf("distinct-%d", order), distinct, level))
		}
	}
	bleu := Measured{Measure: fmt.Sprintf("self-BLEU-%d", selfBLEUOrder), Direction: lowerDiverse, N: t.N(), Of: "texts", Value: b.value()}
	return append(append(frequency, ratios...), bleu)
}

// measured returns a variant for the n-grams of the current order.
func (o *orders) measured(name string, v Variant, level float64) Measured {
	f := o.frequencies()
	return Measured{Measure: name, Direction: direction(v.Higher), N: f.total, Of: fmt.Sprintf("%d-grams", o.order),
		Value: v.ofFrequencies(f), Interval: o.interval(v, f, level)}
}

// Similarity returns the APS of vectors with its interval. all calls do with every vector; it
// is called twice.
func Similarity(all func(do func([]float64) error) error, boot stats.Bootstrap) (Measured, error) {
	var aps APS
	if err := all(aps.Add); err != nil {
		return Measured{}, err
	}
	value := Measured{Measure: "APS", Direction: lowerDiverse, N: aps.N(), Of: "texts", Value: aps.Value()}
	if aps.N() < 2 {
		return value, nil
	}
	toOthers := make([]float64, 0, aps.N())
	err := all(func(v []float64) error {
		mean, err := aps.ToOthers(v)
		toOthers = append(toOthers, mean)
		return err
	})
	value.Interval = aps.Interval(toOthers, boot.Level, boot.Resamples, boot.Seed)
	return value, err
}

// EachVector reads one vector for each of n texts from r and calls do with the chosen ones,
// in ascending order of their indices. file and texts are the names of both files in errors.
func EachVector(r io.Reader, file string, chosen []int, n int, texts string, do func([]float64) error) error {
	row := 0
	for v, err := range Vectors(r, file) {
		if err != nil {
			return err
		}
		if len(chosen) > 0 && chosen[0] == row {
			if err := do(v.Values); err != nil {
				return fmt.Errorf("%s: %w", v.Where, err)
			}
			chosen = chosen[1:]
		}
		row++
	}
	if row != n {
		return fmt.Errorf("%s has %d vectors, but %s has %d texts", file, row, texts, n)
	}
	return nil
}
