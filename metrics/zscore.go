package metrics

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// ZScores holds the distribution of each measure over many runs: query ID -> name as trec_eval
// prints it -> distribution. trec_eval's -Z.
type ZScores map[string]map[string]Distribution

// Distribution is a mean and a standard deviation.
type Distribution struct{ Mean, Deviation float64 }

// noZScore is trec_eval's value where a distribution is missing or cannot hold the value.
const noZScore = -1000000

// ReadZScores reads lines of "query measure mean deviation". name is the name of the file in
// errors, which start with file:line. An empty file is an error.
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

// Standardise returns the distance of value from the mean of a measure on a query, in
// standard deviations.
func (z ZScores) Standardise(query, measure string, value float64) float64 {
	d, known := z[query][measure]
	switch {
	case known && d.Deviation > 0:
		return (value - d.Mean) / d.Deviation
	case known && value == d.Mean:
		return 0
	}
	return noZScore
}

// Summarize summarises the z scores of a measure over queries in the same way as trec_eval: with
// the measure's own summary, where a geometric mean is that of the scored logarithms. NumQ is not a
// score and is left unchanged.
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
		scored[i] = Row{r.Case, z.Standardise(r.Case.Query, t.Name, v), r.OK}
	}
	if !geometric {
		return Summarize(t.Measure, scored)
	}
	v, ok := mean(scored)
	return math.Exp(v), ok
}
