package trec

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

// TestParseScore checks C's atof: the expected values are those that the C library (glibc
// 2.36) prints for the same text.
func TestParseScore(t *testing.T) {
	inf := math.Inf(1)
	for text, want := range map[string]struct {
		value    float64
		complete bool
	}{
		"1": {1, true}, "-1.5": {-1.5, true}, "+2": {2, true}, ".5": {0.5, true}, "5.": {5, true}, "-.5": {-0.5, true}, "1e3": {1000, true},
		"1E-3": {0.001, true}, "1e+2": {100, true}, "0.1": {0.1, true}, "123456789012345": {123456789012345, true},
		"0.6898301657029192": {0.6898301657029192, true}, "1234567890123456789": {1234567890123456789, true},
		"": {0, false}, "-": {0, false}, ".": {0, false}, "e5": {0, false}, "abc": {0, false}, "+-1": {0, false}, "1..2": {1, false},
		"1.5abc": {1.5, false}, "1e": {1, false}, "1e+": {1, false}, "1,5": {1, false}, "1_000": {1, false}, "--1": {0, false},
		"inf": {inf, true}, "-INF": {-inf, true}, "Infinity": {inf, true}, "infinit": {inf, false}, "1e999": {inf, true}, "-1e999": {-inf, true},
		"1e-999": {0, true}, "0x10": {16, true}, "0x1p-2": {0.25, true}, "0x.8": {0.5, true}, "0x": {0, false}, "0xg": {0, false}, "0x1p": {1, false},
		"4.9e-324": {math.SmallestNonzeroFloat64, true}, "9007199254740993": {9007199254740992, true}, "0x_1": {0, false},
	} {
		value, complete := parseScore([]byte(text))
		if value != want.value || complete != want.complete {
			t.Errorf("parseScore(%q) = %v, %v, want %v, %v", text, value, complete, want.value, want.complete)
		}
	}
	for _, text := range []string{"nan", "NaN", "-nan", "nan(abc)", "nanx", "nan("} {
		if v, _ := parseScore([]byte(text)); !math.IsNaN(v) {
			t.Errorf("parseScore(%q) = %v, want NaN", text, v)
		}
	}
	if v, _ := parseScore([]byte("-0")); v != 0 || !math.Signbit(v) {
		t.Errorf("parseScore(-0) = %v, want -0", v)
	}
}

// TestParseShort checks the fast path against strconv on random numbers of every accepted
// length.
func TestParseShort(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	taken := 0
	for range 200_000 {
		text := strconv.FormatFloat(random.NormFloat64()*math.Pow(10, float64(random.IntN(12)-6)), 'f', random.IntN(16), 64)
		want, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := parseShort([]byte(text))
		if ok {
			taken++
		}
		if ok && math.Float64bits(got) != math.Float64bits(want) {
			t.Fatalf("parseShort(%q) = %v, want %v", text, got, want)
		}
	}
	if taken < 100_000 {
		t.Errorf("the fast path took %d of 200000 numbers", taken)
	}
}
