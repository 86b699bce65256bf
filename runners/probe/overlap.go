package probe

import (
	"math"

	"infbench/metrics/trec"
)

// persistence is the p of rank-biased overlap. The expected depth of a reader is 1/(1 − p), ten
// documents, and the first ten ranks weigh 86 %.
const persistence = 0.9

// comparedTo is the depth to which rankings are compared. The ranks below it weigh 3·10⁻⁵.
const comparedTo = 100

// Overlap returns the extrapolated rank-biased overlap of the first 100 documents of two
// rankings, with p = .9 (Webber, Moffat and Zobel 2010, ACM TOIS 28(4), equation 32). It is 1
// for equal rankings and 0 for rankings without a common document. Two empty rankings are
// equal; an empty one has nothing in common with another.
func Overlap(a, b trec.Ranking) float64 {
	a, b = a[:min(len(a), comparedTo)], b[:min(len(b), comparedTo)]
	if len(a) > len(b) {
		a, b = b, a
	}
	if same(a, b) {
		return 1
	}
	if len(a) == 0 {
		return 0
	}
	return extrapolated(shared(a, b), len(a), persistence)
}

// same reports whether two rankings list the same documents.
func same(a, b trec.Ranking) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Doc != b[i].Doc {
			return false
		}
	}
	return true
}

// shared counts, for each depth of the longer ranking, the documents that both rankings have
// down to this depth: X_d of the paper, d from 1.
func shared(short, long trec.Ranking) []float64 {
	inShort, inLong := map[string]bool{}, map[string]bool{}
	counts := make([]float64, len(long))
	n := 0.0
	for i := range long {
		inLong[long[i].Doc] = true
		if inShort[long[i].Doc] {
			n++
		}
		if i < len(short) {
			inShort[short[i].Doc] = true
			if inLong[short[i].Doc] {
				n++
			}
		}
		counts[i] = n
	}
	return counts
}

// extrapolated computes equation 32 from counts x of shared documents and the length s of the
// shorter ranking.
func extrapolated(x []float64, s int, p float64) float64 {
	l := len(x)
	sum, weight := 0.0, 1.0
	for i := range x {
		d := float64(i + 1)
		weight *= p
		sum += x[i] / d * weight
		if i >= s {
			sum += x[s-1] * (d - float64(s)) / (float64(s) * d) * weight
		}
	}
	tail := (x[l-1]-x[s-1])/float64(l) + x[s-1]/float64(s)
	return (1-p)/p*sum + tail*math.Pow(p, float64(l))
}
