package chatrank

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/floats"

	"infbench/datasets/chat"
)

// Scale is what pointwise questions give for a document.
type Scale string

// The scales.
const (
	// LogOdds are the log-odds of yes against no, by the log-probabilities of the answer's only
	// token (Nogueira et al., arXiv 2003.06713; Weller et al., arXiv 2502.18418).
	LogOdds Scale = "log-odds"
	// Verdicts are yes or no in words, for endpoints without log-probabilities. The ranks of
	// documents with the same verdict tie.
	Verdicts Scale = "verdicts"
)

// Scale returns the scale of pointwise questions, "" until an answer has shown whether the endpoint
// gives log-probabilities.
func (r *Ranker) Scale() Scale {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.scale
}

// weighed returns the log-odds of the documents in order, by index of docs; nil if the endpoint gives
// no log-probabilities. Until one answer has shown whether it does, documents are asked one at a
// time, so that a ranking never mixes two scales.
func (a *asking) weighed(ctx context.Context, order []int) ([]float64, error) {
	odds, next := make([]float64, len(a.docs)), 0
	weigh := func(ctx context.Context, doc int) error {
		value, err := a.logOdds(ctx, doc)
		switch {
		case a.Scale() == Verdicts:
			return nil
		case !a.unused(err) && err != nil:
			return err
		case err == nil:
			a.note(doc, value > 0)
		}
		odds[doc] = value
		return nil
	}
	a.deciding.Lock()
	for ; next < len(order) && a.Scale() == ""; next++ {
		if err := weigh(ctx, order[next]); err != nil {
			a.deciding.Unlock()
			return nil, err
		}
	}
	a.deciding.Unlock()
	if a.Scale() == Verdicts {
		return nil, nil
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(a.opts.Parallel)
	for _, doc := range order[next:] {
		group.Go(func() error { return weigh(ctx, doc) })
	}
	return odds, group.Wait()
}

// logOdds asks about a document by one token. It sets the scale if the answer shows it: a
// recording of an earlier infbench has no such question.
func (a *asking) logOdds(ctx context.Context, doc int) (odds float64, err error) {
	r := a.request(a.query, chat.Fence(passage, a.text(a.docs[doc])), oneWord)
	r.Schema, r.MaxTokens, r.Logprobs = nil, 1, likeliest
	bounded := false
	_, err = a.asker.AskChecked(ctx, r, func(answer chat.Answer) (err error) {
		odds, bounded, err = oddsOf(answer.Top)
		return err
	})
	a.mu.Lock()
	defer a.mu.Unlock()
	if bounded {
		a.bounded++
	}
	switch class := chat.ClassOf(err); {
	case a.scale != "":
	case class == "" || class == chat.NoVerdict:
		a.scale = LogOdds
	case class == chat.NoLogprobs || class == chat.NotRecorded:
		a.scale = Verdicts
	}
	return odds, err
}

// likeliest is how many tokens are asked for with their log-probabilities: as many as OpenAI and
// vLLM give.
const likeliest = 20

// The tokens that mean yes and no. A token with a space is another token. Their probabilities add up.
var (
	yesTokens = []string{"yes", "Yes", "YES", " yes", " Yes", " YES"}
	noTokens  = []string{"no", "No", "NO", " no", " No", " NO"}
)

// oddsOf returns the log-odds of yes against no among the likeliest tokens. A word that is not among
// them gets the smallest listed probability, which bounds the log-odds. Without both, the error has
// the class NoVerdict.
func oddsOf(top []chat.Token) (odds float64, bounded bool, err error) {
	least := math.Inf(1)
	for _, t := range top {
		least = min(least, t.Logprob)
	}
	yes, no := logSum(top, yesTokens), logSum(top, noTokens)
	switch none := math.Inf(-1); {
	case yes == none && no == none:
		var texts []string
		for _, t := range top[:min(3, len(top))] {
			texts = append(texts, fmt.Sprintf("%q", t.Text))
		}
		return 0, false, &chat.Error{Class: chat.NoVerdict, Err: fmt.Errorf("neither yes nor no is among the %d likeliest first tokens of the answer (%s ...); a model that thinks first needs --reasoning or --answer-tokens, and is then asked for words",
			len(top), strings.Join(texts, ", "))}
	case yes == none:
		yes, bounded = least, true
	case no == none:
		no, bounded = least, true
	}
	return yes - no, bounded, nil
}

// logSum returns the logarithm of the summed probabilities of some tokens; -Inf if none is listed.
func logSum(top []chat.Token, texts []string) float64 {
	var listed []float64
	for _, t := range top {
		if slices.Contains(texts, t.Text) {
			listed = append(listed, t.Logprob)
		}
	}
	if len(listed) == 0 {
		return math.Inf(-1)
	}
	return floats.LogSumExp(listed)
}

// spread writes the log-odds as scores. Equal ones become neighbouring numbers, so that these
// documents keep their order.
func spread(order []int, odds, scores []float64) {
	sorted := slices.Clone(order)
	slices.SortStableFunc(sorted, func(x, y int) int { return cmp.Compare(odds[y], odds[x]) })
	last := math.Inf(1)
	for _, doc := range sorted {
		last = min(odds[doc], math.Nextafter(last, math.Inf(-1)))
		scores[doc] = last
	}
}
