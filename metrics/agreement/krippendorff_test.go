package agreement_test

import (
	"errors"
	"testing"

	"infbench/metrics/agreement"
)

// Expected values from Krippendorff (2011), example C, for four observers, and from
// Wikipedia's "Krippendorff's alpha" for three coders; the ordinal value of the latter was
// computed from the definition with numpy.
func TestKrippendorff(t *testing.T) {
	four := `A 1 2 3 3 2 1 4 1 2 . . .
	         B 1 2 3 3 2 2 4 1 2 5 . 3
	         C . 3 3 3 2 3 4 2 2 5 1 .
	         D 1 2 3 3 2 4 4 1 2 5 1 .`
	three := `A . . . . . 3 4 1 2 1 1 3 3 . 3
	          B 1 . 2 1 3 3 4 3 . . . . . . .
	          C . . 2 1 3 4 4 . 2 1 1 3 3 . 4`
	for _, c := range []struct {
		name   string
		raters string
		scale  agreement.Scale
		n      int
		want   float64
		tol    float64
	}{
		{"four nominal", four, agreement.Nominal, 11, 0.743, 5e-4},
		{"four ordinal", four, agreement.Ordinal, 11, 0.815, 5e-4},
		{"four interval", four, agreement.Interval, 11, 0.849, 5e-4},
		{"three nominal", three, agreement.Nominal, 12, 0.691358024691358, 1e-12},
		{"three ordinal", three, agreement.Ordinal, 12, 0.8067214199413152, 1e-12},
		{"three interval", three, agreement.Interval, 12, 0.8108448928121059, 1e-12},
	} {
		got, err := agreement.Krippendorff(transposed(t, c.raters), c.scale, boot)
		if err != nil {
			t.Fatal(err)
		}
		near(t, c.name, got.Value, c.want, c.tol)
		v, _ := got.Value.Get()
		o, _ := got.Observed.Get()
		e, _ := got.Expected.Get()
		near(t, c.name+" from its parts", got.Value, (o-e)/(1-e), 1e-12)
		if got.N != c.n || !got.Interval.Contains(v) || o < 0 || o > 1 || e < 0 || e > 1 {
			t.Errorf("%s: %+v, want n = %d", c.name, got, c.n)
		}
	}
}

func TestKrippendorffUndefined(t *testing.T) {
	for name, text := range map[string]string{
		"one label":   "a,b\nx,x\nx,x\n",
		"no pair":     "a,b\nx,\n,y\n",
		"single item": "a,b\nx,x\n",
	} {
		got, err := agreement.Krippendorff(read(t, text), agreement.Ordinal, boot)
		if err != nil {
			t.Fatal(name, err)
		}
		undefined(t, name, got)
	}
	if _, err := agreement.Krippendorff(read(t, "a,b\nx,y\n"), agreement.Interval, boot); !errors.Is(err, agreement.ErrNotNumbers) {
		t.Errorf("interval scale of words: %v, want ErrNotNumbers", err)
	}
}
