package results

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"infbench/runners/spec"
	"infbench/training/setting"
)

// Config is the resolved configuration of a trial, flattened to dotted keys with values as the
// YAML prints them. Settings that were left out are not in it.
type Config map[string]string

// Keys that the code uses by name. The function Keys lists all.
const (
	Model       = "model" // "tiny-bert" (trained), or a baseline
	Data        = "data"
	World       = "world"
	Drop        = "drop"  // poisoned parts of the records that training left out
	Share       = "share" // share or number of the records
	Judge       = "judge" // judge whose verdicts selected the records
	Backbone    = "backbone"
	Loss        = "loss" // only for models trained here
	Interaction = "interaction"
	Seed        = "seed"

	ShareEncoder   = "design.share_encoder"
	Pooling        = "design.pooling"
	PaddingSide    = "design.padding_side"
	TruncationSide = "design.truncation_side"
	Prompts        = "design.prompts"
	Join           = "design.join"
	Concat         = "design.concat"
	MaxQuery       = "design.max_query_tokens"
	MaxDocument    = "design.max_document_tokens"

	Precision    = "train.precision"
	LearningRate = "train.lr"
	Epochs       = "train.epochs"
	Steps        = "train.steps"
	StepsOf      = "train.steps_of" // data for which the epochs would take the same number of steps
	Temperature  = "train.temperature"
	Fidelity     = "train.fidelity"
	Dropout      = "train.dropout"

	ValidateMeasure = "validate.measure"

	TrainedConcat = "train.concat" // order in training, if evaluation has another

	First          = "first"
	Depth          = "depth"
	Fuse           = "fuse"
	Similarity     = "similarity"
	Storage        = "storage" // of token vectors, if it is not float32
	QueryPrompt    = "query_prompt"
	DocumentPrompt = "document_prompt"
	Index          = "index.engine" // of an approximate search
	EvaluatedIn    = "precision"    // of evaluation, if it is not float32
	CutTo          = "dims"         // number of values to which vectors were cut for evaluation
	Tasks          = "tasks"        // of old evaluations that were identified by their results
	RemoteAPI      = "remote_api"
	RemoteURL      = "url"
	RemoteModel    = "remote_model"
	Dim            = "dim"
	QueryTemplate  = "query_template"
	ChatModel      = "chat.model"
	ChatURL        = "chat.url"
	ChatHow        = "chat.how"
	ChatPrompts    = "chat.prompts"
	Probe          = "probe" // how instructions were replaced

	Card    = "card"    // published models' cards used for reading texts, each with a hash of its content
	Weights = "weights" // SHA-256 of a model's files, including its tokenizer; absent without files and for models trained here from scratch

	Imported = "imported" // formats that the numbers were imported from
	Revision = "revision" // of an imported model
)

// Key is a setting that a Config can contain.
type Key = setting.Setting

// made are the keys of a Config that are not settings of a cell: sweep, evaluate and import add
// them.
var made = []Key{
	{Name: Tasks, Label: "tasks", Group: setting.OfEvaluation},
	{Name: Probe, Label: "instructions replaced", Group: setting.OfEvaluation},
	{Name: Card, Label: "model card by which texts are read", Group: setting.OfContent},
	{Name: Weights, Label: "SHA-256 of weights and tokenizer", Group: setting.OfContent},
	{Name: Imported, Label: "imported from", Group: setting.OfImport},
	{Name: Revision, Label: "model revision", Group: setting.OfImport},
}

// allKeys is computed once: reports ask for a key of every value that they print.
var allKeys = sync.OnceValue(func() []Key {
	list := append(spec.Settings(), made...)
	slices.SortStableFunc(list, func(a, b Key) int {
		return slices.Index(setting.Groups(), a.Group) - slices.Index(setting.Groups(), b.Group)
	})
	return list
})

// Keys lists all settings by group. The settings of a group are in the order of a cell.
func Keys() []Key { return slices.Clone(allKeys()) }

// KeyOf returns a setting by its name, or the zero value.
func KeyOf(name string) Key { return setting.Find(allKeys(), name) }

// Kind distinguishes trained systems, the systems that they are compared with, and the systems
// that show whether a measure can discriminate at all.
type Kind string

// Kinds of systems.
const (
	TrainedKind  Kind = "trained"
	BaselineKind Kind = "baseline"
	NullKind     Kind = "null"
)

// Untrained is the Model of a backbone before training.
const Untrained = spec.Untrained

// Kind returns the kind of a system. A system with a loss was trained here.
func (c Config) Kind() Kind {
	if c[Loss] != "" {
		return TrainedKind
	}
	if b, ok := spec.FindBaseline(c[Model]); ok && b.Null {
		return NullKind
	}
	return BaselineKind
}

// Run names a run of a configuration by its seed, if its numbers depend on the seed. Sweep and
// evaluate record different seeds for systems that no seed changes; their runs count as one.
// Run returns "" if no seed is recorded.
func (c Config) Run() string {
	if c[Seed] == "" || c[Loss] != "" || c[Imported] != "" {
		return c[Seed]
	}
	known := true
	for _, model := range append(strings.Split(c[Fuse], "+"), c[Model], c[First]) {
		b, ok := spec.FindBaseline(model)
		if slices.Contains(b.Depends, Seed) {
			return c[Seed]
		}
		known = known && (ok || model == "")
	}
	if known || c[Weights] != "" {
		return "unseeded"
	}
	return c[Seed]
}

// SameSystem reports whether two configurations differ only in the seed and in the tasks of the
// evaluation.
func (c Config) SameSystem(other Config) bool {
	one, two := maps.Clone(c), maps.Clone(other)
	for _, key := range []string{Seed, Tasks} {
		delete(one, key)
		delete(two, key)
	}
	return maps.Equal(one, two)
}

// Network reports whether a network may have computed a system's numbers. Rankings of baselines
// without a network are the same on any device, unless another model takes part.
func (c Config) Network() bool {
	return c[First] != "" || c[Fuse] != "" || !slices.Contains(spec.ReadyBaselines(), c[Model])
}
