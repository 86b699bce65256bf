package encoder_test

import (
	"math"
	"slices"
	"testing"

	"infbench/metrics/kernel"
	"infbench/training/encoder"
)

// Vectors in bfloat16 are close to those in float32 but not equal, and switching back gives the
// same float32 bits, with the kernels of this processor and with those that leave bfloat16 to GoMLX.
func TestPrecision(t *testing.T) {
	used := kernel.Name()
	for _, set := range slices.Compact([]string{used, kernel.Float32(used)}) {
		if err := kernel.Use(set); err != nil {
			t.Fatal(err)
		}
		t.Run(set, checkPrecision)
	}
	if err := kernel.Use(used); err != nil {
		t.Fatal(err)
	}
}

func checkPrecision(t *testing.T) {
	texts := []string{"w1 w2 w3", "w4", "w5 w6 w7 w8 w9 w10"}
	for _, name := range []string{"bert", "modernbert", "llama", "qwen2", "mistral", "t5_relu", "roberta", "distilbert", "mpnet"} {
		t.Run(name, func(t *testing.T) {
			enc, err := encoder.Open(goldenCopy(t, name, ""), backend(t))
			if err != nil {
				t.Fatal(err)
			}
			in := func(p encoder.Precision) []float32 {
				t.Helper()
				if err := enc.SetPrecision(p); err != nil {
					t.Fatal(err)
				}
				if enc.Precision() != p {
					t.Fatalf("precision %s, want %s", enc.Precision(), p)
				}
				dst := make([]float32, len(texts)*enc.Dim())
				if err := enc.EncodeDocuments(t.Context(), make([]string, len(texts)), texts, dst); err != nil {
					t.Fatal(err)
				}
				return dst
			}
			exact, narrow, again := in(encoder.Float32), in(encoder.BFloat16), in(encoder.Float32)
			dim, differ := enc.Dim(), false
			for i := range texts {
				a, b := exact[i*dim:(i+1)*dim], narrow[i*dim:(i+1)*dim]
				if c := cosineOf(a, b); c < .99 {
					t.Errorf("text %d: cosine %v between the precisions", i, c)
				}
				for k := range a {
					differ = differ || a[k] != b[k]
				}
			}
			if !differ {
				t.Error("bfloat16 gives the bits of float32")
			}
			for i := range exact {
				if exact[i] != again[i] {
					t.Fatalf("value %d is %v, and %v when float32 was set again", i, exact[i], again[i])
				}
			}
		})
	}
	if err := (&encoder.Encoder{}).SetPrecision("fp8"); err == nil {
		t.Error("precision fp8 is accepted")
	}
}

// The scores of cross-encoders and judges in bfloat16 are close to those in float32.
func TestPrecisionOfPairs(t *testing.T) {
	for name, own := range map[string]string{
		"cross_bert_1label": "",
		"mistral_causal":    `{"judge":{"prompt":"w20 {query} w21 {document} w22","yes":"w1","no":"w2"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			c, err := encoder.OpenCrossEncoder(goldenCopy(t, name, own), backend(t))
			if err != nil {
				t.Fatal(err)
			}
			in := func(p encoder.Precision) float32 {
				t.Helper()
				if err := c.SetPrecision(p); err != nil {
					t.Fatal(err)
				}
				score := make([]float32, 1)
				if err := c.Score(t.Context(), []string{"w3"}, []string{""}, []string{""}, []string{"w4 w5"}, score); err != nil {
					t.Fatal(err)
				}
				return score[0]
			}
			exact, narrow := in(encoder.Float32), in(encoder.BFloat16)
			if exact == narrow || math.Abs(float64(exact-narrow)) > .05 {
				t.Errorf("score %v in float32, %v in bfloat16", exact, narrow)
			}
		})
	}
}

func cosineOf(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		ab, aa, bb = ab+x*y, aa+x*x, bb+y*y
	}
	return ab / math.Sqrt(aa*bb)
}
