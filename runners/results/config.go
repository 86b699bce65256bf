package results

import (
	"slices"

	"infbench/runners/spec"
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

	First         = "first"
	Depth         = "depth"
	Fuse          = "fuse"
	Similarity    = "similarity"
	Storage       = "storage"      // of vectors of tokens, where it is not float32
	Index         = "index.engine" // of a search that is not exact
	EvaluatedIn   = "precision"    // of evaluation, where it is not float32
	CutTo         = "dims"         // values that vectors were cut to for evaluation
	Tasks         = "tasks"        // of evaluations of before that was told by their results
	RemoteAPI     = "remote_api"
	RemoteURL     = "url"
	RemoteModel   = "remote_model"
	Dim           = "dim"
	QueryTemplate = "query_template"
	ChatModel     = "chat.model"
	ChatURL       = "chat.url"
	ChatHow       = "chat.how"
	ChatPrompts   = "chat.prompts"
	Probe         = "probe" // how instructions were replaced

	Card    = "card"    // by which published models' cards texts were read, each with a hash of what it says
	Weights = "weights" // SHA-256 of what a model was read from, tokenizer included; not of what has none, nor of what was trained here from none

	Imported = "imported" // the formats that the numbers were taken over from
	Revision = "revision" // of an imported model
)

// Group says what a key is about.
type Group string

// The groups.
const (
	OfData       Group = "data"
	OfModel      Group = "model"
	OfDesign     Group = "design"
	OfTraining   Group = "training"
	OfValidation Group = "validation"
	OfEvaluation Group = "evaluation" // of a model that was evaluated by itself
	OfContent    Group = "content"    // what was read, as far as no name tells it
	OfImport     Group = "import"
)

// Key is a setting that a Config can hold.
type Key struct {
	Name, Label string
	Group       Group
}

