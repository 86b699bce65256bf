package words

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Scaled returns a value as charts show it: times 100, with two decimals.
func Scaled(v float64) float64 { return math.Round(v*1e4) / 100 }

// PercentExact prints a value times 100 with two decimals, one more than tables have, so that a
// limit and a value just past it do not print alike.
func PercentExact(v float64) string { return Fixed(100*v, 2) }

// Minus replaces the hyphen of negative numbers with a minus sign, which is as wide as a plus.
func Minus(s string) string { return negative.ReplaceAllString(s, "$1−$2") }

var negative = regexp.MustCompile(`(^|[\[ ])-(\d)`)

// Signed prints a difference times 100 with one decimal and its sign.
func Signed(v float64) string {
	s := Fixed(100*v, 1)
	if s == "0.0" || s[0] == '-' {
		return s
	}
	return "+" + s
}

// Fixed prints v with a fixed number of decimals and never a negative zero.
func Fixed(v float64, decimals int) string {
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Trim(s, "-0.") == "" {
		return strings.TrimPrefix(s, "-")
	}
	return s
}

// PValue prints a p-value to four decimals, the resolution of 10,000 permutations.
func PValue(p float64) string {
	if p < 0.00005 {
		return "<0.0001"
	}
	return strconv.FormatFloat(p, 'f', 4, 64)
}

// PIs prints a p-value with its sign: "p = 0.0123", "p < 0.0001".
func PIs(p float64) string {
	if text, small := strings.CutPrefix(PValue(p), "<"); small {
		return "p < " + text
	}
	return "p = " + PValue(p)
}

// Interval prints the ends of an interval times 100; the interval is undefined if ok is false.
func Interval(low, high float64, ok bool) string {
	if !ok {
		return UndefinedMark
	}
	return "[" + Signed(low) + ", " + Signed(high) + "]"
}

// Plural joins a count and a noun: "1 trial", "3 queries".
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Group(n) + " " + many
}

// Group prints n with commas between thousands.
func Group(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Finite reports whether v is a number that can be averaged.
func Finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// Round4 rounds v to four decimals, the precision of charts.
func Round4(v float64) float64 { return Scaled(v) / 100 }
