package agreement_test

import (
	"testing"

	"infbench/metrics/agreement"
	"infbench/metrics/stats"
)

// figure4 has three humans and two models; the second model's agreement is at chance level.
const figure4 = `h1,h2,h3,good,poor
a,a,a,a,b
b,b,b,b,a
c,c,b,c,b
a,a,a,a,a
b,b,b,b,c
c,c,c,c,a
a,b,a,a,c
b,b,,b,b
c,c,c,a,c
a,a,a,a,b
`

func TestAgainstHumans(t *testing.T) {
	r := read(t, figure4)
	pairs := agreement.Pairwise(r, agreement.Unweighted, 0.95)
	if len(pairs) != 10 {
		t.Fatalf("%d pairs of 5 raters", len(pairs))
	}
	kappa := make(map[[2]int]float64)
	for _, p := range pairs {
		v, ok := p.Value.Get()
		if !ok {
			t.Fatalf("pair %+v is undefined", p)
		}
		kappa[[2]int{p.A, p.B}] = v
	}
	// By hand: h1 h2 agree on 9 of 10, chance (4·3+3·4+3·3)/100 = .33.
	near(t, "h1 h2", pairs[0].Value, (0.9-0.33)/(1-0.33), 1e-12)
	if pairs[1].N != 9 {
		t.Errorf("h1 h3 share %d items, want 9", pairs[1].N)
	}

	means := agreement.AgainstHumans(r, []int{3, 4}, agreement.Unweighted, boot)
	for i, c := range []struct {
		rater int
		want  float64 // means of the kappas above
	}{
		{agreement.HumanPairs, (kappa[[2]int{0, 1}] + kappa[[2]int{0, 2}] + kappa[[2]int{1, 2}]) / 3},
		{3, (kappa[[2]int{0, 3}] + kappa[[2]int{1, 3}] + kappa[[2]int{2, 3}]) / 3},
		{4, (kappa[[2]int{0, 4}] + kappa[[2]int{1, 4}] + kappa[[2]int{2, 4}]) / 3},
	} {
		got := means[i]
		near(t, "mean", got.Value, c.want, 1e-12)
		if got.Rater != c.rater || got.Pairs != 3 || got.N != 9 || !got.Interval.Contains(c.want) {
			t.Errorf("mean %d = %+v", i, got)
		}
	}
}

// Without a pair of humans, or with a pair that shares no item, there is no mean.
func TestAgainstHumansUndefined(t *testing.T) {
	one := agreement.AgainstHumans(read(t, "h,m\na,a\nb,a\n"), []int{1}, agreement.Unweighted, boot)
	undefined(t, "one human among himself", one[0].Agreement)
	near(t, "model against one human", one[1].Value, 0, 1e-12)

	gap := agreement.AgainstHumans(read(t, "h1,h2,m\na,,a\nb,,b\n,a,\n,b,\n"), []int{2}, agreement.Unweighted, boot)
	undefined(t, "mean with a pair of no items", gap[1].Agreement)
}

func TestSelect(t *testing.T) {
	r := read(t, figure4)
	index, err := r.Index([]string{"good", "h1"})
	if err != nil {
		t.Fatal(err)
	}
	s := r.Select(index)
	if s.Raters[0] != "good" || s.Items[8][0] != 0 || s.Items[8][1] != 2 {
		t.Errorf("selected %v, item %v", s.Raters, s.Items[8])
	}
	if _, err := r.Index([]string{"god"}); err == nil {
		t.Error("unknown rater: no error")
	}
}

// Models without humans are one panel, listed once.
func TestMeasureWithoutHumans(t *testing.T) {
	r := &agreement.Ratings{Raters: []string{"a", "b"}, Labels: []string{"x", "y"}, Items: [][]int{{0, 0}, {1, 1}, {0, 1}}}
	report, err := agreement.Measure(r, []int{0, 1}, agreement.Unweighted, agreement.Nominal, stats.Bootstrap{Level: .95, Resamples: 10, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Panels) != 2 || report.Panels[0].Raters[0] != "all" {
		t.Errorf("%+v", report.Panels)
	}
}
