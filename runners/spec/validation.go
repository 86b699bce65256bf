package spec

import (
	"errors"
	"fmt"
	"slices"

	"infbench/datasets"
	"infbench/internal/nearest"
	"infbench/metrics"
	"infbench/training/setting"
)

// HeldOut is the validation data that is taken out of the training data: records that training
// never sees, each the two sides of an instruction pair.
const HeldOut = "held-out"

// heldOutRecords is the default number of held-out records: enough for a mean over 100 queries,
// and a small part of any training set.
const heldOutRecords = 100

// Validation names the queries on which weights are evaluated during training and
// configurations are selected. They are never those of the test.
type Validation struct {
	Data    string `yaml:"data,omitempty"`    // HeldOut, or a benchmark that the cell is not evaluated on
	World   uint64 `yaml:"world,omitempty"`   // of a generated benchmark; 0: the cell's
	Task    string `yaml:"task,omitempty"`    // of a benchmark; empty: all of them
	Measure string `yaml:"measure,omitempty"` // a measure with a direction
	Queries int    `yaml:"queries,omitempty"` // largest number for a task, or of held-out records; 0: all queries of a benchmark
	// Share is the largest share of the records that is held out, so that a small training set
	// keeps most of them; 0: no limit.
	Share float64 `yaml:"share,omitempty"`
}

// Describe describes the fields of a Validation.
func (Validation) Describe() []setting.Setting {
	return []setting.Setting{
		{Name: "data", Label: "validation data", Unsaid: HeldOut, Meaning: HeldOut + " (records that training does not see), or a benchmark that is not tested on, {mair: [DD_2015]} for tasks", Source: setting.Own},
		{Name: "world", Label: "validation world", Unsaid: "the cell's", Meaning: "seed of the world of a generated benchmark", Source: setting.Own},
		{Name: "task", Label: "validation task", Unsaid: "all", Meaning: "one task of the benchmark", Source: setting.Own},
		{Name: "measure", Label: "validation measure", Unsaid: "required", Meaning: "measure for the choice (infbench list measures); it must have a direction", Source: setting.Own},
		{Name: "queries", Label: "validation queries", Range: "[0,∞)", Unit: "queries of a task, records held out", Unsaid: "all, held out 100", Meaning: "largest number", Source: setting.Own},
		{Name: "share", Label: "validation share", Range: "[0,0.5]", Unit: "share of the training records", Unsaid: "0: no bound", Meaning: "largest part of the records that is held out", Source: setting.Own},
	}
}

// HeldOutOf returns how many records of a training set are held out: Queries, but no more than
// Share of them, and at least one.
func (v Validation) HeldOutOf(records int) int {
	if v.Share == 0 {
		return v.Queries
	}
	return min(v.Queries, max(1, int(v.Share*float64(records))))
}

// Given reports whether a cell is validated.
func (v Validation) Given() bool { return v != Validation{} }

// complete fills in omitted values and checks the rest.
func (v *Validation) complete() error {
	if !v.Given() {
		return nil
	}
	if v.Data == "" {
		v.Data = HeldOut
	}
	if v.Queries == 0 && v.Data == HeldOut {
		v.Queries = heldOutRecords
	}
	if v.Queries < 0 {
		return fmt.Errorf("validate: queries %d: want at least 0", v.Queries)
	}
	if v.Share < 0 || v.Share > 0.5 || v.Share > 0 && v.Data != HeldOut {
		return fmt.Errorf("validate: share %v: want a part of the training records, of %s data, up to 0.5", v.Share, HeldOut)
	}
	if v.Data == HeldOut && (v.Task != "" || v.World != 0) {
		return fmt.Errorf("validate: %s has neither tasks nor a world of its own", HeldOut)
	}
	name, tasks := TasksOf(v.Data)
	if known := append([]string{HeldOut}, datasets.Names()...); !slices.Contains(known, name) || name == HeldOut && tasks != nil {
		return fmt.Errorf("validate: %w", nearest.Unknown("validation data", v.Data, known))
	}
	if tasks != nil && v.Task != "" {
		return fmt.Errorf("validate: task %s and the tasks that data names: give only one of them", v.Task)
	}
	if v.Measure == "" {
		return errors.New("validate: needs a measure, such as nDCG@10 or p-MRR")
	}
	m, _, err := metrics.ParseSelector(v.Measure)
	if err != nil {
		return err
	}
	v.Measure = m.String()
	return nil
}

// checkValidation returns an error for a cell that lacks a validation that it needs, or that
// would be validated on its test.
func (c *Cell) checkValidation(evaluate []string) error {
	v, t := c.Validate, c.Train
	switch {
	case c.Model != Trained:
		return nil
	case t.EvaluateEvery > 0 && !v.Given():
		return fmt.Errorf("train.evaluate_every %d needs a key validate with the data, such as validate: {data: %s, measure: nDCG@10}", t.EvaluateEvery, HeldOut)
	case t.Patience > 0 && t.EvaluateEvery == 0:
		return fmt.Errorf("train.patience %d needs train.evaluate_every", t.Patience)
	case slices.ContainsFunc(evaluate, func(test string) bool { return sharesTasks(test, v.entry()) }) && c.validationWorld() == c.World:
		return fmt.Errorf("validate: %s is also the cell's test; validate on %s, on another benchmark or in another world", v.Data, HeldOut)
	}
	return nil
}

// validationWorld returns the world from which validation data is generated.
func (c *Cell) validationWorld() uint64 {
	if c.Validate.World != 0 {
		return c.Validate.World
	}
	return c.World
}

// inputs lists the inputs of a cell and the world from which each is generated.
func (c *Cell) inputs(evaluate []string) []input {
	var list []input
	for _, name := range c.Reads() {
		list = append(list, input{name, DataInput + name, c.World})
	}
	if c.Backbone != "" {
		list = append(list, input{BackboneInput + c.Backbone, BackboneInput + c.Backbone, 0})
	}
	for _, judge := range c.judges() {
		list = append(list, input{ModelInput + judge, ModelInput + judge, 0})
	}
	list = append(list, c.modelInputs()...)
	for _, entry := range evaluate {
		name, _ := TasksOf(entry)
		list = append(list, input{name, entry, c.World})
	}
	if v := c.Validate; v.Given() && v.Data != HeldOut {
		list = append(list, input{ValidationInput + v.Data, v.Data, c.validationWorld()})
	}
	return list
}

// Resolve asks again for the revisions of all inputs of a trial.
func (t *Trial) Resolve(resolve Resolver) error {
	for _, in := range t.Cell.inputs(t.Evaluate) {
		if _, err := resolve(in.data, in.world); err != nil {
			return fmt.Errorf("resolve %s: %w", in.name, err)
		}
	}
	return nil
}

// DataInput precedes the name of a source of training data for a Resolver, because a benchmark
// may have the same name.
const DataInput = "data: "

// Prefixes of the names under which a trial pins its validation data and the weights that it
// reads. With RemoteInput and ChatInput the resolver is asked for the content of an endpoint,
// which is pinned under ModelInput. With SimilarityInput it is asked how the vectors of a
// backbone are compared, which the cell states unless it is cosine. PooledInput pins that inner
// products skip a model's Normalize module.
const (
	ValidationInput = "validate: "
	BackboneInput   = "backbone: "
	ModelInput      = "model: "
	CardInput       = "card: "
	RemoteInput     = "remote: "
	ChatInput       = "chat: "
	SimilarityInput = "similarity: "
	PooledInput     = "pooled: "
)

// input is a pinned input of a trial.
type input struct {
	name  string // in Trial.Revisions
	data  string
	world uint64
}
