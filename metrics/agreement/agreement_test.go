package agreement_test

import (
	"math"
	"strings"
	"testing"

	"infbench/metrics/agreement"
	"infbench/metrics/stats"
)

var boot = stats.Bootstrap{Level: 0.95, Resamples: 400, Seed: 1}

// near fails unless n is defined and within tol of want.
func near(t *testing.T, what string, n stats.Number, want, tol float64) {
	t.Helper()
	if got, ok := n.Get(); !ok || math.Abs(got-want) > tol {
		t.Errorf("%s = %v, want %v", what, n.Format(10), want)
	}
}

func undefined(t *testing.T, what string, a agreement.Agreement) {
	t.Helper()
	if v, ok := a.Value.Get(); ok {
		t.Errorf("%s = %v, want undefined", what, v)
	}
	if _, _, ok := a.Interval.Get(); ok {
		t.Errorf("%s has the interval %v, want undefined", what, a.Interval)
	}
}

// read parses ratings written as CSV.
func read(t *testing.T, text string, labels ...string) *agreement.Ratings {
	t.Helper()
	r, err := agreement.ReadCSV(strings.NewReader(text), "test.csv", nil, labels)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// transposed turns one line a rater, "." where missing, into CSV ratings.
func transposed(t *testing.T, raters string) *agreement.Ratings {
	t.Helper()
	var rows [][]string
	for line := range strings.Lines(raters) {
		rows = append(rows, strings.Fields(line))
	}
	var csv strings.Builder
	for column := range rows[0] {
		cells := make([]string, len(rows))
		for i, row := range rows {
			cells[i] = strings.Replace(row[column], ".", "", 1)
		}
		csv.WriteString(strings.Join(cells, ",") + "\n")
	}
	return read(t, csv.String())
}
