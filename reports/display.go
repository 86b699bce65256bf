package reports

import (
	"math"
	"strconv"
	"strings"
	"unicode"

	"infbench/metrics/stats"
)

// unsetMark stands for the value of a key that trials do not have.
const unsetMark = "not set"

// Marks that stand where a number would, the same in every format.
const (
	undefinedMark = "–"       // values exist, none of them is defined
	missingMark   = "missing" // planned, but there is no value
	partialMark   = "*"       // after a mean over less than was planned
	topMark       = "†"       // after a number that was chosen by itself
	aggregateMark = "‡"       // after a mean that was taken over without its queries
)

// pairMeasure is the one measure of the field that is signed and belongs to a
// pair of instructions.
const pairMeasure = "p-MRR"

// clean makes text from outside safe to print anywhere: line breaks and tabs
// become spaces; control bytes, invisible and direction-changing characters and
// invalid UTF-8 become U+FFFD, so that tampering shows rather than vanishes.
// Escaping for a format is that format's business.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\r' || r == '\t' || r == '\u2028' || r == '\u2029':
			return ' '
		case invisible(r):
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(s, string(unicode.ReplacementChar)))
}

// invisible reports whether a character does something other than show itself.
func invisible(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }

// percent prints a measure's value times 100 with one decimal, as the tables of
// the field do; p-MRR always with its sign.
func percent(measure string, v float64) string {
	if measure == pairMeasure {
		return signed(v)
	}
	return fixed(100*v, 1)
}

// signed prints a difference times 100 with one decimal and its sign.
func signed(v float64) string {
	s := fixed(100*v, 1)
	if s == "0.0" || s[0] == '-' {
		return s
	}
	return "+" + s
}

// fixed prints v with that many decimals and never a negative zero.
func fixed(v float64, decimals int) string {
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Trim(s, "-0.") == "" {
		return strings.TrimPrefix(s, "-")
	}
	return s
}

// pValue prints a p-value to four decimals, the resolution that 10,000
// permutations have.
func pValue(p float64) string {
	if p < 0.00005 {
		return "<0.0001"
	}
	return strconv.FormatFloat(p, 'f', 4, 64)
}

// interval prints the ends of an interval times 100.
func interval(i stats.Interval) string {
	low, high, ok := i.Get()
	if !ok {
		return undefinedMark
	}
	return "[" + signed(low) + ", " + signed(high) + "]"
}

// plural joins a count and a noun: "1 trial", "3 queries".
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return group(n) + " " + many
}

// group prints n with commas between thousands.
func group(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// finite reports whether v is a number that can be averaged.
func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
