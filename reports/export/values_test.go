package export

import (
	"bytes"
	"encoding/csv"
	"testing"

	"github.com/parquet-go/parquet-go"

	"infbench/internal/testkit/reportstest"
	"infbench/runners/results"
)

// TestExportParquet checks that parquet has the rows of the CSV export, without its guards against
// formulas, and null where a value is undefined or only a mean is known.
func TestExportParquet(t *testing.T) {
	undefined := reportstest.TwoSystems()[0]
	undefined.Trials[0].Results[0].Value = nil
	for name, e := range map[string]*results.Experiment{"hostile": reportstest.HostileExperiment(), "means": withAggregates(), "undefined": undefined} {
		data := exportedFiles(t, "parquet", e)[0].Data
		rows, err := parquet.Read[value](bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		lines, err := csv.NewReader(bytes.NewReader(exportedFiles(t, "csv", e)[0].Data)).ReadAll()
		if err != nil || len(rows) != len(lines)-1 || len(rows) == 0 {
			t.Fatalf("%s: %d rows, %d lines, %v", name, len(rows), len(lines), err)
		}
		numbers := map[string]int{}
		for _, trial := range e.Trials {
			for _, r := range trial.Results {
				if r.Value != nil {
					numbers[trial.ID+r.Benchmark+r.Task+string(r.Side)+r.Measure+r.Query+exactly(*r.Value)]++
				}
			}
		}
		null, means := 0, 0
		for i, row := range rows {
			query, number := "", ""
			if row.Query == nil {
				means++
			} else {
				query = *row.Query
			}
			if row.Value == nil {
				null++
			} else {
				number = exactly(*row.Value)
				numbers[row.Trial+row.Benchmark+row.Task+row.Side+row.Measure+query+number]--
			}
			if lines[i+1][9] != number || lines[i+1][3] != row.Trial {
				t.Errorf("%s: row %d is %+v, the line of CSV %q", name, i, row, lines[i+1])
			}
		}
		for at, n := range numbers {
			if n != 0 {
				t.Errorf("%s: %d times too few: %q", name, n, at)
			}
		}
		if (null > 0) != (name == "undefined") || (means > 0) != (name == "means") {
			t.Errorf("%s: %d undefined values, %d means", name, null, means)
		}
	}
}
