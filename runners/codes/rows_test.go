package codes

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestRows: a row returns its vector, unchanged for float32, else within the error bound of
// Codes.
func TestRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, form := range []Form{Float32, Float16, Int8} {
		for _, dim := range []int{1, 7, 64, 129} {
			v, got := make([]float32, dim), make([]float32, dim)
			for i := range v {
				v[i] = float32(rng.NormFloat64())
			}
			rows := form.AppendRow([]byte("before"), v)
			if len(rows) != 6+form.RowBytes(dim) {
				t.Fatalf("%s: %d bytes, want %d", form, len(rows)-6, form.RowBytes(dim))
			}
			form.ReadRow(got, rows[6:])
			apart, most := 0.0, 0.0
			for i := range v {
				apart += (float64(v[i]) - float64(got[i])) * (float64(v[i]) - float64(got[i]))
			}
			if form != Float32 {
				c := New(form, 1, dim)
				c.Set(0, v)
				most = c.Lost[0] + 1e-6 // products are rounded
			}
			if math.Sqrt(apart) > most {
				t.Errorf("%s, %d values: %g from the vector, want at most %g", form, dim, math.Sqrt(apart), most)
			}
		}
	}
	zero := make([]float32, 3)
	for _, form := range []Form{Float32, Float16, Int8} {
		got := []float32{1, 1, 1}
		if form.ReadRow(got, form.AppendRow(nil, zero)); got[0] != 0 || got[1] != 0 || got[2] != 0 {
			t.Errorf("%s: zeros become %v", form, got)
		}
	}
}
