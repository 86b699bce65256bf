package results

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"infbench/runners/spec"
	"infbench/training/setting"
)

// Config is what was asked for: the resolved configuration of a trial, flattened
// to dotted keys with values as the YAML prints them. What was left out is not in
// it.
type Config map[string]string

// The keys that code asks for by name; Keys lists all there are.
const (
	Model       = "model" // what was run: "tiny-bert" (trained), or a baseline
	Data        = "data"
	World       = "world"
	Drop        = "drop"  // poisoned parts of the records that were trained on without
	Share       = "share" // of the records, or how many
	Judge       = "judge" // whose verdicts kept the records
	Backbone    = "backbone"
	Loss        = "loss" // of what was trained here
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
	StepsOf      = "train.steps_of" // data on which the epochs would take as many steps as were taken
	Temperature  = "train.temperature"
	Fidelity     = "train.fidelity"
	Dropout      = "train.dropout"

	TrainedConcat = "train.concat" // of training, where it differs from evaluation

	First          = "first"
	Depth          = "depth"
	Fuse           = "fuse"
	Similarity     = "similarity"
	Storage        = "storage" // of vectors of tokens, where it is not float32
	QueryPrompt    = "query_prompt"
	DocumentPrompt = "document_prompt"
	Index          = "index.engine" // of a search that is not exact
	EvaluatedIn    = "precision"    // of evaluation, where it is not float32
	CutTo          = "dims"         // values that vectors were cut to for evaluation
	Tasks          = "tasks"        // of evaluations of before that was told by their results
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

	Card    = "card"    // by which published models' cards texts were read, each with a hash of what it says
	Weights = "weights" // SHA-256 of what a model was read from, tokenizer included; not of what has none, nor of what was trained here from none

	Imported = "imported" // the formats that the numbers were taken over from
	Revision = "revision" // of an imported model
)

// Key is a setting that a Config can hold.
type Key = setting.Setting

// made are the keys of a Config that are no settings of a cell: sweep, evaluate and import
// add them.
var made = []Key{
	{Name: Tasks, Label: "tasks", Group: setting.OfEvaluation},
	{Name: Probe, Label: "instructions replaced", Group: setting.OfEvaluation},
	{Name: Card, Label: "model card by which texts are read", Group: setting.OfContent},
	{Name: Weights, Label: "SHA-256 of weights and tokenizer", Group: setting.OfContent},
	{Name: Imported, Label: "taken over from", Group: setting.OfImport},
	{Name: Revision, Label: "model revision", Group: setting.OfImport},
}

// allKeys are made once: reports ask for a key of every value that they print.
var allKeys = sync.OnceValue(func() []Key {
	list := append(spec.Settings(), made...)
	slices.SortStableFunc(list, func(a, b Key) int {
		return slices.Index(setting.Groups(), a.Group) - slices.Index(setting.Groups(), b.Group)
	})
	return list
})

// Keys lists every setting there is by groups, those of one in the order in which a cell
// has them.
func Keys() []Key { return slices.Clone(allKeys()) }

// KeyOf finds a setting by its name; the zero value where there is none.
func KeyOf(name string) Key { return setting.Find(allKeys(), name) }

// Kind sorts systems into what was trained, what it is compared with, and what
// shows that a measure can tell something from nothing.
type Kind string

// The kinds.
const (
	TrainedKind  Kind = "trained"
	BaselineKind Kind = "baseline"
	NullKind     Kind = "null"
)

// Untrained is the Model of a backbone before training.
const Untrained = spec.Untrained

// Kind tells what a system is: what has a loss was trained here.
func (c Config) Kind() Kind {
	if c[Loss] != "" {
		return TrainedKind
	}
	if b, ok := spec.FindBaseline(c[Model]); ok && b.Null {
		return NullKind
	}
	return BaselineKind
}

// Run names a run of a configuration by the seed that its numbers depend on: sweep and
// evaluate record different seeds of what no seed changes, which is one run. It is "" where
// no seed is recorded.
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

// SameSystem reports whether two configurations differ in nothing but the seed, and in what
// they were evaluated on.
func (c Config) SameSystem(other Config) bool {
	one, two := maps.Clone(c), maps.Clone(other)
	for _, key := range []string{Seed, Tasks} {
		delete(one, key)
		delete(two, key)
	}
	return maps.Equal(one, two)
}

// Network says whether a network can have computed a system's numbers: rankings of
// baselines that have none are the same on any device, unless another model joins in.
func (c Config) Network() bool {
	return c[First] != "" || c[Fuse] != "" || !slices.Contains(spec.ReadyBaselines(), c[Model])
}
