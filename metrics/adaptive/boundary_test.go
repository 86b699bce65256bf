package adaptive

import (
	"math"
	"math/rand/v2"
	"testing"
)

// pocock spends evenly, alpha·ln(1 + (e - 1)·share) (Lan and DeMets 1983, their second
// function): another Spending with published limits.
func pocock(alpha, share float64) float64 {
	return alpha * math.Log1p((math.E-1)*max(0, min(1, share)))
}

// Limits of five looks at equal steps, two-sided .05, from ldbounds (R; Casper and Perez) and
// the program of Reboussin, DeMets, Kim and Lan (2000, Controlled Clinical Trials 21).
func TestLimits(t *testing.T) {
	for _, c := range []struct {
		name  string
		spend Spending
		want  []float64
	}{
		{"O'Brien-Fleming", OBrienFleming, []float64{4.8769, 3.3569, 2.6803, 2.2898, 2.0310}},
		{"Pocock", pocock, []float64{2.4380, 2.4268, 2.4101, 2.3966, 2.3859}},
	} {
		var b boundary
		for k, want := range c.want {
			time := float64(k+1) / 5
			if got := b.look(time, c.spend(.05, time)); math.Abs(got-want) > 2e-4 {
				t.Errorf("%s, look %d: %.4f, want %.4f", c.name, k+1, got, want)
			}
		}
	}
}

// Pocock's constant limits at .05 (1977, Biometrika 64, table 1): the probability that any of
// K looks reaches them is .05.
func TestBeyondOfConstantLimits(t *testing.T) {
	for looks, limit := range map[int]float64{1: 1.960, 2: 2.178, 3: 2.289, 4: 2.361, 5: 2.413, 10: 2.555} {
		var b boundary
		sum := 0.0
		for k := range looks {
			time := float64(k+1) / float64(looks)
			sum += b.beyond(time, limit)
			b.advance(time, limit)
		}
		if math.Abs(sum-.05) > 1e-4 {
			t.Errorf("%d looks at %v: %.5f", looks, limit, sum)
		}
	}
}

// The alpha spent is the planned alpha for any looks: checked with simulated Brownian motions
// and random look times.
func TestLimitsHoldAlpha(t *testing.T) {
	const alpha, motions = .1, 40_000
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 1))
		var times, limits []float64
		var b boundary
		for time := .03 + .2*r.Float64(); time < 1; time += .02 + .2*r.Float64()*r.Float64() {
			times, limits = append(times, time), append(limits, b.look(time, pocock(alpha, time)))
		}
		times, limits = append(times, 1), append(limits, b.look(1, alpha))
		reached := 0
		for range motions {
			w, before := 0.0, 0.0
			for k, time := range times {
				w += math.Sqrt(time-before) * r.NormFloat64()
				if before = time; math.Abs(w) >= limits[k]*math.Sqrt(time) {
					reached++
					break
				}
			}
		}
		if rate, off := float64(reached)/motions, 3*math.Sqrt(alpha*(1-alpha)/motions); math.Abs(rate-alpha) > off {
			t.Errorf("seed %d, %d looks: %.4f, want %v ± %.4f", seed, len(times), rate, alpha, off)
		}
	}
}

// Spending is 0 at first, alpha at the end, and never decreases. A smaller alpha never spends
// more, which Holm's procedure needs.
func TestSpending(t *testing.T) {
	for name, spend := range map[string]Spending{"O'Brien-Fleming": OBrienFleming, "Pocock": pocock} {
		for _, alpha := range []float64{.05, .01, .001} {
			if spend(alpha, 0) != 0 || math.Abs(spend(alpha, 1)-alpha) > 1e-15 || spend(alpha, 2) > alpha*(1+1e-12) {
				t.Errorf("%s spends %v at 0 and %v at 1 of %v", name, spend(alpha, 0), spend(alpha, 1), alpha)
			}
			for share := .01; share < 1; share += .01 {
				if spend(alpha, share) < spend(alpha, share-.01) || spend(alpha/2, share) > spend(alpha, share) {
					t.Errorf("%s at %v of %v", name, share, alpha)
				}
			}
		}
	}
}
