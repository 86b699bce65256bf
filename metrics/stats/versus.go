package stats

import (
	"cmp"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"infbench/internal/nearest"
)

// TestNames lists the tests that a Plan may name. "tukey" is RandomizedTukeyHSD, which itself
// adjusts for all pairs; the others compare two systems at a time.
func TestNames() []string { return []string{"randomization", "t", "wilcoxon", "sign", "tukey"} }

// Plan holds the settings for comparing systems. Several runs of a system are replicates,
// which only the t test supports (Replicated).
type Plan struct {
	Test         string  // one of TestNames
	Correct      string  // one of Corrections, over the family of comparisons; not applied to "tukey"
	Alpha        float64 // a comparison is significant if its adjusted P is at most this
	Confidence   float64 // confidence of a family's intervals together, such as 0.95
	Permutations int     // for randomization and tukey
	Seed         uint64  // seed of the permutations
}

// Versus compares one system with the baseline, the first of the systems.
type Versus struct {
	Mean        float64  `json:"-"`
	Test                 // test of the system against the baseline; P is adjusted only for tukey
	Adjusted    float64  `json:"p_corrected"`
	Significant bool     `json:"significant"`
	Interval    Interval `json:"interval"` // interval of the difference: the values that the test accepts, simultaneous over the family
	Dz          Number   `json:"d_z"`
	Cliff       Number   `json:"cliff_delta"`
	Wins        int      `json:"wins"` // in topics
	Ties        int      `json:"ties"`
	Losses      int      `json:"losses"`
}

// tested is a comparison with a function for the values that its test accepts.
type tested struct {
	Test
	accepted func(level float64) Interval
}

// Replicated reports whether any system of values[system][run][topic] has several runs.
func Replicated(values [][][]float64) bool {
	return slices.ContainsFunc(values, func(runs [][]float64) bool { return len(runs) > 1 })
}

// Versus compares each system of values[system][run][topic] with the first, as one family.
// The result has one entry per system; the first has its mean only.
func (p Plan) Versus(values [][][]float64) ([]Versus, error) {
	var pairs []Comparison
	for i := 1; i < len(values); i++ {
		pairs = append(pairs, Comparison{A: 0, B: i})
	}
	scores := meansOfRuns(values)
	tests, adjusted, err := p.compare(values, scores, pairs)
	if err != nil {
		return nil, err
	}
	all := []Versus{{Mean: stat.Mean(scores[0], nil)}}
	for i, t := range tests {
		a, b := scores[0], scores[i+1]
		v := Versus{
			Mean: stat.Mean(b, nil), Test: t.Test,
			Adjusted: adjusted[i], Significant: adjusted[i] <= p.Alpha,
			Dz: CohenDz(a, b), Cliff: CliffDelta(a, b),
		}
		d, err := differences(a, b, 1)
		if err != nil {
			return nil, err
		}
		v.Interval = p.interval(t, p.level(adjusted))
		v.Wins, v.Ties, v.Losses = balance(d)
		all = append(all, v)
	}
	return all, nil
}

// level returns the level of each interval for which all together have Confidence:
// Bonferroni's for a familywise correction, that of the false coverage rate for a false
// discovery rate (Benjamini and Yekutieli 2005), and Confidence itself without a correction
// or for a test of all pairs.
func (p Plan) level(adjusted []float64) float64 {
	share := 1.0
	switch family := float64(len(adjusted)); {
	case p.Test == "tukey" || p.Correct == "none":
	case p.Correct == "bh":
		shown := 0.0
		for _, v := range adjusted {
			if v <= p.Alpha {
				shown++
			}
		}
		share = max(1, shown) / family
	default:
		share = 1 / family
	}
	return 1 - share*(1-p.Confidence)
}

// interval returns the values that the test of a comparison accepts at a simultaneous level.
func (p Plan) interval(t tested, level float64) Interval {
	i := t.accepted(level)
	if i.Level > 0 {
		i.Level = p.Confidence
	}
	return i
}

// HolmAlone reports whether Holm's correction shows a difference although the simultaneous
// interval includes 0.
func (v Versus) HolmAlone() bool { return v.Significant && v.Interval.Contains(0) }

