package stats

import (
	"cmp"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/stat"

	"infbench/metrics/nearest"
)

// TestNames lists the tests a Plan may name. "tukey" is RandomizedTukeyHSD, which
// adjusts for all pairs itself; the others compare two systems at a time.
func TestNames() []string { return []string{"randomization", "t", "wilcoxon", "sign", "tukey"} }

// Plan says how systems are compared.
type Plan struct {
	Test         string     // one of TestNames
	Correct      Correction // over the family of comparisons; not applied to "tukey"
	Alpha        float64    // a comparison is significant where its adjusted P is at most this
	Permutations int        // of randomization and tukey
	Bootstrap    Bootstrap  // of the intervals
	Seed         uint64     // of the permutations
}

// Versus is one system against the baseline, the first of the systems.
type Versus struct {
	Mean        float64  `json:"-"`
	Test                 // of the system against the baseline; P is not adjusted but for tukey
	Adjusted    float64  `json:"p_corrected"`
	Significant bool     `json:"significant"`
	Interval    Interval `json:"interval"` // of the mean difference, BCa
	Dz          Number   `json:"d_z"`
	Cliff       Number   `json:"cliff_delta"`
	Wins        int      `json:"wins"` // topics
	Ties        int      `json:"ties"`
	Losses      int      `json:"losses"`
}

// Versus compares each system of scores[system][topic] with the first, as one
// family. The result has one entry a system; the first holds its mean only.
func (p Plan) Versus(scores [][]float64) ([]Versus, error) {
	var pairs []Comparison
	for i := 1; i < len(scores); i++ {
		pairs = append(pairs, Comparison{A: 0, B: i})
	}
	tests, adjusted, err := p.compare(scores, pairs)
	if err != nil {
		return nil, err
	}
	all := []Versus{{Mean: stat.Mean(scores[0], nil)}}
	for i, t := range tests {
		a, b := scores[0], scores[i+1]
		v := Versus{
			Mean: stat.Mean(b, nil), Test: t,
			Adjusted: adjusted[i], Significant: adjusted[i] <= p.Alpha,
			Dz: CohenDz(a, b), Cliff: CliffDelta(a, b),
		}
		d, err := differences(a, b, 1)
		if err != nil {
			return nil, err
		}
		v.Interval = BootstrapMean(d, p.Bootstrap.Level, p.Bootstrap.Resamples, p.Bootstrap.Seed)
		v.Wins, v.Ties, v.Losses = balance(d)
		all = append(all, v)
	}
	return all, nil
}

// Ranks compares all pairs of systems, as one family, and returns where each may
// stand by mean.
func (p Plan) Ranks(scores [][]float64) ([]Rank, error) {
	var pairs []Comparison
	for a := range scores {
		for b := a + 1; b < len(scores); b++ {
			pairs = append(pairs, Comparison{A: a, B: b})
		}
	}
	_, adjusted, err := p.compare(scores, pairs)
	if err != nil {
		return nil, err
	}
	apart := make(map[[2]int]bool)
	for i, c := range pairs {
		apart[[2]int{c.A, c.B}] = adjusted[i] <= p.Alpha
	}
	means := make([]float64, len(scores))
	for i, s := range scores {
		means[i] = stat.Mean(s, nil)
	}
	return Ranks(means, func(a, b int) bool { return apart[[2]int{min(a, b), max(a, b)}] }), nil
}

// compare tests the given pairs and adjusts their P as one family.
func (p Plan) compare(scores [][]float64, pairs []Comparison) (tests []Test, adjusted []float64, err error) {
	if err := checkScores(scores, 1); err != nil {
		return nil, nil, fmt.Errorf("compare: %w", err)
	}
	if p.Test == "tukey" {
		return p.tukey(scores, pairs)
	}
	raw := make([]float64, len(pairs))
	for i, c := range pairs {
		t, err := p.pair(scores[c.A], scores[c.B])
		if err != nil {
			return nil, nil, err
		}
		tests, raw[i] = append(tests, t), t.P
	}
	return tests, p.Correct(raw), nil
}

// pair runs a test of two systems.
func (p Plan) pair(a, b []float64) (Test, error) {
	switch p.Test {
	case "randomization":
		return Randomization(a, b, p.Permutations, p.Seed)
	case "t":
		return T(a, b)
	case "wilcoxon":
		return Wilcoxon(a, b, DropZeros)
	case "sign":
		return Sign(a, b)
	}
	return Test{}, nearest.Unknown("test", p.Test, TestNames())
}

// tukey looks the pairs up among all pairs of the randomised Tukey test.
func (p Plan) tukey(scores [][]float64, pairs []Comparison) (tests []Test, adjusted []float64, err error) {
	all, err := RandomizedTukeyHSD(scores, p.Permutations, p.Seed)
	if err != nil {
		return nil, nil, err
	}
	for _, want := range pairs {
		i := slices.IndexFunc(all, func(c Comparison) bool { return c.A == want.A && c.B == want.B })
		t := Test{
			Name: "tukey", Method: fmt.Sprintf("monte carlo %d", p.Permutations), N: len(scores[0]),
			MeanDifference: all[i].MeanDifference, Statistic: Defined(all[i].MeanDifference), P: all[i].P,
		}
		tests, adjusted = append(tests, t), append(adjusted, t.P)
	}
	return tests, adjusted, nil
}

// balance counts the differences above, at and below 0.
func balance(d []float64) (wins, ties, losses int) {
	for _, v := range d {
		switch cmp.Compare(v, 0) {
		case 1:
			wins++
		case 0:
			ties++
		case -1:
			losses++
		}
	}
	return wins, ties, losses
}
