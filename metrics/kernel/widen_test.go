package kernel

import (
	"math"
	"testing"
)

// Every byte and every finite half keeps its value as float32, in every set, at every length.
func TestWiden(t *testing.T) {
	defer func(before *set) { current = before }(current)
	var bytes []int8
	var halves []uint16
	for b := -128; b < 128; b++ {
		bytes = append(bytes, int8(b))
	}
	for h := range uint16(0x7c00) {
		halves = append(halves, h, h|0x8000)
	}
	for _, current = range sets {
		for n := range len(bytes) + 1 {
			got := guarded(t, n, true)
			WidenBytes(got, bytes)
			for i, v := range got {
				if v != float32(bytes[i]) {
					t.Fatalf("%s: byte %d of %d is %g, want %d", Name(), i, n, v, bytes[i])
				}
			}
		}
		for _, n := range []int{0, 1, 15, 16, 17, 63, 64, 79, len(halves) - 1, len(halves)} {
			got := guarded(t, n, true)
			WidenHalves(got, halves)
			for i, v := range got {
				if want := half(halves[i]); math.Float32bits(v) != math.Float32bits(float32(want)) {
					t.Fatalf("%s: half %#x is %g, want %g", Name(), halves[i], v, want)
				}
			}
		}
	}
}

// half returns a finite binary16 number by its definition.
func half(h uint16) float64 {
	value := float64(h&0x3ff) * 0x1p-24
	if exponent := h >> 10 & 31; exponent > 0 {
		value = math.Ldexp(1024+float64(h&0x3ff), int(exponent)-25)
	}
	if h>>15 == 1 {
		return math.Copysign(value, -1)
	}
	return value
}
