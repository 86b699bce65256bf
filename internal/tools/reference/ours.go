package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/gomlx/compute"

	"infbench/datasets"
	"infbench/metrics/trec"
	"infbench/runners/catalog"
	"infbench/runners/device"
	"infbench/training/encoder"
)

// texts are the texts that both sides read.
type texts struct {
	Queries   []string `json:"queries"`
	Documents []string `json:"documents"`
}

// ours is our side: folders are opened as by evaluate and encode.
type ours struct {
	texts   texts
	task    *datasets.Task
	backend compute.Backend // for direct calls of training/encoder
}

// newOurs reads a file of texts.
func newOurs(file string) (*ours, error) {
	var t texts
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &t)
	}
	if err != nil {
		return nil, err
	}
	options := device.Options{Device: device.GoDevice}
	backend, err := options.Open()
	if err != nil {
		return nil, err
	}
	task := &datasets.Task{Name: "texts", Candidates: map[string][]string{}}
	var docs datasets.MemoryCorpus
	for i, text := range t.Documents {
		docs = append(docs, datasets.Document{ID: number(i), Text: text})
	}
	task.Corpus = docs
	for i, text := range t.Queries {
		task.Queries = append(task.Queries, datasets.Query{ID: number(i), Text: text})
		for j := range t.Documents {
			task.Candidates[number(i)] = append(task.Candidates[number(i)], number(j))
		}
	}
	return &ours{t, task, backend}, nil
}

// number is the ID of a text.
func number(i int) string { return fmt.Sprintf("%03d", i) }

// answer is a side's results for a folder. Token vectors have a row for each token; dense and
// sparse vectors have one row. Texts that a side could not read are nil.
type answer struct {
	Queries     []rows    `json:"queries"`
	Documents   []rows    `json:"documents"`
	QueryIDs    [][]int32 `json:"query_ids"`
	DocumentIDs [][]int32 `json:"document_ids"`
	Scores      [][]value `json:"scores"`
	Errors      []string  `json:"errors"`
}

// read opens a folder and reads all texts. A panic is a bug of ours.
func (o *ours) read(ctx context.Context, kind, folder string) (a answer, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	if a.Scores, err = o.scores(ctx, folder); err != nil {
		return a, err
	}
	switch kind {
	case "dense":
		err = o.dense(ctx, folder, &a)
	case "sparse":
		err = o.sparse(ctx, folder, &a)
	case "late":
		err = o.late(ctx, folder, &a)
	}
	return a, err
}

func options(folder string) catalog.ModelOptions {
	return catalog.ModelOptions{Model: folder, Depth: 1, Options: device.Options{Device: device.GoDevice}}
}

// scores ranks all documents for each query, as evaluate does.
func (o *ours) scores(ctx context.Context, folder string) (all [][]value, err error) {
	opener := catalog.Opener{ModelOptions: options(folder)}
	defer func() { err = errors.Join(err, opener.Close()) }()
	model, err := opener.Open()
	if err != nil {
		return nil, err
	}
	run, err := model.Retrieve(ctx, o.task, len(o.texts.Documents))
	if err != nil {
		return nil, err
	}
	for i := range o.texts.Queries {
		row := make([]value, len(o.texts.Documents))
		for j := range row {
			at := slices.IndexFunc(run[number(i)], func(d trec.Scored) bool { return d.Doc == number(j) })
			if at < 0 {
				return nil, fmt.Errorf("query %d: document %d is not ranked", i, j)
			}
			row[j] = value(run[number(i)][at].Score)
		}
		all = append(all, row)
	}
	return all, nil
}

func (o *ours) dense(ctx context.Context, folder string, a *answer) (err error) {
	opener := catalog.Opener{ModelOptions: options(folder)}
	defer func() { err = errors.Join(err, opener.Close()) }()
	enc, err := opener.OpenEncoder()
	if err != nil {
		return err
	}
	none := make([]string, len(o.texts.Queries)+len(o.texts.Documents))
	q, d := make([]float32, len(o.texts.Queries)*enc.Dim()), make([]float32, len(o.texts.Documents)*enc.Dim())
	if err := enc.EncodeQueries(ctx, o.texts.Queries, none[:len(o.texts.Queries)], q); err != nil {
		return err
	}
	if err := enc.EncodeDocuments(ctx, none[:len(o.texts.Documents)], o.texts.Documents, d); err != nil {
		return err
	}
	for v := range slices.Chunk(q, enc.Dim()) {
		a.Queries = append(a.Queries, rows{asRow(v)})
	}
	for v := range slices.Chunk(d, enc.Dim()) {
		a.Documents = append(a.Documents, rows{asRow(v)})
	}
	if network, ok := enc.(*encoder.Encoder); ok {
		o.ids(a, network, network)
	}
	return nil
}

// ids records the IDs that the networks of queries and documents read.
func (o *ours) ids(a *answer, queries, documents *encoder.Encoder) {
	for _, text := range o.texts.Queries {
		a.QueryIDs = append(a.QueryIDs, queries.Tokens().Query(text, ""))
	}
	for _, text := range o.texts.Documents {
		a.DocumentIDs = append(a.DocumentIDs, documents.Tokens().Document("", text))
	}
}

func (o *ours) sparse(ctx context.Context, folder string, a *answer) error {
	model, err := encoder.OpenSparse(folder, o.backend)
	if err != nil {
		return err
	}
	none := make([]string, len(o.texts.Queries)+len(o.texts.Documents))
	terms, weights, counts, err := model.EncodeQueryTerms(ctx, o.texts.Queries, none[:len(o.texts.Queries)])
	if err != nil {
		return err
	}
	a.Queries = spread(terms, weights, counts, model.Terms())
	terms, weights, counts, err = model.EncodeDocumentTerms(ctx, none[:len(o.texts.Documents)], o.texts.Documents)
	if err != nil {
		return err
	}
	a.Documents = spread(terms, weights, counts, model.Terms())
	if networks := model.Networks(); len(networks) == 1 {
		o.ids(a, networks[0], networks[0])
	}
	return nil
}

// spread writes sparse vectors with all their zeros.
func spread(terms []int32, weights []float32, counts []int, width int) (all []rows) {
	at := 0
	for _, n := range counts {
		row := make([]value, width)
		for ; n > 0; n-- {
			row[terms[at]] = value(weights[at])
			at++
		}
		all = append(all, rows{row})
	}
	return all
}

func (o *ours) late(ctx context.Context, folder string, a *answer) error {
	model, err := encoder.OpenMultiVector(folder, o.backend)
	if err != nil {
		return err
	}
	none := make([]string, len(o.texts.Queries)+len(o.texts.Documents))
	values, counts, err := model.EncodeQueryTokens(ctx, o.texts.Queries, none[:len(o.texts.Queries)])
	if err != nil {
		return err
	}
	a.Queries = split(values, counts, model.Dim())
	values, counts, err = model.EncodeDocumentTokens(ctx, none[:len(o.texts.Documents)], o.texts.Documents)
	if err != nil {
		return err
	}
	a.Documents = split(values, counts, model.Dim())
	return nil
}

func split(values []float32, counts []int, dim int) (all []rows) {
	at := 0
	for _, n := range counts {
		var r rows
		for ; n > 0; n-- {
			r = append(r, asRow(values[at:at+dim]))
			at += dim
		}
		all = append(all, r)
	}
	return all
}

func asRow(v []float32) []value {
	row := make([]value, len(v))
	for i, x := range v {
		row[i] = value(x)
	}
	return row
}
