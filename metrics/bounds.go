package metrics

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// rangeSlack is the largest excess over a range that is accepted as rounding or as float32
// summation error.
const rangeSlack = 1e-6

// CheckRange returns an error if v is NaN or outside the range of a measure. name is the measure's
// name as results carry it. For a measure that infbench does not know every number is in range.
func CheckRange(name string, v float64) error {
	low, high, text := math.Inf(-1), math.Inf(1), ""
	if f := familyNamed(name); f != nil {
		low, high = f.bounds()
		text = f.Range
	}
	return Within(name, text, low, high, v)
}

// Within returns an error if v is NaN or outside [low, high]. text is the range as written, what
// the value's name. The error mentions if v looks like a percentage.
func Within(what, text string, low, high, v float64) error {
	switch {
	case v >= low-rangeSlack && v <= high+rangeSlack:
		return nil
	case math.IsNaN(v):
		return fmt.Errorf("%s is NaN, which is not a number", what)
	case high == 1 && v >= 100*max(low, -1) && v <= 100:
		return fmt.Errorf("%s is %v, outside its range %s; it looks like percent", what, v, text)
	}
	return fmt.Errorf("%s is %v, outside its range %s", what, v, text)
}

// bounds returns the ends of a family's range. A positive lower end becomes 0, because printed
// digits round to it: trec_eval prints a gm_map of 1e-5 as 0.0000.
func (f *Family) bounds() (low, high float64) {
	low, high = math.Inf(-1), math.Inf(1)
	ends := strings.Split(strings.Trim(f.Range, "[](){}"), ",")
	if v, err := strconv.ParseFloat(ends[0], 64); err == nil {
		low = min(v, 0)
	}
	if v, err := strconv.ParseFloat(ends[len(ends)-1], 64); err == nil {
		high = v
	}
	return low, high
}

// Inside cuts an interval to the range of a measure: a t interval can reach beyond the range, where
// no value can be.
func Inside(name string, low, high float64) (float64, float64) {
	f := familyNamed(name)
	if f == nil {
		return low, high
	}
	least, most := f.bounds()
	return max(low, least), min(high, most)
}
