package published

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// DataNumber is a number about a data collection, with the measures of data stats.
type DataNumber struct {
	Name, Measure string
	Value, Half   float64 // Half is half a unit of the last printed digit; 0 for a count
	Where, From   string  // place of the number, or of the number that it follows from
}

// Names of the paper's own data: ownRow in its table of data, ownData in this program.
const (
	ownRow  = "InF-IR (Ours)"
	ownData = "inf-ir"
)

// ownRecords is the number of records of InF-IR, which section 1 of the paper gives as positive
// triples. Each record has two instructions, two queries and three passages, and makes two negative
// triples.
const ownRecords = 38759

// perRecord is the number of items in a record, by measures of data stats.
var perRecord = []struct {
	measure string
	each    float64
}{{"positives", 1}, {"negatives", 2}, {"#I", 2}, {"#Q", 2}, {"#P", 3}}

// DataNumbers lists the numbers about data that a source prints, and those that follow from the
// number of instructions and passages of a record. Sources other than the paper have none.
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

// rounded parses a number of Table 1, "77.5K" or "8.06", and returns half a unit of its last digit.
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
