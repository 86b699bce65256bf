package foreign

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"infbench/internal/words"
	"infbench/metrics"
	"infbench/reports/published"
)

// errSkip marks a line without a value.
var errSkip = errors.New("no value")

// readValues reads the values of one system, one a line; the name of the file gives the system, and
// read splits a line. For each measure it keeps either the values by query or the mean, see
// listed.settle.
func readValues(path string, read func(line string) (query, measure, value string, err error)) ([]System, []string, error) {
	var byQuery, means []Value
	of := map[string]*listed{}
	unknown := map[string]bool{}
	asked := -1 // queries that the means are over, if the file states it
	err := eachLine(path, func(line string) error {
		query, name, text, err := read(line)
		if errors.Is(err, errSkip) {
			return nil
		}
		if err != nil {
			return err
		}
		value, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return fmt.Errorf("value %q is not a number", text)
		}
		measure, ok := known(name)
		switch {
		case measure == numQueries && query == allQueries:
			asked = int(value)
			return nil
		case !ok:
			unknown[name] = true
			return nil
		case math.IsNaN(value) || math.IsInf(value, 0):
			return fmt.Errorf("%s of query %s is %v", measure, query, value)
		case query == "":
			return errors.New("the query is empty")
		}
		if err := metrics.CheckRange(measure, value); err != nil {
			return fmt.Errorf("query %s: %w", query, err)
		}
		if of[measure] == nil {
			of[measure] = &listed{seen: map[string]bool{}, rounding: 1}
		}
		v := Value{Measure: measure, Query: query, Value: value}
		if query == allQueries {
			v.Mean, v.Query = true, ""
			means = append(means, v)
		} else {
			byQuery = append(byQuery, v)
		}
		return of[measure].add(query, v, published.HalfUnit(text))
	})
	if err != nil {
		return nil, nil, err
	}
	var warnings []string
	for _, measure := range slices.Sorted(maps.Keys(of)) {
		if warning := of[measure].settle(measure, asked); warning != "" {
			warnings = append(warnings, path+": "+warning)
		}
	}
	values := slices.DeleteFunc(byQuery, func(v Value) bool { return !of[v.Measure].complete })
	values = append(values, slices.DeleteFunc(means, func(v Value) bool { return of[v.Measure].complete })...)
	if len(values) == 0 {
		return nil, nil, errors.New(strings.Join(append(warnings, path+": found no value of a known measure"), "; "))
	}
	return []System{{Model: baseName(path), Tasks: []Task{{Values: values}}}}, append(warnings, leftOut(path, unknown)...), nil
}

// numQueries is the number of averaged queries in trec_eval and ir_measures.
const numQueries = "NumQ"

// listed is the values of one measure in a file.
type listed struct {
	seen     map[string]bool // queries, and "all"
	sum      float64         // sum of the values by query
	n        int             // number of the values by query
	mean     *float64        // the mean in the file
	rounding float64         // half a unit of the last digit that the file prints
	complete bool            // the values by query have the file's mean, and are kept
}

// add adds a value.
func (l *listed) add(query string, v Value, rounding float64) error {
	if l.seen[query] {
		return fmt.Errorf("%s of query %s comes twice", v.Measure, query)
	}
	l.seen[query] = true
	l.rounding = min(l.rounding, rounding)
	if v.Mean {
		l.mean = &v.Value
		return nil
	}
	l.sum += v.Value
	l.n++
	return nil
}

// settle chooses between the values by query and the mean. The values are kept if their mean equals
// that of the file within its digits, over as many queries as the file states; asked is negative if
// it states none. Otherwise the mean of the file is kept, and the warning gives the reason:
// trec_eval -c and ir_measures count queries without a ranking as 0, and print no line for them. If
// the file has no mean either, the measure is left out.
func (l *listed) settle(measure string, asked int) (warning string) {
	if l.n == 0 {
		return ""
	}
	mean := l.sum / float64(l.n)
	l.complete = asked < 0 || asked == l.n || metrics.OfGroups(measure)
	if l.mean != nil && !metrics.OfGroups(measure) { // both means are rounded
		l.complete = l.complete && math.Abs(mean-*l.mean) <= 2*l.rounding+1e-9
	}
	if l.complete {
		return ""
	}
	warning = fmt.Sprintf("%s has values for %s, with the mean %.6g", measure, words.Plural(l.n, "query", "queries"), mean)
	if asked >= 0 && asked != l.n {
		warning += fmt.Sprintf(", and the file counts %s", words.Plural(asked, "query", "queries"))
	}
	if l.mean == nil {
		return warning + ": left out, as the file has no mean over all of them"
	}
	return fmt.Sprintf("%s; the mean of the file, %.6g, is used instead, without values by query (trec_eval -c counts queries without a ranking as 0)", warning, *l.mean)
}