// settings are all settings that sweep, evaluate and import write.
var settings = []Key{
	{Model, "model", OfModel},
	{Backbone, "backbone", OfModel},
	{Loss, "loss", OfModel},
	{Interaction, "how instruction and query meet", OfModel},
	{Seed, "seed", OfTraining},
	{Data, "training data", OfData},
	{World, "generated world", OfData},
	{Drop, "poisoned parts left out", OfData},
	{Share, "share or number of records", OfData},
	{Judge, "judge who kept the records", OfData},

	{ShareEncoder, "one encoder for queries and documents", OfDesign},
	{Pooling, "pooling", OfDesign},
	{PaddingSide, "padding side", OfDesign},
	{TruncationSide, "truncation side", OfDesign},
	{Prompts, "prompts", OfDesign},
	{Join, "joining order", OfDesign},
	{Concat, "order of instruction and query", OfDesign},
	{MaxQuery, "longest query, in tokens", OfDesign},
	{MaxDocument, "longest document, in tokens", OfDesign},

	{Epochs, "epochs", OfTraining},
	{Steps, "steps", OfTraining},
	{StepsOf, "as many steps as the epochs take on", OfTraining},
	{"train.rows_per_group", "rows a group", OfTraining},
	{"train.groups", "groups a step", OfTraining},
	{"train.last_batch", "records that fill no batch", OfTraining},
	{"train.batches", "sources of a batch", OfTraining},
	{"train.drop_overlap", "without records that stand in the tests", OfTraining},
	{"train.chunk", "sequences embedded at a time", OfTraining},
	{"train.accumulate", "batches a step", OfTraining},
	{LearningRate, "learning rate", OfTraining},
	{"train.schedule", "schedule", OfTraining},
	{"train.warmup", "warm-up", OfTraining},
	{"train.weight_decay", "weight decay", OfTraining},
	{"train.decay_all", "decay of biases and norms", OfTraining},
	{"train.clip", "largest gradient norm", OfTraining},
	{"train.dropout", "dropout", OfTraining},
	{Precision, "precision", OfTraining},
	{"train.checkpointing", "activations computed again", OfTraining},
	{"train.freeze", "frozen layers", OfTraining},
	{"train.lora.r", "LoRA rank", OfTraining},
	{"train.lora.alpha", "LoRA alpha", OfTraining},
	{"train.lora.targets", "LoRA layers", OfTraining},
	{"train.lora.dropout", "LoRA dropout", OfTraining},
	{"train.evaluate_every", "steps between evaluations", OfTraining},
	{"train.patience", "patience", OfTraining},
	{Temperature, "temperature", OfTraining},
	{Fidelity, "fidelity to the paper or its code", OfTraining},
	{"train.duplicates", "equal passages in a batch", OfTraining},
	{"train.iq_term", "term of instruction and query", OfTraining},
	{"train.instruction_negatives.scope", "where instruction negatives come from", OfTraining},
	{"train.instruction_negatives.divisor", "divisor of instruction negatives", OfTraining},
	{"train.instruction_negatives.own_hard", "a row's own hard instruction", OfTraining},
	{"train.instruction_negatives.equal", "equal instructions in a batch", OfTraining},
	{"train.bias", "bias of the sigmoid", OfTraining},
	{"train.negatives", "mined negatives a row", OfTraining},
	{"train.false_negatives.equal", "equal texts in a batch", OfTraining},
	{"train.false_negatives.guide", "who tells false negatives", OfTraining},
	{"train.false_negatives.margin", "margin of false negatives", OfTraining},
	{"train.false_negatives.relative", "margin as a share of the positive's score", OfTraining},
	{"train.false_negatives.own", "a row's own negatives under the guide", OfTraining},
	{"train.hardness.alpha", "hardness of negatives", OfTraining},
	{"train.hardness.on", "negatives made harder", OfTraining},
	{"train.focal", "focal weight", OfTraining},
	{"train.spread", "spread-out weight", OfTraining},
	{"train.distill.teacher", "teacher", OfTraining},
	{"train.distill.loss", "distance to the teacher", OfTraining},
	{"train.distill.list", "passages the teacher scores", OfTraining},
	{"train.distill.share", "share of distillation", OfTraining},
	{"train.distill.temperature", "temperature of the teacher", OfTraining},
	{"train.matryoshka.dims", "widths trained", OfTraining},
	{"train.matryoshka.weights", "weights of the widths", OfTraining},
	{"train.matryoshka.per_step", "widths a batch", OfTraining},
	{"train.concat", "order of instruction and query in training", OfTraining},

	{"validate.data", "validation data", OfValidation},
	{"validate.world", "validation world", OfValidation},
	{"validate.task", "validation task", OfValidation},
	{"validate.measure", "validation measure", OfValidation},
	{"validate.queries", "validation queries", OfValidation},
	{"validate.share", "validation share", OfValidation},

	{First, "first stage", OfEvaluation},
	{Depth, "documents of the first stage", OfEvaluation},
	{Fuse, "fused with", OfEvaluation},
	{Similarity, "similarity", OfEvaluation},
	{Storage, "storage of vectors of tokens", OfEvaluation},
	{Index, "approximate search by", OfEvaluation},
	{"index.neighbors", "links of a vector (M of HNSW)", OfEvaluation},
	{"index.build", "vectors looked at to link one (efConstruction)", OfEvaluation},
	{"index.search", "vectors looked at for a query (ef)", OfEvaluation},
	{EvaluatedIn, "precision of evaluation", OfEvaluation},
	{CutTo, "values of a vector", OfEvaluation},
	{Tasks, "tasks", OfEvaluation},
	{RemoteAPI, "remote interface", OfEvaluation},
	{RemoteURL, "remote address", OfEvaluation},
	{RemoteModel, "remote model", OfEvaluation},
	{Dim, "values of a remote model's vectors", OfEvaluation},
	{QueryTemplate, "query template", OfEvaluation},
	{ChatModel, "language model that orders", OfEvaluation},
	{ChatURL, "its address", OfEvaluation},
	{ChatHow, "how it is asked", OfEvaluation},
	{"chat.window", "documents of a window", OfEvaluation},
	{"chat.step", "documents that a window moves by", OfEvaluation},
	{"chat.orders", "orders in which a window is given", OfEvaluation},
	{"chat.passes", "passes of pairwise comparison", OfEvaluation},
	{"chat.bytes", "bytes of a document that it sees", OfEvaluation},
	{"chat.tokens", "tokens that an answer may have", OfEvaluation},
	{"chat.structure", "how the form of answers is asked for", OfEvaluation},
	{"chat.reasoning", "it thinks before it answers", OfEvaluation},
	{ChatPrompts, "hash of the prompts", OfContent},
	{Probe, "instructions replaced", OfEvaluation},

	{Card, "model card by which texts are read", OfContent},
	{Weights, "SHA-256 of weights and tokenizer", OfContent},

	{Imported, "taken over from", OfImport},
	{Revision, "model revision", OfImport},
}

// Keys lists every setting there is, those of one group together or nearly so, in
// an order that stays.
func Keys() []Key { return slices.Clone(settings) }

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

// Network says whether a network can have computed a system's numbers: rankings of
// baselines that have none are the same on any device, unless another model joins in.
func (c Config) Network() bool {
	return c[First] != "" || c[Fuse] != "" || !slices.Contains(spec.ReadyBaselines(), c[Model])
}
