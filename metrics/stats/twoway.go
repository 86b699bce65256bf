package stats

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// twoWay holds the sums of squares of a rows × columns layout with one value per cell.
type twoWay struct {
	rows, columns, residual float64
	scale                   float64 // largest absolute value
}

// newTwoWay takes cells[row][column]; all rows have the same length.
func newTwoWay(cells [][]float64) twoWay {
	k, n := len(cells), len(cells[0])
	rowMeans, columnMeans := make([]float64, k), make([]float64, n)
	var w twoWay
	for i, row := range cells {
		rowMeans[i] = stat.Mean(row, nil)
		for j, v := range row {
			columnMeans[j] += v / float64(k)
			w.scale = max(w.scale, math.Abs(v))
		}
	}
	grand := stat.Mean(rowMeans, nil)
	for _, m := range rowMeans {
		w.rows += float64(n) * (m - grand) * (m - grand)
	}
	for _, m := range columnMeans {
		w.columns += float64(k) * (m - grand) * (m - grand)
	}
	for i, row := range cells {
		for j, v := range row {
			left := v - rowMeans[i] - columnMeans[j] + grand
			if math.Abs(left) > slack(w.scale) { // otherwise rounding
				w.residual += left * left
			}
		}
	}
	return w
}
