package catalog

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"infbench/datasets"
	"infbench/datasets/curate"
	"infbench/internal/usage"
	"infbench/runners/device"
	"infbench/training/encoder"
)

// PairJudge is a judge that uses a model that scores pairs, like FollowIR-7B in the paper's
// Figure 4. It picks the candidate with the highest probability of relevance. It is unsure
// unless exactly one candidate is above one half, and picks none if two are highest.
type PairJudge struct {
	name, model, identity string

	opener   Opener
	weights  catalogWeights
	reranker *pairReranker
	turn     sync.Mutex // one question at a time uses the device
}

var _ curate.Judge = (*PairJudge)(nil)

// CheckPairJudge returns an error if a model cannot be a judge: an unknown name, or a model
// that does not score pairs. A model of the hub need not be here yet.
func CheckPairJudge(model string) error {
	m, err := checkModel(model)
	if err == nil && m.Finds {
		err = usage.Errorf("model %s does not score pairs: want a cross-encoder, or a language model with a judge section in infbench.json (prompt with {query} and {document}, yes, no)", model)
	}
	return err
}

// NewPairJudge finds the files of a model; its revision is part of the identity. Open reads the
// files.
func NewPairJudge(name, model string, options device.Options) (*PairJudge, error) {
	w, err := findWeights(model)
	if err != nil {
		return nil, err
	}
	j := &PairJudge{name: name, model: w.name, weights: w, opener: Opener{ModelOptions: ModelOptions{Model: model, Depth: 1, Options: options}}}
	revision, err := w.revision()
	if err != nil {
		return nil, err
	}
	card, err := w.cardMark()
	j.identity = curate.Hash("pair judge", name, revision, card)
	return j, err
}

// PairJudgeRevision pins a judging model by its files and its card.
func PairJudgeRevision(model string) (string, error) {
	revision, err := modelRevision(model)
	if err != nil {
		return "", err
	}
	card, err := cardRevision(model)
	if card != "" {
		revision += " " + card
	}
	return revision, err
}

// Open opens the network.
func (j *PairJudge) Open() error {
	err := CheckPairJudge(j.opener.Model)
	if err == nil {
		err = j.opener.check()
	}
	if err == nil {
		j.reranker, err = j.opener.reranker(&j.weights)
	}
	if err != nil {
		return fmt.Errorf("judge %s: %w", j.name, err)
	}
	return nil
}

// Close frees the device.
func (j *PairJudge) Close() error { return j.opener.Close() }

// Name, Identity and Forecast implement curate.Judge. It pays for no tokens.
func (j *PairJudge) Name() string                              { return j.name }
func (j *PairJudge) Identity() string                          { return j.identity }
func (j *PairJudge) Forecast(*curate.Question) curate.Forecast { return curate.Forecast{Questions: 1} }

// Choose implements curate.Judge.
func (j *PairJudge) Choose(ctx context.Context, q *curate.Question) (curate.Pick, curate.Step, error) {
	j.turn.Lock()
	defer j.turn.Unlock()
	step := curate.Step{Part: curate.Verdict, By: j.name, Model: j.model, Request: curate.Hash(j.identity, q)}
	docs, probabilities := make([]datasets.Document, len(q.Candidates)), make([]float64, len(q.Candidates))
	for i, c := range q.Candidates {
		docs[i].Text = c.Text
	}
	err := j.reranker.Rerank(ctx, datasets.Query{Text: q.Query, Instruction: q.Instruction}, docs, probabilities)
	if errors.Is(err, encoder.ErrTooLong) {
		step.Response = curate.Hash(err.Error())
		return curate.Pick{}, step, &curate.Fault{Why: "too long", Step: step, Err: err}
	}
	for i, score := range probabilities {
		if probabilities[i] = j.reranker.model.Probability(score); err == nil && math.IsNaN(score) {
			err = fmt.Errorf("candidate %d has a score that is not a number", i+1)
		}
	}
	if err != nil {
		return curate.Pick{}, step, fmt.Errorf("judge %s: question %s: %w", j.name, q.ID, err)
	}
	step.Response = curate.Hash(probabilities)
	return pickOf(probabilities), step, nil
}

// pickOf is the verdict for given probabilities of relevance.
func pickOf(probabilities []float64) curate.Pick {
	best, relevant, highest := 0, 0, 0 // highest counts the candidates with the highest probability
	for i, p := range probabilities {
		switch {
		case p > probabilities[best]:
			best, highest = i, 1
		case p == probabilities[best]:
			highest++
		}
		if p > .5 {
			relevant++
		}
	}
	pick := curate.Pick{Candidate: best, Unsure: relevant != 1}
	if highest != 1 {
		pick.Candidate, pick.Why = curate.None, curate.NoneFits
	}
	return pick
}
