package export

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"iter"
	"math"
	"strconv"

	"github.com/parquet-go/parquet-go"

	"infbench/internal/words"
	"infbench/reports/scores"
	"infbench/runners/results"
)

// value is one value of a query as a row of parquet.
type value struct {
	Experiment string   `parquet:"experiment,dict"`
	System     string   `parquet:"system,dict"`
	Seed       *int64   `parquet:"seed,optional"` // null if none is recorded
	Trial      string   `parquet:"trial,dict"`
	Benchmark  string   `parquet:"benchmark,dict"`
	Task       string   `parquet:"task,dict"`
	Side       string   `parquet:"side,dict"`
	Measure    string   `parquet:"measure,dict"`
	Query      *string  `parquet:"query,optional,dict"` // null if only a mean is known
	Value      *float64 `parquet:"value,optional"`      // null if undefined
}

// eachValue yields every value of every trial, and the seed as its configuration prints it.
func eachValue(v *scores.Set) iter.Seq2[string, value] {
	return func(yield func(string, value) bool) {
		for _, t := range v.Trials {
			row := value{Experiment: t.Experiment, System: systemOf(v, t).Label, Trial: t.ID}
			for _, at := range v.Slots {
				row.Benchmark, row.Task, row.Side, row.Measure = at.Benchmark, at.Task, at.Side, at.Measure
				have := t.Scores[at]
				for i := range have.Queries {
					row.Query, row.Value = &have.Queries[i], nil
					if have.Aggregate {
						row.Query = nil
					}
					if !math.IsNaN(have.Values[i]) {
						row.Value = &have.Values[i]
					}
					if !yield(t.Config[results.Seed], row) {
						return
					}
				}
			}
		}
	}
}

// exportCSV lists every per-query value, one a line.
func exportCSV(v *scores.Set) ([]File, []string, error) {
	var b bytes.Buffer
	c := csv.NewWriter(&b)
	lines := [][]string{{"experiment", "system", "seed", "trial", "benchmark", "task", "side", "measure", "query", "value"}}
	for seed, x := range eachValue(v) {
		query, number := "", ""
		if x.Query != nil {
			query = words.Clean(*x.Query)
		}
		if x.Value != nil {
			number = exactly(*x.Value)
		}
		texts := words.GuardedAll([]string{x.Experiment, x.System, seed, x.Trial, x.Benchmark, x.Task, x.Side, x.Measure, query})
		lines = append(lines, append(texts, number))
	}
	if err := c.WriteAll(lines); err != nil {
		return nil, nil, err
	}
	return []File{{"values.csv", b.Bytes()}}, nil, nil
}

// exportParquet writes the rows of exportCSV as parquet, with texts as they are: no program takes a
// text of parquet for a formula.
func exportParquet(v *scores.Set) ([]File, []string, error) {
	var b bytes.Buffer
	out := parquet.NewGenericWriter[value](&b, parquet.Compression(&parquet.Zstd))
	for seed, x := range eachValue(v) {
		if seed != "" {
			n, err := strconv.ParseInt(seed, 10, 64)
			if err != nil {
				return nil, nil, fmt.Errorf("export: the seed of trial %s is not a number: %w", x.Trial, err)
			}
			x.Seed = &n
		}
		if _, err := out.Write([]value{x}); err != nil {
			return nil, nil, err
		}
	}
	if err := out.Close(); err != nil {
		return nil, nil, err
	}
	return []File{{"values.parquet", b.Bytes()}}, nil, nil
}
