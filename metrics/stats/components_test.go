package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"infbench/metrics/stats"
)

// Expected values from the mean squares of statsmodels anova_lm on the same layout, with rows
// as seeds: (MS_seed − MS_rest)/10, (MS_topic − MS_rest)/3, MS_rest.
func TestSplitVariance(t *testing.T) {
	c, err := stats.SplitVariance(threeSystems)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "seed", c.Seed, 0.0005274074074074082, 1e-12)
	near(t, "topic", c.Topic, 0.06471111111111107, 1e-12)
	near(t, "rest", c.Interaction, 0.001245925925925925, 1e-12)
	if c.Cut {
		t.Errorf("components %+v", c)
	}

	same, err := stats.SplitVariance([][]float64{{1, 2, 4}, {2, 1, 4}}) // seeds with equal means
	if err != nil || !same.Cut || same.Seed != 0 {
		t.Errorf("equal seeds: %+v, %v; want a seed variance cut to 0", same, err)
	}
	if _, err := stats.SplitVariance([][]float64{{1, 2}}); err == nil {
		t.Error("one seed: no error")
	}
}

// Data made with known components give estimates near them.
func TestSplitVarianceRecovers(t *testing.T) {
	const seeds, topics = 60, 80
	r := rand.New(rand.NewPCG(6, 1))
	byTopic := make([]float64, topics)
	for i := range byTopic {
		byTopic[i] = 0.2 * r.NormFloat64()
	}
	values := make([][]float64, seeds)
	for s := range values {
		seed := 0.1 * r.NormFloat64()
		for _, topic := range byTopic {
			values[s] = append(values[s], 0.5+seed+topic+0.05*r.NormFloat64())
		}
	}
	c, err := stats.SplitVariance(values)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []struct {
		name      string
		got, want float64
	}{{"seed", c.Seed, 0.01}, {"topic", c.Topic, 0.04}, {"rest", c.Interaction, 0.0025}} {
		if math.Abs(v.got/v.want-1) > 0.5 { // 4 standard errors of a variance of 60 values are 0.73
			t.Errorf("%s variance = %v, made with %v", v.name, v.got, v.want)
		}
	}
}
