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

// What is scored again in float32 of each task: so many queries, and so many documents
// of each.
const (
	deviationQueries   = 20
	deviationDocuments = 20
)

// narrowed ranks by products in a narrower precision than float32 and scores a sample of
// each ranking again in float32.
type narrowed struct {
	runners.Retriever
	exact     runners.Retriever             // by the same weights
	set       func(encoder.Precision) error // of both
	precision encoder.Precision
	narrower  string // what scores are narrower by, in words
	opener    *Opener
}

// Narrow sets the precision of a model and returns its retriever as one that measures
// how far its scores lie from those of exact, which must read the same weights and keep
// no vectors. What it finds is in Deviations. In float32 it is the retriever itself.
func (m *Opener) Narrow(p encoder.Precision, model, exact runners.Retriever, set func(encoder.Precision) error) (runners.Retriever, error) {
	return m.narrowTo(p, "", model, exact, set)
}

// narrowTo is Narrow of a model whose scores are narrower than those of exact by something
// else, too; "" is nothing.
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
