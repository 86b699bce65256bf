package runners

import (
	"math"

	"github.com/viterin/vek/vek32"

	"infbench/metrics/nearest"
)

// Similarity says how two vectors are compared.
type Similarity string

// The similarities. Under Cosine the similarity of a zero vector to anything is 0.
const (
	Cosine Similarity = "cosine"
	Dot    Similarity = "dot"
)

// ParseSimilarity returns the similarity of a name; "" is Cosine.
func ParseSimilarity(name string) (Similarity, error) {
	switch s := Similarity(name); s {
	case Cosine, Dot:
		return s, nil
	case "":
		return Cosine, nil
	}
	return "", nearest.Unknown("similarity", name, []string{string(Cosine), string(Dot)})
}

// dotProduct is the inner product of two vectors of equal length. The order of its
// additions is fixed by the length alone, but processors without AVX2 add in
// another order than those with it, so between them last bits differ.
// (Plain Go unrolled eightfold, the alternative, takes five times as long.)
func dotProduct(a, b []float32) float64 { return float64(vek32.Dot(a, b)) }

// finite says whether all values of v are.
func finite(v []float32) bool {
	for _, x := range v {
		if x-x != 0 {
			return false
		}
	}
	return true
}

// normalise scales v to length 1; a zero vector stays as it is.
func normalise(v []float32) {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		return
	}
	scale := 1 / math.Sqrt(sum)
	for i, x := range v {
		v[i] = float32(float64(x) * scale)
	}
}
