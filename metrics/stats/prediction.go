package stats

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Prediction returns the interval that one further value of a normal population falls into
// with probability level, given k independent values of it: mean ± t(k−1)·s·√(1+1/k). It is
// wider than that of the mean, which covers the population's mean but not a single value.
// Undefined for fewer than two values. Agrees with R's predict(lm(x ~ 1), interval =
// "prediction").
func Prediction(x []float64, level float64) Interval {
	if len(x) < 2 {
		return Interval{}
	}
	k := float64(len(x))
	mean, deviation := stat.MeanStdDev(x, nil)
	half := distuv.StudentsT{Sigma: 1, Nu: k - 1}.Quantile((1+level)/2) * deviation * math.Sqrt(1+1/k)
	return Interval{Low: mean - half, High: mean + half, Level: level}
}
