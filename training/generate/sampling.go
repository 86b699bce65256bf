package generate

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Sampling is how the next token is chosen. The zero value takes the most probable.
type Sampling struct {
	Temperature float64 // logits are divided by it; 0: the most probable token
	TopP        float64 // of the most probable tokens, as many as make up this share (Holtzman et al. 2020); 0: all
	TopK        int     // at most so many; 0: all
	Seed        int64
}

func (s Sampling) check() error {
	switch {
	case !(s.Temperature >= 0) || math.IsInf(s.Temperature, 0):
		return fmt.Errorf("temperature is %g", s.Temperature)
	case !(s.TopP >= 0 && s.TopP <= 1):
		return fmt.Errorf("top_p %g is not in [0,1]", s.TopP)
	case s.TopK < 0:
		return fmt.Errorf("top_k is %d", s.TopK)
	}
	return nil
}

var errNaN = errors.New("the model's logits are no numbers")

// chooser returns what chooses one token of logits after the other. The choices depend
// on the seed and the logits alone.
func (s Sampling) chooser() func(logits []float32) (int32, error) {
	random := rand.New(rand.NewPCG(uint64(s.Seed), 0))
	return func(logits []float32) (int32, error) {
		for _, x := range logits {
			if x != x {
				return 0, errNaN
			}
		}
		if s.Temperature == 0 {
			return mostProbable(logits), nil
		}
		return s.choose(logits, random.Float64()), nil
	}
}

// mostProbable is the index of the greatest logit, the first of equals.
func mostProbable(logits []float32) int32 {
	best := 0
	for i, x := range logits {
		if x > logits[best] {
			best = i
		}
	}
	return int32(best)
}

// choose is the token at a point in [0,1) of the shares of those that remain, the most
// probable first, equals by id.
func (s Sampling) choose(logits []float32, at float64) int32 {
	order := make([]int32, len(logits))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Or(cmp.Compare(logits[b], logits[a]), cmp.Compare(a, b)) })
	if s.TopK > 0 {
		order = order[:min(s.TopK, len(order))]
	}
	weights, total := make([]float64, len(order)), 0.0
	for i, id := range order {
		weights[i] = math.Exp(float64(logits[id]-logits[order[0]]) / s.Temperature)
		total += weights[i]
	}
	if s.TopP > 0 {
		order, total = s.nucleus(order, weights, total)
	}
	at *= total
	for i, id := range order {
		if at -= weights[i]; at < 0 {
			return id
		}
	}
	return order[len(order)-1]
}

// nucleus keeps the fewest tokens that make up TopP of the weights.
func (s Sampling) nucleus(order []int32, weights []float64, total float64) ([]int32, float64) {
	sum := 0.0
	for i := range order {
		if sum += weights[i]; sum >= s.TopP*total {
			return order[:i+1], sum
		}
	}
	return order, total
}
