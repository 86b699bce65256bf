package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Every kernel set is compared with the portable one. This file has the helpers for that: the
// sets in turn (eachSet), all tail lengths (lengths), memory at guarded pages (guarded),
// ordinary and difficult values (fill), and distances (ulps).

// eachSet runs the test with every set that this processor can run, including the portable
// one, and then restores the current set.
func eachSet(t *testing.T, test func(t *testing.T)) {
	used := Name()
	t.Cleanup(func() { use(t, used) })
	for _, name := range Available() {
		t.Run(name, func(t *testing.T) {
			use(t, name)
			test(t)
		})
	}
}

func use(t testing.TB, name string) {
	t.Helper()
	if err := Use(name); err != nil {
		t.Fatal(err)
	}
}

// lengths returns lengths with every tail of registers of up to 32 elements, and some of
// several rounds of the longest loops.
func lengths() []int {
	var all []int
	for n := range 66 {
		all = append(all, n)
	}
	return append(all, 127, 128, 129, 255, 384, 1000, 4099)
}

// fill sets values near 1 of both signs, and one in special of them to a difficult one; with
// special 0, none.
func fill(random *rand.Rand, values []float32, special int) {
	for i := range values {
		values[i] = float32(random.NormFloat64())
		if special > 0 && random.IntN(special) == 0 {
			values[i] = difficult[random.IntN(len(difficult))]
		}
	}
}

// difficult values: not a number, infinities, zeros, denormals, and the smallest normal
// number.
var difficult = []float32{
	float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 0, float32(math.Copysign(0, -1)),
	math.SmallestNonzeroFloat32, -math.SmallestNonzeroFloat32, 0x1p-130, -0x1.8p-128, 0x1p-126,
}

// guardedCopy returns a copy of values at a guarded page.
func guardedCopy(t testing.TB, values []float32, end bool) []float32 {
	t.Helper()
	g := guarded(t, len(values), end)
	copy(g, values)
	return g
}

// ulps returns the number of float32 values from a to b: 0 for two NaNs and for 0 and -0, and
// the largest distance if only one is NaN.
func ulps(a, b float32) uint64 {
	if a != a || b != b {
		if a != a && b != b {
			return 0
		}
		return math.MaxUint64
	}
	d := ordinal(a) - ordinal(b)
	return uint64(max(d, -d))
}

// ordinal numbers the float32 values in their order.
func ordinal(v float32) int64 {
	bits := int64(math.Float32bits(v))
	if bits&(1<<31) != 0 {
		return -(bits &^ (1 << 31))
	}
	return bits
}

// near reports whether got is as exact as a float32 sum of terms terms in any order can be:
// within terms·2⁻²⁴ of the terms' magnitude, and equal if the exact value is NaN or infinite.
func near(got, exact, magnitude float64, terms int) bool {
	if math.IsNaN(exact) || math.IsInf(exact, 0) {
		return math.IsNaN(got) && math.IsNaN(exact) || got == exact
	}
	// Each product below the normal numbers may be rounded by half the smallest number.
	bound := float64(terms+1)*0x1p-24*magnitude + float64(terms+1)*math.SmallestNonzeroFloat32
	return math.Abs(got-exact) <= bound
}

func TestUlps(t *testing.T) {
	nan, tiny := float32(math.NaN()), float32(math.SmallestNonzeroFloat32)
	for _, c := range []struct {
		a, b float32
		want uint64
	}{{1, 1, 0}, {1, math.Nextafter32(1, 2), 1}, {tiny, -tiny, 2}, {0, -tiny, 1}, {nan, nan, 0}, {nan, 1, math.MaxUint64}} {
		if got := ulps(c.a, c.b); got != c.want {
			t.Errorf("ulps(%g, %g) is %d, not %d", c.a, c.b, got, c.want)
		}
	}
}

func TestUse(t *testing.T) {
	names := Available()
	if names[0] != Portable || Name() != names[len(names)-1] {
		t.Errorf("sets %q, in use %s", names, Name())
	}
	if err := Use("sse"); err == nil {
		t.Error("an unknown set can be used")
	}
	eachSet(t, func(t *testing.T) {
		if !slices.Contains(names, Name()) {
			t.Errorf("%s is in use", Name())
		}
	})
}

// Dot is exact to the rounding of its terms, for every length, place and values.
func TestDot(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(1, 2))
		for _, n := range lengths() {
			for _, special := range []int{0, 2, 40} {
				checkDot(t, random, n, special)
			}
		}
	})
}

func checkDot(t *testing.T, random *rand.Rand, n, special int) {
	t.Helper()
	a, b := make([]float32, n), make([]float32, n)
	fill(random, a, special)
	fill(random, b, special)
	var exact, magnitude float64
	for i := range a {
		exact += float64(a[i]) * float64(b[i])
		magnitude += math.Abs(float64(a[i]) * float64(b[i]))
	}
	first := Dot(a, b)
	if !near(float64(first), exact, magnitude, n) {
		t.Errorf("%d elements: %g, exact %g", n, first, exact)
	}
	for _, end := range []bool{false, true} {
		again := Dot(guardedCopy(t, a, end), guardedCopy(t, b, end))
		if math.Float32bits(again) != math.Float32bits(first) && first == first {
			t.Errorf("%d elements: %g in another place of memory, not %g", n, again, first)
		}
	}
}
