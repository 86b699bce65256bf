package generate

import (
	"context"
	"errors"
	"fmt"
	"math"
)

// Probabilities says how probable each of some continuations of a prompt is among them:
// the shares sum to 1. A continuation is the ids that follow the prompt, and its
// probability the product of theirs. Where one continues another, as 1 and 10, that each
// ends there counts too, by any token that ends texts.
func (g *Generator) Probabilities(ctx context.Context, prompt []int32, continuations [][]int32) ([]float64, error) {
	if len(continuations) == 0 {
		return nil, errors.New("no continuations")
	}
	longest := 0
	for i, ids := range continuations {
		if len(ids) == 0 {
			return nil, fmt.Errorf("continuation %d has no tokens", i+1)
		}
		longest = max(longest, len(ids))
	}
	if room := g.limit - longest; len(prompt) == 0 || len(prompt) > room {
		return nil, fmt.Errorf("no room: the prompt has %d tokens, of %d beside the longest answer", len(prompt), room)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	t := g.newText()
	defer t.close()
	first, err := t.read(ctx, prompt)
	if err != nil {
		return nil, err
	}
	ends := oneContinuesAnother(continuations) && len(g.folder.stops) > 0
	logs := make([]float64, len(continuations))
	for i, ids := range continuations {
		if logs[i], err = t.logProbability(ctx, first, ids, ends); err != nil {
			return nil, err
		}
	}
	return shares(logs)
}

// oneContinuesAnother says whether a sequence begins with another, all of it.
func oneContinuesAnother(list [][]int32) bool {
	for i, a := range list {
		for k, b := range list {
			if i != k && len(a) <= len(b) && commonStart(a, b) == len(a) {
				return true
			}
		}
	}
	return false
}

// commonStart is how many ids two sequences begin with alike.
func commonStart(a, b []int32) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// logProbability is the logarithm of the probability of ids after the text, whose next
// token has the logits first; with ends also of the text's end after them.
func (t *text) logProbability(ctx context.Context, first []float32, ids []int32, ends bool) (float64, error) {
	sum := logSoftmax(first, ids[0])
	if len(ids) == 1 && !ends {
		return sum, nil
	}
	other := t.branch()
	defer other.close()
	for at := 0; at < len(ids); at += mostAtOnce {
		part := ids[at:min(at+mostAtOnce, len(ids))]
		rows := make([]int32, len(part))
		for i := range rows {
			rows[i] = int32(i)
		}
		logits, err := other.step(ctx, part, rows)
		if err != nil {
			return 0, err
		}
		width := len(logits) / len(rows)
		for i := range rows {
			row := logits[i*width : (i+1)*width]
			if next := at + i + 1; next < len(ids) {
				sum += logSoftmax(row, ids[next])
			} else if ends {
				sum += logSoftmax(row, t.g.folder.stops...)
			}
		}
	}
	return sum, nil
}

// logSoftmax is the logarithm of the probability that the next token is one of ids.
func logSoftmax(logits []float32, ids ...int32) float64 {
	top := float64(logits[mostProbable(logits)])
	all, these := 0.0, 0.0
	for _, x := range logits {
		all += math.Exp(float64(x) - top)
	}
	for _, id := range ids {
		these += math.Exp(float64(logits[id]) - top)
	}
	return math.Log(these) - math.Log(all)
}

// shares turns logarithms into shares of their sum.
func shares(logs []float64) ([]float64, error) {
	top := math.Inf(-1)
	for _, x := range logs {
		if math.IsNaN(x) {
			return nil, errNaN
		}
		top = max(top, x)
	}
	if math.IsInf(top, -1) {
		return nil, errors.New("no continuation is possible")
	}
	total, list := 0.0, make([]float64, len(logs))
	for i, x := range logs {
		list[i] = math.Exp(x - top)
		total += list[i]
	}
	for i := range list {
		list[i] /= total
	}
	return list, nil
}
