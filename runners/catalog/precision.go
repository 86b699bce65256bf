package catalog

import (
	"context"
	"errors"
	"strings"

	"infbench/datasets"
	"infbench/metrics/trec"
	"infbench/runners"
	"infbench/runners/results"
	"infbench/training/encoder"
)

// The sample of each task that is scored again in float32: a number of queries, and of
// documents for each.
const (
	deviationQueries   = 20
	deviationDocuments = 20
)

// narrowed ranks by products in a lower precision than float32, and scores a sample of each
// ranking again in float32.
type narrowed struct {
	runners.Retriever
	exact     runners.Retriever             // with the same weights
	set       func(encoder.Precision) error // sets the precision of both
	precision encoder.Precision
	narrower  string // description of the lower precision
	opener    *Opener
}

// Narrow sets the precision of a model. It returns a retriever that measures how far its scores
// differ from those of exact, and adds the results to Deviations. exact must read the same
// weights and keep no vectors. For float32 it returns the retriever itself.
func (m *Opener) Narrow(p encoder.Precision, model, exact runners.Retriever, set func(encoder.Precision) error) (runners.Retriever, error) {
	return m.narrowTo(p, "", model, exact, set)
}

// narrowTo is Narrow for a model whose scores also differ for another reason, also; it may be
// "".
func (m *Opener) narrowTo(p encoder.Precision, also string, model, exact runners.Retriever, set func(encoder.Precision) error) (runners.Retriever, error) {
	var narrower []string
	if p != "" && p != encoder.Float32 {
		narrower = append(narrower, string(p))
	}
	if also != "" {
		narrower = append(narrower, also)
	}
	if len(narrower) == 0 {
		return model, nil
	}
	return &narrowed{model, exact, set, p, strings.Join(narrower, " and "), m}, set(p)
}

// Retrieve implements runners.Retriever.
func (n *narrowed) Retrieve(ctx context.Context, task *datasets.Task, depth int) (trec.Run, error) {
	run, err := n.Retriever.Retrieve(ctx, task, depth)
	if err != nil {
		return nil, err
	}
	if err := n.set(encoder.Float32); err != nil {
		return nil, err
	}
	d, err := runners.Deviate(ctx, n.exact, task, run, deviationQueries, deviationDocuments)
	n.opener.Deviations = append(n.opener.Deviations, results.Deviation{
		Precision: n.narrower, Task: task.Name, Queries: d.Queries, Pairs: d.Pairs, Mean: d.Mean, Max: d.Max,
	})
	return run, errors.Join(err, n.set(n.precision))
}
