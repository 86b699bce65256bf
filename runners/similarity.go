package runners

import (
	"context"
	"math"

	"infbench/internal/nearest"
	"infbench/metrics/kernel"
)

// Similarity is the function that compares two vectors.
type Similarity string

// The similarities. Under Cosine the similarity of a zero vector to any vector is 0.
const (
	Cosine Similarity = "cosine"
	Dot    Similarity = "dot"
)

// ParseSimilarity returns the similarity with a name; "" is Cosine.
func ParseSimilarity(name string) (Similarity, error) {
	switch s := Similarity(name); s {
	case Cosine, Dot:
		return s, nil
	case "":
		return Cosine, nil
	}
	return "", nearest.Unknown("similarity", name, []string{string(Cosine), string(Dot)})
}

// score is the similarity of a query and a document: their inner product times inverse, the
// inverse of the document's length for Cosine and 1 for Dot. It computes the scores of all
// rankings, however their documents were found. Its bytes depend only on the two vectors and
// the kernel set, not on other comparisons.
func score(query, document []float32, inverse float32) float64 {
	return float64(kernel.Dot(query, document) * inverse)
}

// length is the Euclidean length of a vector with a relative error of at most dim·2⁻²⁴. It is
// finite if and only if all values are.
func length(v []float32) float64 {
	if sum := float64(kernel.Dot(v, v)); sum > 1e-30 && sum < 1e30 {
		return math.Sqrt(sum)
	}
	sum := 0.0 // outside the range that float32 can square
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	return math.Sqrt(sum)
}

// allLengths are the lengths of vectors in the process's own memory. Vectors in mapped files
// must be read under guarded.
func allLengths(ctx context.Context, of vectors) ([]float64, error) {
	all := make([]float64, of.len())
	err := ForSpans(ctx, len(all), 256, func(_, lo, hi int) error {
		for i := lo; i < hi; i++ {
			all[i] = length(of.row(i))
		}
		return nil
	})
	return all, err
}

// rounding is an upper bound of the difference between two inner products in float32 of the
// same vectors, for any orders of addition. Each differs from the true one by at most γ =
// n·u/(1-n·u) times the lengths of both vectors, where u is 2⁻²⁴ (Higham, Accuracy and
// Stability of Numerical Algorithms, section 3.1). The bound allows for lengths computed in
// float32 and for products below its range.
func rounding(dim int, a, b float64) float64 {
	nu := float64(dim) * 0x1p-24
	if nu >= 0.125 {
		return math.Inf(1)
	}
	return 2*nu/(1-4*nu)*a*b + float64(dim)*0x1p-147
}

// Finite reports whether all values of v are finite.
func Finite(v []float32) bool {
	for _, x := range v {
		if x-x != 0 {
			return false
		}
	}
	return true
}

// normalise scales v to length 1; a zero vector is unchanged.
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

// tame reports whether the cosine of a vector of some length can be computed without scaling:
// no inner product with a vector of length 1 exceeds float32.
func tame(length float64) bool {
	return length == 0 || length > 0x1p-40 && length < 0x1p+40
}

// tamed scales a vector to a length between 1 and 2 by a power of two, which changes no cosine,
// and returns that length.
func tamed(v []float32, length float64) float64 {
	exponent := -math.Ilogb(length)
	for i, x := range v {
		v[i] = float32(math.Ldexp(float64(x), exponent))
	}
	return math.Ldexp(length, exponent)
}
