package published

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// DataNumber is a number about a collection of data, by the measures of data stats.
type DataNumber struct {
	Name, Measure string
	Value, Half   float64 // Half is half a unit of the last digit printed; 0 of a count
	Where, From   string  // where it stands, or what it follows from
}

// ownData is the paper's row in its table of data, and what that data is called here.
const (
	ownRow  = "InF-IR (Ours)"
	ownData = "inf-ir"
)

// ownRecords is how many records InF-IR has, as section 1 of the paper counts its positive
// triples. Each has two instructions, two queries and three passages, and makes two
// negative triples.
const ownRecords = 38759

// perRecord is how many of each a record has, by measures of data stats.
var perRecord = []struct {
	measure string
	each    float64
}{{"positives", 1}, {"negatives", 2}, {"#I", 2}, {"#Q", 2}, {"#P", 3}}

// DataNumbers lists what a source prints about data, with what follows from that by the
// number of instructions and passages of a record; none of sources other than the paper.
func (c *Collection) DataNumbers() (out []DataNumber) {
	table := c.Table(tableOfData)
	if table == nil {
		return nil
	}
	for _, m := range perRecord {
		from := "section 1"
		if m.each > 1 {
			from += fmt.Sprintf(": %d positives, of each %g", ownRecords, m.each)
		}
		out = append(out, DataNumber{ownData, m.measure, m.each * ownRecords, 0, "section 1", from})
	}
	for i := range table.Cells {
		p := &table.Cells[i]
		if p.Model != ownRow {
			continue
		}
		value, half, ok := rounded(p.Raw)
		if !ok {
			continue
		}
		out = append(out, DataNumber{ownData, p.Metric, value, half, "Table 1", "Table 1"})
		if p.Metric == "#I" {
			out = append(out, DataNumber{ownData, "positives", value / 2, half / 2, "Table 1", "Table 1: half of #I"},
				DataNumber{ownData, "negatives", value, half, "Table 1", "Table 1: as many as #I"})
		}
	}
	slices.SortStableFunc(out, func(a, b DataNumber) int { return cmp.Compare(a.Half, b.Half) }) // the most exact first
	return out
}

// rounded reads a number as Table 1 prints it, "77.5K" or "8.06", with half a unit of its
// last digit.
func rounded(raw string) (value, half float64, ok bool) {
	digits, unit := raw, 1.0
	for suffix, of := range map[string]float64{"K": 1e3, "M": 1e6} {
		if before, found := strings.CutSuffix(raw, suffix); found {
			digits, unit = before, of
		}
	}
	value, err := strconv.ParseFloat(digits, 64)
	_, decimals, _ := strings.Cut(digits, ".")
	return value * unit, unit * math.Pow10(-len(decimals)) / 2, err == nil
}
