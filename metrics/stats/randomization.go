package stats

import (
	"fmt"
	"math"
)

// Randomization is Fisher's paired randomisation test of the mean difference b − a: under the
// null hypothesis the sign of each topic's difference is a coin flip.
//
// If the non-zero differences have at most permutations sign patterns (and at most 2⁶²), it
// counts them all and P is exact. Otherwise it draws permutations patterns and P =
// (count+1)/(permutations+1), which is never 0 (Phipson and Smyth 2010). Patterns whose mean
// ties with the observed one (see Tolerance) count as extreme. Statistic is the mean
// difference; identical slices give P = 1. It fails for unequal lengths, no pairs, or
// permutations < 1.
//
// Agrees with scipy.stats.permutation_test(permutation_type="samples") on the mean of the
// differences, and equals it if P is exact.
func Randomization(a, b []float64, permutations int, seed uint64) (Test, error) {
	d, err := differences(a, b, 1)
	if err != nil {
		return Test{}, fmt.Errorf("randomization: %w", err)
	}
	if permutations < 1 {
		return Test{}, fmt.Errorf("randomization: %d permutations, need at least 1", permutations)
	}
	moved := withoutZeros(d) // a zero has no sign to flip
	sums := newSignSums(moved)
	bound := math.Abs(sums.at(make([]uint64, sums.words))) - float64(len(d))*slack(moved...)

	if len(moved) <= 62 && 1<<len(moved) <= permutations {
		t := newTest("randomization", "exact", d)
		t.Statistic = Defined(t.MeanDifference)
		t.P = float64(sums.countAll(bound, len(moved))) / float64(uint64(1)<<len(moved))
		return t, nil
	}
	t := newTest("randomization", fmt.Sprintf("monte carlo %d", permutations), d)
	t.Statistic = Defined(t.MeanDifference)
	t.P = float64(sums.countDrawn(bound, permutations, seed)+1) / float64(permutations+1)
	return t, nil
}

// signSums computes sums of differences under sign patterns, eight at a time: blocks[i] holds
// the sum of differences 8i to 8i+7 under each of their 256 patterns.
type signSums struct {
	blocks [][256]float64
	words  int // length of a pattern: 64 signs per word; a set bit flips the sign
}

func newSignSums(d []float64) *signSums {
	s := &signSums{
		blocks: make([][256]float64, (len(d)+7)/8),
		words:  (len(d) + 63) / 64,
	}
	for i := range s.blocks {
		eight := d[8*i : min(8*i+8, len(d))]
		table := &s.blocks[i]
		for pattern := range table {
			for j, v := range eight {
				if pattern>>j&1 == 1 {
					v = -v
				}
				table[pattern] += v
			}
		}
	}
	return s
}

// at returns the sum of all differences under one pattern.
func (s *signSums) at(pattern []uint64) float64 {
	var sum float64
	for i := range s.blocks {
		sum += s.blocks[i][uint8(pattern[i>>3]>>(i&7*8))]
	}
	return sum
}

// countAll counts, among the first 2ⁿ patterns of n differences (n at most 62), those whose
// sum has an absolute value of at least bound.
func (s *signSums) countAll(bound float64, n int) int {
	count := 0
	for pattern := range uint64(1) << n {
		if math.Abs(s.at([]uint64{pattern})) >= bound {
			count++
		}
	}
	return count
}

// countDrawn counts, among drawn patterns, those whose sum has an absolute value of at least
// bound.
func (s *signSums) countDrawn(bound float64, permutations int, seed uint64) int {
	r := source(seed)
	pattern := make([]uint64, s.words)
	count := 0
	for range permutations {
		for w := range pattern {
			pattern[w] = r.Uint64()
		}
		if math.Abs(s.at(pattern)) >= bound {
			count++
		}
	}
	return count
}
