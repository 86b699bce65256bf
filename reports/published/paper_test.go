package published

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"infbench/internal/testkit"
	"infbench/internal/testkit/reportstest"
)

// The embedded tables equal the reference data, byte by byte.
func TestPaperCopies(t *testing.T) {
	for _, name := range []string{"table1.csv", "table2.csv", "table3.csv", "table4.csv", "table5.csv", "table6.csv", "violations.csv"} {
		want, err := os.ReadFile(testkit.SharedPath(t, filepath.Join("published/paper", name)))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join("paper", name)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not the reference's: %v", name, err)
		}
	}
}

// Every entry of every table is kept as printed, in the order of the rows.
func TestPaperTables(t *testing.T) {
	c, err := Paper()
	if err != nil {
		t.Fatal(err)
	}
	numbers, lost := 0, 0
	for _, number := range []string{"1", "2", "3", "4", "5", "6"} {
		rows := reportstest.ReadTable(t, testkit.SharedPath(t, "published/paper/table"+number+".csv"))
		printed := c.Table(number)
		if printed == nil || len(printed.Cells) != len(rows) {
			t.Fatalf("table %s has not the %d entries of its file", number, len(rows))
		}
		for i, r := range rows {
			p := printed.Cells[i]
			if p.Raw != r["raw"] || p.Model != r["model"] || p.Config != r["config"] || strconv.Itoa(p.Row) != r["row"] || p.Dataset != r["dataset"] || p.Metric != r["metric"] {
				t.Errorf("table %s, entry %d: %+v, want %v", number, i+1, p, r)
			}
			if r["note"] != "" && r["note"] != "group: "+p.Group && r["note"] != "printed label: "+p.Label && !slices.Contains(p.Footnotes, r["note"]) {
				t.Errorf("table %s, entry %d: its note %q is lost: %+v", number, i+1, r["note"], p)
			}
			if number != "1" && r["value"] != "" {
				if numbers++; r["value"] != p.Raw {
					lost++
				}
			}
		}
	}
	if numbers != 1541 || lost != 102 {
		t.Errorf("%d numbers of which %d are printed otherwise than a program would, want 1,541 and 102", numbers, lost)
	}
	if c.Table("7") != nil {
		t.Error("there is a table 7")
	}
}

// A number has the tolerance of its printed digits: 9.70 that of four digits, "-1." that of one.
func TestPaperDigits(t *testing.T) {
	c, err := Paper()
	if err != nil {
		t.Fatal(err)
	}
	for raw, want := range map[string]float64{"9.70": 5e-5, "-1.": 5e-3, "13.4": 5e-4, "17.49": 5e-5} {
		i := slices.IndexFunc(c.Cells, func(c Cell) bool { return c.Raw == raw })
		if i < 0 || !near(c.Cells[i].Tolerance, want) {
			t.Errorf("%q has not the tolerance %v", raw, want)
		}
	}
}

// The mean over models is not a model.
func TestPaperAverage(t *testing.T) {
	c, err := Paper()
	if err != nil {
		t.Fatal(err)
	}
	if slices.Contains(c.Models(), "Average") {
		t.Error("Average is listed as a model")
	}
	if !slices.ContainsFunc(c.Table("6").Cells, func(p PrintedCell) bool { return p.IsAverage() && len(p.Footnotes) > 0 }) {
		t.Error("no doubted entry of the mean over models")
	}
}

// near reports equality up to rounding.
func near(a, b float64) bool { return a-b < 1e-12 && b-a < 1e-12 }
