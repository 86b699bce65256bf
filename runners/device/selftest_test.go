package device

import (
	"math"
	"strings"
	"testing"
)

// The self-test distinguishes near values from zeros, other values and no values.
func TestNear(t *testing.T) {
	want := []float32{0.5, -0.25, 0}
	nan := float32(math.NaN())
	for _, c := range []struct {
		got  []float32
		says string
	}{
		{want, ""},
		{[]float32{0.50004, -0.25, 4e-5}, ""},
		{[]float32{0, 0, 0}, "computes zeros"},
		{[]float32{0.5, -0.25, 1e-3}, "value 2 is 0.001"},
		{[]float32{0.5, nan, 0}, "value 1 is NaN"},
		{[]float32{0.5}, "1 values"},
	} {
		err := near(c.got, want, 1e-4)
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v: %v, want %q", c.got, err, c.says)
		}
	}
}

// The Go backend passes its own test. A broken device is unlikely to return the values of the
// test.
func TestSelfTestOfGo(t *testing.T) {
	b, err := OpenBackend(GoDevice)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Finalize()
	if err := selfTest(b, 0); err != nil {
		t.Error(err)
	}
	list, err := passes(b)
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range []int{testRows * testClasses, testWidth * testInner} {
		if len(list[i]) != n {
			t.Errorf("%d values of %d", len(list[i]), n)
		}
		seen := map[float32]bool{0: true}
		for _, v := range list[i] {
			seen[v] = true
		}
		if len(seen) < n/2 {
			t.Errorf("only %d different values of %d", len(seen)-1, n)
		}
	}
}
