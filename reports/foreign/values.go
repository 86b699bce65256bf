package foreign

import (
	"errors"
	"fmt"
	"math"
)

// errSkip says that a line holds no value.
var errSkip = errors.New("no value")

// readValues reads lines of values of one system, which goes by the file's name.
// Means are kept of the measures that the file gives no values by query of.
func readValues(path string, read func(line string) (query, measure string, value float64, err error)) ([]System, []string, error) {
	var byQuery, means []Value
	type key struct{ query, measure string }
	seen, hasQueries := map[key]bool{}, map[string]bool{}
	unknown := map[string]bool{}
	err := eachLine(path, func(line string) error {
		query, name, value, err := read(line)
		if errors.Is(err, errSkip) {
			return nil
		}
		if err != nil {
			return err
		}
		measure, ok := known(name)
		switch {
		case !ok:
			unknown[name] = true
			return nil
		case math.IsNaN(value) || math.IsInf(value, 0):
			return fmt.Errorf("%s of query %s is %v", measure, query, value)
		case query == "":
			return errors.New("the query is empty")
		case seen[key{query, measure}]:
			return fmt.Errorf("%s of query %s comes twice", measure, query)
		}
		seen[key{query, measure}] = true
		if query == allQueries {
			means = append(means, Value{Measure: measure, Mean: true, Value: value})
			return nil
		}
		hasQueries[measure] = true
		byQuery = append(byQuery, Value{Measure: measure, Query: query, Value: value})
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	for _, m := range means {
		if !hasQueries[m.Measure] {
			byQuery = append(byQuery, m)
		}
	}
	if len(byQuery) == 0 {
		return nil, nil, fmt.Errorf("%s: no value of a known measure in it", path)
	}
	return []System{{Model: baseName(path), Tasks: []Task{{Values: byQuery}}}}, leftOut(path, unknown), nil
}
