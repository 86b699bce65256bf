package diversity_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"infbench/metrics/diversity"
)

// Expected values: mean over texts of NLTK 3.8 sentence_bleu against the other texts, equal
// weights, SmoothingFunction().method1.
func TestSelfBLEU(t *testing.T) {
	for order, want := range map[int]float64{2: 0.6048202250959479, 3: 0.501871276171611, 4: 0.4212951541498707} {
		near(t, fmt.Sprintf("self-bleu-%d", order), diversity.SelfBLEU(tokenized(sixTexts), order), want, 1e-12)
	}
	same := tokenized([]string{"a b c d e", "a b c d e", "a b c d e"})
	near(t, "of one text thrice", diversity.SelfBLEU(same, 4), 1, 1e-12)
	near(t, "of nothing in common", diversity.SelfBLEU(tokenized([]string{"a b", "c d"}), 2), 0, 0)
	near(t, "of empty texts", diversity.SelfBLEU([][]string{nil, nil}, 2), 0, 0)
	if n, ok := diversity.SelfBLEU(same[:1], 4).Get(); ok {
		t.Errorf("self-bleu of one text = %v, want undefined", n)
	}
}

// The shortcut over the two highest counts agrees with BLEU computed text by text from its
// definition.
func TestSelfBLEUByDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for range 50 {
		texts := make([][]string, 2+r.IntN(5))
		for i := range texts {
			for range r.IntN(9) {
				texts[i] = append(texts[i], string(rune('a'+r.IntN(4))))
			}
		}
		var want float64
		for i := range texts {
			want += bleu(texts, i, 3) / float64(len(texts))
		}
		near(t, fmt.Sprintf("self-bleu of %q", texts), diversity.SelfBLEU(texts, 3), want, 1e-12)
	}
}

// bleu returns BLEU of texts[i] against all others, smoothed in the same way as SelfBLEU.
func bleu(texts [][]string, i, most int) float64 {
	counts := func(tokens []string, n int) map[string]int {
		c := make(map[string]int)
		for at := 0; at+n <= len(tokens); at++ {
			c[fmt.Sprint(tokens[at:at+n])]++
		}
		return c
	}
	product, closest := 1.0, -1
	for n := 1; n <= most; n++ {
		matches, all := 0.0, 0.0
		for gram, c := range counts(texts[i], n) {
			best := 0
			for j := range texts {
				if j != i {
					best = max(best, counts(texts[j], n)[gram])
				}
			}
			matches, all = matches+float64(min(c, best)), all+float64(c)
		}
		if matches == 0 && n > 1 {
			matches = 0.1
		}
		product *= matches / max(1, all)
	}
	length := len(texts[i])
	for j := range texts {
		if d := len(texts[j]); j != i && (closest < 0 || abs(d-length) < abs(closest-length) || abs(d-length) == abs(closest-length) && d < closest) {
			closest = d
		}
	}
	penalty := 1.0
	if length == 0 {
		penalty = 0
	} else if length <= closest {
		penalty = math.Exp(1 - float64(closest)/float64(length))
	}
	return penalty * math.Pow(product, 1/float64(most))
}

func abs(x int) int { return max(x, -x) }
