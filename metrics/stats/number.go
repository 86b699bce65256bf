package stats

import (
	"encoding/json"
	"math"
	"strconv"
)

// Undefined is the printed form of a missing Number or Interval.
const Undefined = "undefined"

// Number is a statistic that may be undefined. The zero value is undefined; infinities are
// defined (the t of a constant difference is infinite).
type Number struct {
	value float64
	ok    bool
}

// Pointer returns a pointer to the value, or nil if it is undefined.
func (n Number) Pointer() *float64 {
	if !n.ok {
		return nil
	}
	return &n.value
}

// Defined returns v as a Number; NaN is undefined.
func Defined(v float64) Number {
	if math.IsNaN(v) {
		return Number{}
	}
	return Number{value: v, ok: true}
}

// Times returns scale times the number, undefined if n is.
func (n Number) Times(scale float64) Number {
	n.value *= scale
	return n
}

// Get returns the value; the value is 0 if ok is false.
func (n Number) Get() (value float64, ok bool) { return n.value, n.ok }

// Format prints the value with a fixed number of decimals, or Undefined.
func (n Number) Format(decimals int) string {
	switch {
	case !n.ok:
		return Undefined
	case math.IsInf(n.value, 1):
		return "inf"
	case math.IsInf(n.value, -1):
		return "-inf"
	}
	return strconv.FormatFloat(n.value, 'f', decimals, 64)
}

// String is Format(4).
func (n Number) String() string { return n.Format(4) }

// MarshalJSON writes null if undefined and the strings "inf" and "-inf" for the infinities,
// which JSON numbers lack.
func (n Number) MarshalJSON() ([]byte, error) {
	switch {
	case !n.ok:
		return []byte("null"), nil
	case math.IsInf(n.value, 0):
		return json.Marshal(n.Format(0))
	}
	return json.Marshal(n.value)
}

// Interval is a two-sided confidence interval. The zero value is undefined.
type Interval struct {
	Low, High float64
	Level     float64 // coverage in (0,1), such as 0.95; 0 if undefined
}

// Ends returns pointers to the ends, nil if the interval is undefined.
func (i Interval) Ends() (low, high *float64) {
	if i.Level <= 0 {
		return nil, nil
	}
	return &i.Low, &i.High
}

// Get returns the ends; ok is false if the interval is undefined.
func (i Interval) Get() (low, high float64, ok bool) { return i.Low, i.High, i.Level > 0 }

// Times returns the interval of the value times scale; scale is above 0.
func (i Interval) Times(scale float64) Interval {
	i.Low, i.High = scale*i.Low, scale*i.High
	return i
}

// Contains reports whether the interval is defined and contains v.
func (i Interval) Contains(v float64) bool { return i.Level > 0 && i.Low <= v && v <= i.High }

// Format prints "[low, high]" with a fixed number of decimals, or Undefined.
func (i Interval) Format(decimals int) string {
	if i.Level <= 0 {
		return Undefined
	}
	return "[" + Defined(i.Low).Format(decimals) + ", " + Defined(i.High).Format(decimals) + "]"
}

// String is Format(4).
func (i Interval) String() string { return i.Format(4) }

// MarshalJSON writes {"low","high","level"}, or null if undefined.
func (i Interval) MarshalJSON() ([]byte, error) {
	if i.Level <= 0 {
		return []byte("null"), nil
	}
	return json.Marshal(struct {
		Low   Number  `json:"low"`
		High  Number  `json:"high"`
		Level float64 `json:"level"`
	}{Defined(i.Low), Defined(i.High), i.Level})
}