// Ranks compares all pairs of systems of values[system][run][topic], as one family, and
// returns the range of places of each by mean.
func (p Plan) Ranks(values [][][]float64) ([]Rank, error) {
	var pairs []Comparison
	for a := range values {
		for b := a + 1; b < len(values); b++ {
			pairs = append(pairs, Comparison{A: a, B: b})
		}
	}
	scores := meansOfRuns(values)
	_, adjusted, err := p.compare(values, scores, pairs)
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

func meansOfRuns(values [][][]float64) [][]float64 {
	scores := make([][]float64, len(values))
	for i, runs := range values {
		scores[i] = SeedMeans(runs)
	}
	return scores
}

// compare tests the given pairs and adjusts their P as one family.
func (p Plan) compare(values [][][]float64, scores [][]float64, pairs []Comparison) (tests []tested, adjusted []float64, err error) {
	if err := checkScores(scores, 1); err != nil {
		return nil, nil, fmt.Errorf("compare: %w", err)
	}
	if p.Test == "tukey" {
		return p.tukey(scores, pairs)
	}
	seeds := poolRuns(values)
	raw := make([]float64, len(pairs))
	for i, c := range pairs {
		t, err := p.pair(scores[c.A], scores[c.B])
		if Replicated(values) {
			t, err = p.replicated(values, scores, c, seeds)
		}
		if err != nil {
			return nil, nil, err
		}
		tests, raw[i] = append(tests, t), t.P
	}
	correct, err := ParseCorrection(p.Correct)
	if err != nil {
		return nil, nil, err
	}
	return tests, correct(raw), nil
}

// poolRuns estimates the variance of runs, over the systems that have several.
func poolRuns(values [][][]float64) *Seeds {
	var all []Replicates
	for _, runs := range values {
		if r, ok := ReplicatesOf(OneStratum(len(runs[0])), runs); ok {
			all = append(all, r)
		}
	}
	s := Pool(all)
	return &s
}

// replicated tests two systems when some system has several runs.
func (p Plan) replicated(values [][][]float64, scores [][]float64, c Comparison, seeds *Seeds) (tested, error) {
	if p.Test != "t" {
		return tested{}, fmt.Errorf("systems have several runs, which test %q does not support: use \"t\"", p.Test)
	}
	term := func(system int, coefficient float64) Term {
		t := Term{Coefficient: coefficient, Values: scores[system]}
		if len(values[system]) > 1 {
			t.Runs, t.Seeds = len(values[system]), seeds
		}
		return t
	}
	e, ok := OneStratum(len(scores[0])).Contrast(term(c.A, -1), term(c.B, 1))
	if !ok {
		return tested{}, fmt.Errorf("t test: %w: %d, need 2", ErrTooFew, len(scores[0]))
	}
	t := Test{Name: "t", Method: fmt.Sprintf("student over topics and runs, %.1f degrees of freedom", e.Freedom), N: len(scores[0]), MeanDifference: e.Value, P: e.P()}
	if e.StandardError > 0 {
		t.Statistic = Defined(e.Value / e.StandardError)
	}
	return tested{t, e.Interval}, nil
}

// pair runs a test of two systems with one run each.
func (p Plan) pair(a, b []float64) (tested, error) {
	test, known := map[string]func(a, b []float64) (Test, error){
		"randomization": func(a, b []float64) (Test, error) { return Randomization(a, b, p.Permutations, p.Seed) },
		"t":             T,
		"wilcoxon":      func(a, b []float64) (Test, error) { return Wilcoxon(a, b, DropZeros) },
		"sign":          Sign,
	}[p.Test]
	if !known {
		return tested{}, nearest.Unknown("test", p.Test, TestNames())
	}
	t, err := test(a, b)
	if err != nil {
		return tested{}, err
	}
	return tested{t, func(level float64) Interval {
		return Accepted(t.MeanDifference, level, func(value float64) float64 {
			shifted, _ := test(a, shifted(b, -value)) // as many pairs as before
			return shifted.P
		})
	}}, nil
}

// shifted adds a constant to all values.
func shifted(values []float64, by float64) []float64 {
	out := slices.Clone(values)
	floats.AddConst(by, out)
	return out
}

// tukey looks up the pairs among all pairs of the randomised Tukey test.
func (p Plan) tukey(scores [][]float64, pairs []Comparison) (tests []tested, adjusted []float64, err error) {
	pOf, err := randomizedTukey(scores, p.Permutations, p.Seed)
	if err != nil {
		return nil, nil, err
	}
	for _, want := range pairs {
		difference := stat.Mean(scores[want.B], nil) - stat.Mean(scores[want.A], nil)
		t := Test{
			Name: "tukey", Method: fmt.Sprintf("monte carlo %d", p.Permutations), N: len(scores[0]),
			MeanDifference: difference, Statistic: Defined(difference), P: pOf(difference),
		}
		accepted := func(level float64) Interval {
			return Accepted(difference, level, func(value float64) float64 { return pOf(difference - value) })
		}
		tests, adjusted = append(tests, tested{t, accepted}), append(adjusted, t.P)
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
