package export

import (
	"encoding/csv"
	"strconv"
	"strings"
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/reports"
)

// TestCSVHostile reads the CSV back: all lines are as long, and no cell is a
// formula, whatever a name begins with.
func TestCSVHostile(t *testing.T) {
	e := reportstest.HostileExperiment()
	for i, start := range []string{"=", "+", "-", "@", "|", "%", "\t=", "\r\n=", "\ufeff="} {
		e.Trials[i].Config["loss"] = start + `1+1,"x"`
	}
	for name, text := range map[string]string{"report": written(t, build(t, reports.Options{}, e), "csv"), "export": string(exportedFiles(t, "csv", e)[0].Data)} {
		records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		guarded := 0
		for _, record := range records {
			for _, cell := range record {
				if strings.HasPrefix(cell, "'") {
					guarded++
				}
				if _, err := strconv.ParseFloat(cell, 64); err != nil && cell != "" && strings.ContainsRune("=+-@|%", []rune(strings.TrimSpace(cell))[0]) {
					t.Fatalf("%s: the cell %q is a formula", name, cell)
				}
			}
		}
		if guarded == 0 {
			t.Errorf("%s: no cell is guarded: the test tests nothing", name)
		}
	}
}
