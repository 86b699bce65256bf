package metrics

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// ZScores says how a measure is distributed over many runs: query ID -> name as
// trec_eval prints it -> distribution. trec_eval's -Z.
type ZScores map[string]map[string]Distribution

// Distribution is a mean and a standard deviation.
type Distribution struct{ Mean, Deviation float64 }

// noZScore is what trec_eval puts where a distribution is missing or cannot hold
// the value.
const noZScore = -1000000

// ReadZScores reads lines of "query measure mean deviation". name stands for the
// file in errors, which have file:line; an empty file is one.
func ReadZScores(r io.Reader, name string) (ZScores, error) {
	z := ZScores{}
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		fields := strings.Fields(lines.Text())
		if len(fields) != 4 {
			return nil, fmt.Errorf("%s:%d: want four fields: query measure mean deviation", name, n)
		}
		mean, err := strconv.ParseFloat(fields[2], 64)
		deviation, err2 := strconv.ParseFloat(fields[3], 64)
		if err != nil || err2 != nil || math.IsNaN(mean) || !(deviation >= 0) {
			return nil, fmt.Errorf("%s:%d: %q and %q are not a mean and a deviation", name, n, fields[2], fields[3])
		}
		if z[fields[0]] == nil {
			z[fields[0]] = map[string]Distribution{}
		}
		if _, twice := z[fields[0]][fields[1]]; twice {
			return nil, fmt.Errorf("%s:%d: %s of query %q comes twice", name, n, fields[1], fields[0])
		}
		z[fields[0]][fields[1]] = Distribution{mean, deviation}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(z) == 0 {
		return nil, fmt.Errorf("%s: no distributions in this file", name)
	}
	return z, nil
}

// Of returns how many deviations value is above the mean of a measure on a query.
func (z ZScores) Of(query, measure string, value float64) float64 {
	d, known := z[query][measure]
	switch {
	case known && d.Deviation > 0:
		return (value - d.Mean) / d.Deviation
	case known && value == d.Mean:
		return 0
	}
	return noZScore
}

// Summarize summarises the z scores of a measure over queries as trec_eval does:
// as the measure itself, a geometric mean being that of logarithms that were
// scored. NumQ is no score and stays as it is.
func (z ZScores) Summarize(t TrecMeasure, rows []Row) (value float64, ok bool) {
	if t.Measure == (Count{Of: "NumQ"}) {
		return Summarize(t.Measure, rows)
	}
	geometric := t.Measure == GMAP{} || t.Measure == GMBpref{}
	scored := make([]Row, len(rows))
	for i, r := range rows {
		v := r.Value
		if geometric {
			v = math.Log(max(v, geometricFloor))
		}
		scored[i] = Row{r.Case, z.Of(r.Case.Query, t.Name, v), r.OK}
	}
	if !geometric {
		return Summarize(t.Measure, scored)
	}
	v, ok := mean(scored)
	return math.Exp(v), ok
}
