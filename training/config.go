package training

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"infbench/internal/nearest"
	"infbench/training/encoder"
	"infbench/training/setting"
)

// Config configures training: everything except the loss, the encoder and the data. The zero
// value is not useful; start from DefaultConfig. Fields that are empty by default follow the
// preset named by Fidelity.
type Config struct {
	Epochs       int `yaml:"epochs,omitempty"`
	RowsPerGroup int `yaml:"rows_per_group"` // a multiple of the rows of a record (three for a triplet); source of local instruction negatives
	Groups       int `yaml:"groups"`         // groups in a step; in-batch negatives come from all of them
	Chunk        int `yaml:"chunk"`          // sequences embedded at a time, to bound memory; 0: all

	// Steps is the number of optimiser steps. It replaces Epochs: training covers as many epochs,
	// or as much of one, as it needs. Schedule and warm-up refer to all steps.
	Steps int `yaml:"steps,omitempty" json:",omitempty"`

	// StepsOf names training data; training takes as many steps as Epochs epochs take on it. The
	// caller, who knows its size, must turn it into Steps: Train rejects it.
	StepsOf string `yaml:"steps_of,omitempty" json:",omitempty"`

	// LastBatch is the treatment of records that do not fill a batch at the end of an epoch. The
	// default, drop, leaves them out. fill completes their batch with the first records of the
	// epoch, as the trainer of the reference code does (1,212 steps of 32 records for 38,759).
	LastBatch LastBatch `yaml:"last_batch,omitempty"`

	// Accumulate is the number of batches in a step. The loss of the step is the mean of the
	// losses of its batches; each batch uses its own negatives only. 0: one.
	Accumulate int `yaml:"accumulate,omitempty"`

	// Batches selects whether a batch holds records of all sources of a mixture, or of one.
	Batches Batching `yaml:"batches,omitempty" json:",omitempty"`

	// DropOverlap asks the caller, who knows the tests, to remove records that share a query or a
	// passage with the tests before training. Train uses all records that it is given.
	DropOverlap bool `yaml:"drop_overlap,omitempty" json:",omitempty"`

	LearningRate float64 `yaml:"lr"`
	Schedule     string  `yaml:"schedule"` // linear, cosine or constant, after the warm-up
	Warmup       float64 `yaml:"warmup"`   // share of all steps in which the rate climbs from 0
	WeightDecay  float64 `yaml:"weight_decay"`
	DecayAll     bool    `yaml:"decay_all"` // decay biases and norms too, as a single AdamW group does
	Clip         float64 `yaml:"clip"`      // largest global gradient norm; 0 never clips

	// Dropout is the share of values that training sets to zero, at the places of the network's
	// family (encoder.Dropout). Evaluation uses no dropout.
	Dropout float64 `yaml:"dropout,omitempty"`

	// Precision is float32, the default, or bf16: matrix products in bfloat16 with
	// float32 weights (encoder.Precision). Evaluation is in float32.
	Precision encoder.Precision `yaml:"precision,omitempty"`

	// Checkpointing computes the inside of each layer a second time for the gradient instead of
	// keeping it: a third more work, a fraction of the memory.
	Checkpointing bool `yaml:"checkpointing,omitempty"`

	// Freeze lists modules whose weights do not change, such as embeddings or encoder.layer.0.
	Freeze []string `yaml:"freeze,omitempty"`

	// LoRA trains a low-rank adapter. The weights do not change until the end, when the adapter
	// is merged into them.
	LoRA encoder.LoRA `yaml:"lora,omitempty"`

	// EvaluateEvery is the number of steps between two calls of Options.OnEvaluate. Training ends
	// with the weights of the best evaluation. 0: no evaluation. Patience is the number of
	// evaluations in a row without improvement after which training stops. 0: no limit.
	EvaluateEvery int `yaml:"evaluate_every,omitempty"`
	Patience      int `yaml:"patience,omitempty"`

	Temperature *float64       `yaml:"temperature,omitempty"` // scores are divided by it
	Fidelity    string         `yaml:"fidelity"`
	Duplicates  Duplicates     `yaml:"duplicates,omitempty"`
	IQTerm      IQTerm         `yaml:"iq_term,omitempty"`
	Negatives   NegativeConfig `yaml:"instruction_negatives,omitempty"`

	// Candidates selects the rows of a batch that a row is contrasted with.
	Candidates Within `yaml:"candidates,omitempty" json:",omitempty"`

	// Couples are the settings of the form pair.
	Couples Couples `yaml:"pair,omitempty" json:",omitzero"`

	// Bias is added to the scores of the form sig; nil: by the score, -10 for cosines.
	Bias *float64 `yaml:"bias,omitempty" json:",omitempty"`

	// Mined is the number of negatives that a row takes from the start of its record's list. They
	// are candidates of every row of the batch, as passages are. 0: none.
	Mined int `yaml:"negatives,omitempty" json:",omitempty"`

	// The following fields act on candidates; see Modifiers.
	FalseNegatives FalseNegativeConfig `yaml:"false_negatives,omitempty" json:",omitzero"`
	Hardness       Hardness            `yaml:"hardness,omitempty" json:",omitzero"`
	Focal          float64             `yaml:"focal,omitempty" json:",omitempty"`
	Spread         float64             `yaml:"spread,omitempty" json:",omitempty"`
	Distill        DistillConfig       `yaml:"distill,omitempty" json:",omitzero"`
	Matryoshka     Matryoshka          `yaml:"matryoshka,omitempty" json:",omitzero"`

	// Concat selects how training joins instruction and query if this differs from the encoder.
	// The reference code joins tokens in training and text in evaluation. Empty: as the encoder
	// does.
	Concat encoder.Concatenation `yaml:"concat,omitempty"`

	// Seed orders the data and draws negatives and dropout. It is derived from the trial's seed,
	// so that one number determines everything random.
	Seed int64 `yaml:"-"`
}

// Describe describes the fields of a Config.
func (Config) Describe() []setting.Setting {
	return []setting.Setting{
		{Name: "epochs", Label: "epochs", Paper: []string{"2"}, Range: "[1,∞)", Unit: "passes over the data", Meaning: "length of training, unless train.steps is set", Source: "InF-IR paper, table 4"},
		{Name: "rows_per_group", Label: "rows a group", Paper: []string{"12"}, Range: "[1,∞)", Unit: "rows, three for each record", Meaning: "rows of a group, from which local instruction negatives come", Source: "InF-IR paper: 4 records a device"},
		{Name: "groups", Label: "groups a step", Paper: []string{"8"}, Range: "[1,∞)", Unit: "groups", Meaning: "groups of a batch; passages are contrasted across all of them", Source: "InF-IR paper: 8 devices"},
		{Name: "chunk", Label: "sequences embedded at a time", Range: "[0,∞)", Unit: "sequences", Unsaid: "0: all at once", Meaning: "sequences embedded at a time; the same step in less memory", Source: "GradCache (arXiv 2101.06983)"},
		{Name: "steps", Label: "steps", Paper: []string{"", "0"}, Range: "[0,∞)", Unit: "optimiser steps", Unsaid: "0: as many as the epochs take", Meaning: "length of training instead of train.epochs", Source: setting.Own},
		{Name: "steps_of", Label: "as many steps as the epochs take on", Paper: []string{""}, Unsaid: "the cell's own data", Meaning: "training data: training takes as many steps as train.epochs take on it", Source: setting.Own},
		{Name: "last_batch", Label: "records that fill no batch", Paper: []string{"fill"}, Unsaid: "drop", Meaning: "records that fill no batch at the end of an epoch: dropped, or filled up with the first of the epoch", Source: setting.Trainer},
		{Name: "accumulate", Label: "batches a step", Paper: []string{"", "0", "1"}, Range: "[0,∞)", Unit: "batches", Unsaid: "0: one", Meaning: "batches of a step, whose losses are averaged; each keeps to its own negatives", Source: setting.Trainer},
		{Name: "batches", Label: "sources of a batch", Paper: []string{"", "mixed"}, Unsaid: "mixed", Meaning: "in a mixture, whether a batch holds records of all sources or of one", Source: setting.Own},
		{Name: "drop_overlap", Label: "without records that occur in the tests", Paper: []string{"", "false"}, Meaning: "leave out records that share a query or a passage with the tests", Source: setting.Own},
		{Name: "lr", Label: "learning rate", Paper: []string{"0.00005"}, Range: "(0,∞)", Unit: "step of AdamW", Meaning: "peak learning rate; a network with random weights needs about a hundred times the default", Source: setting.Paper},
		{Name: "schedule", Label: "schedule", Paper: []string{"linear"}, Meaning: "how the learning rate falls after the warm-up", Source: setting.Trainer},
		{Name: "warmup", Label: "warm-up", Paper: []string{"0"}, Range: "[0,1]", Unit: "share of all steps", Meaning: "part of training in which the learning rate rises from 0", Source: setting.Trainer},
		{Name: "weight_decay", Label: "weight decay", Paper: []string{"0"}, Range: "[0,∞)", Unit: "a step, times the learning rate", Meaning: "decoupled weight decay", Source: "AdamW (arXiv 1711.05101)"},
		{Name: "decay_all", Label: "decay of biases and norms", Meaning: "decay biases and norms too", Source: setting.Own},
		{Name: "clip", Label: "largest gradient norm", Paper: []string{"1"}, Range: "[0,∞)", Unit: "norm of all gradients", Meaning: "largest gradient norm; 0 never clips", Source: setting.Trainer},
		{Name: "dropout", Label: "dropout", Range: "[0,1)", Unit: "share of values", Meaning: "share of values that training sets to zero, at the places of the network's family; evaluation uses no dropout", Source: "the backbone's paper"},
		{Name: "precision", Label: "precision", Paper: []string{"bf16"}, Unsaid: "float32", Meaning: "number format of matrix products in training; weights stay float32", Source: "reference code: bf16"},
		{Name: "checkpointing", Label: "activations computed again", Meaning: "compute layers a second time instead of keeping their states: a third more work, a fraction of the memory", Source: "arXiv 1604.06174"},
		{Name: "freeze", Label: "frozen layers", Paper: []string{"", "[]"}, Unsaid: "none", Meaning: "modules whose weights do not change, such as embeddings or encoder.layer.0", Source: setting.Own},
		{Name: "lora", Unsaid: "all weights are trained", Meaning: "train a low-rank adapter, which is merged into the weights at the end", Source: setting.LoRA},
		{Name: "evaluate_every", Label: "steps between evaluations", Paper: []string{"", "0"}, Range: "[0,∞)", Unit: "steps", Unsaid: "0: never", Meaning: "steps between two evaluations on validation data; training ends with the best weights", Source: setting.Own},
		{Name: "patience", Label: "patience", Range: "[0,∞)", Unit: "evaluations", Unsaid: "0: any number", Meaning: "evaluations in a row without improvement after which training stops", Source: setting.Own},
		{Name: "temperature", Label: "temperature", Paper: []string{"0.05"}, Range: "(0,∞)", Unit: "score", Unsaid: "0.05, of fidelity paper and under design.score dot 1", Meaning: "divisor of scores, such as cosines, in the softmax", Source: setting.Code},
		{Name: "fidelity", Label: "fidelity to the paper or its code", Paper: []string{"reference"}, Meaning: "preset where paper and code differ: recommended is the code without its false negatives, paper the printed equations, reference the formulas of the code", Source: setting.PaperOrCode},
		{Name: "duplicates", Label: "equal passages in a batch", Objective: true, Paper: []string{"", "mask"}, Unsaid: "as train.fidelity sets it", Meaning: "count the positive of a joint softmax once (mask) or once per term (keep)", Source: "code: mask; paper, equations 18 to 21: keep"},
		{Name: "iq_term", Label: "term of instruction and query", Objective: true, Paper: []string{"", "pair"}, Unsaid: "pair", Meaning: "whether the term IQ varies instruction and query together, or the query alone", Source: "code and appendix: pair; paper, equations 6 and 7: query_only"},
		{Name: "instruction_negatives", Objective: true, Unsaid: "as train.fidelity sets it", Meaning: "which instructions the term I contrasts the positive with", Source: setting.PaperOrCode},
		{Name: "candidates", Label: "rows a row is contrasted with", Objective: true, Paper: []string{"", "batch"}, Unsaid: "batch", Meaning: "rows of a batch that a row is contrasted with: all (batch), those of its own record with its own mined negatives (own), or these and N drawn rows of other records (own+N, such as own+4)", Source: setting.Own},
		{Name: "pair", Objective: true, Unsaid: "RankNet", Meaning: "weights of the form pair", Source: "RankNet (Burges and others 2005), LambdaLoss (Wang and others 2018)"},
		{Name: "bias", Label: "bias of the sigmoid", Objective: true, Range: "(-∞,∞)", Unit: "scaled score", Unsaid: "-10, under design.score dot 0", Meaning: "added to every score before its sigmoid, in the form sig only; it is not learned", Source: "SigLIP (arXiv 2303.15343)"},
		{Name: "negatives", Label: "mined negatives a row", Objective: true, Paper: []string{"", "0"}, Range: "[0,∞)", Unit: "passages of a row", Unsaid: "0: none", Meaning: "mined negatives that a row takes from the start of its record's list; they are candidates of every row in the terms P and ST", Source: "E5, Sentence Transformers"},
		{Name: "false_negatives", Objective: true, Unsaid: "equal texts, as train.fidelity sets it", Meaning: "which negatives are left out because they may be answers", Source: "GISTEmbed (arXiv 2402.16829)"},
		{Name: "hardness", Objective: true, Unsaid: "none", Meaning: "raise the scores of negatives that the model takes for answers", Source: "LLaVE (arXiv 2503.04812)"},
		{Name: "focal", Label: "focal weight", Objective: true, Paper: []string{"", "0"}, Range: "[0,∞)", Unit: "exponent", Unsaid: "0: all rows weigh the same", Meaning: "a row's weight is (1 - probability of its positive) to this power, so solved rows count less", Source: "focal loss (arXiv 1708.02002)"},
		{Name: "spread", Label: "spread-out weight", Objective: true, Paper: []string{"", "0"}, Range: "[0,∞)", Unit: "weight", Unsaid: "0: none", Meaning: "weight of a regulariser that keeps the vectors of a batch apart", Source: "spread-out (arXiv 1708.06320), EmbeddingGemma"},
		{Name: "distill", Objective: true, Unsaid: "no teacher", Meaning: "follow a teacher's scores for the passages of a row, in addition to the contrastive loss", Source: "arXiv 2505.19274"},
		{Name: "matryoshka", Objective: true, Unsaid: "the full width alone", Meaning: "train the first values of vectors to serve as vectors on their own", Source: "Matryoshka representations (arXiv 2205.13147)"},
		{Name: "concat", Label: "order of instruction and query in training", Objective: true, Paper: []string{"", "text"}, Unsaid: "as design.concat", Meaning: "how training joins instruction and query; evaluation follows design.concat", Source: setting.Code},
	}
}

// Batching selects the sources of the records in a batch.
type Batching string

// Mixed batches, the default, hold records of all sources in proportion. OneSource draws
// single-source batches in that proportion, so that a passage's source does not give away whether
// it is the row's own.
const (
	Mixed     Batching = "mixed"
	OneSource Batching = "source"
)

// NegativeConfig overrides single choices of a preset's Negatives.
type NegativeConfig struct {
	Scope   Scope      `yaml:"scope,omitempty"`
	Divisor int        `yaml:"divisor,omitempty"`
	OwnHard OwnHard    `yaml:"own_hard,omitempty"`
	Equal   Duplicates `yaml:"equal,omitempty"` // the older name of FalseNegativeConfig.Equal
}

// Describe describes the fields of a NegativeConfig.
func (NegativeConfig) Describe() []setting.Setting {
	return []setting.Setting{
		{Name: "scope", Label: "where instruction negatives come from", Paper: []string{"", "local"}, Unsaid: "local, of fidelity paper global", Meaning: "draw them from the row's group, or from the entire batch", Source: setting.PaperOrCode},
		{Name: "divisor", Label: "divisor of instruction negatives", Paper: []string{"", "0", "2"}, Range: "[0,∞)", Unit: "rows in scope per candidate", Unsaid: "2, of fidelity paper 1", Meaning: "a row is contrasted with (rows in scope / divisor) instructions, including its own", Source: setting.Code + " (div_neg_batch)"},
		{Name: "own_hard", Label: "a row's own hard instruction", Paper: []string{"", "chance"}, Unsaid: "always, of fidelity paper and reference chance", Meaning: "how the poisoned instruction of a row's own record becomes a candidate", Source: setting.PaperOrCode},
		{Name: "equal", Label: "equal instructions in a batch", Paper: []string{"", "keep"}, Unsaid: "as train.false_negatives.equal", Meaning: "the older name of train.false_negatives.equal", Source: setting.PaperOrCode},
	}
}

// DefaultConfig returns the set-up of the paper. Where the paper gives no value, it follows the
// reference code on one of its 8 devices. An encoder that starts from random weights needs a rate
// about a hundred times as high.
func DefaultConfig() Config {
	return Config{
		Epochs:       2,      // paper, table 4
		RowsPerGroup: 12,     // 4 records a device
		Groups:       1,      // 8 there; 1 fits one machine here
		LearningRate: 5e-5,   // paper
		Schedule:     Linear, // this and the next three: defaults of the trainer they use
		Warmup:       0,
		WeightDecay:  0,
		Clip:         1,
		Fidelity:     "recommended",
	}
}

// refusals collects the errors of a validation.
type refusals []error

func (r *refusals) when(bad bool, format string, args ...any) {
	if bad {
		*r = append(*r, fmt.Errorf(format, args...))
	}
}

// Validate returns every value that is out of range, joined.
func (c Config) Validate() error {
	var errs refusals
	refuse := errs.when
	share := func(v float64) bool { return v >= 0 && v <= 1 }
	positive := func(v float64) bool { return v > 0 && !math.IsInf(v, 0) }
	refuse(c.Steps < 0, "steps %d: want at least 1", c.Steps)
	refuse(c.Epochs < 0 || c.Epochs == 0 && c.Steps == 0, "epochs %d: want at least 1", c.Epochs)
	refuse(c.Epochs > 0 && c.Steps > 0, "epochs %d and steps %d: both set the length of training, give one", c.Epochs, c.Steps)
	refuse(c.StepsOf != "" && c.Steps > 0, "steps_of %s and steps %d: both set the number of steps, give one", c.StepsOf, c.Steps)
	refuse(c.RowsPerGroup < 1, "rows_per_group %d: want at least 1", c.RowsPerGroup)
	refuse(c.Groups < 1, "groups %d: want at least 1", c.Groups)
	refuse(c.Chunk < 0, "chunk %d: want at least 0", c.Chunk)
	refuse(c.Accumulate < 0, "accumulate %d: want at least 0", c.Accumulate)
	refuse(!positive(c.LearningRate), "lr %v: want a number above 0", c.LearningRate)
	refuse(!share(c.Warmup), "warmup %v: want a share of all steps, 0 to 1", c.Warmup)
	refuse(c.LoRA.Rank < 0, "lora: r %d: want at least 0", c.LoRA.Rank)
	refuse(!(c.LoRA.Alpha >= 0) || math.IsInf(c.LoRA.Alpha, 0), "lora: alpha %v: want at least 0", c.LoRA.Alpha)
	refuse(!(c.LoRA.Dropout >= 0 && c.LoRA.Dropout < 1), "lora: dropout %v: want a share, at least 0 and below 1", c.LoRA.Dropout)
	if err := nearest.OneOf("keep", c.LoRA.Keep, encoder.KeepMerged, encoder.KeepAdapter); err != nil {
		errs = append(errs, fmt.Errorf("lora: %w", err))
	}
	refuse(c.EvaluateEvery < 0, "evaluate_every %d: want at least 0", c.EvaluateEvery)
	refuse(c.Patience < 0, "patience %d: want at least 0", c.Patience)
	refuse(!(c.Dropout >= 0 && c.Dropout < 1), "dropout %v: want a share, at least 0 and below 1", c.Dropout)
	refuse(!(c.WeightDecay >= 0) || math.IsInf(c.WeightDecay, 0), "weight_decay %v: want at least 0", c.WeightDecay)
	refuse(!(c.Clip >= 0), "clip %v: want at least 0", c.Clip)
	if _, ok := schedules[c.Schedule]; !ok {
		errs = append(errs, nearest.Unknown("schedule", c.Schedule, scheduleNames))
	}
	errs = append(errs, nearest.OneOf("batches", c.Batches, Mixed, OneSource), nearest.OneOf("last_batch", c.LastBatch, DropBatch, FillBatch),
		c.Precision.Check(), encoder.Design{Concat: c.Concat}.Check(), c.validateModifiers())
	o, err := c.Objective()
	if err == nil {
		err = o.Check()
	}
	return errors.Join(append(errs, err)...)
}

// Objective resolves the preset and the settings that override it, for cosines.
func (c Config) Objective() (Objective, error) { return c.under("") }

// under is Objective for a score, which sets the default temperature and bias.
func (c Config) under(s Score) (Objective, error) {
	o, err := Fidelity(c.Fidelity)
	if err != nil {
		return Objective{}, err
	}
	o.Score, o.Temperature = s, temperatureOf(s, o.Temperature)
	if c.Temperature != nil {
		o.Temperature = *c.Temperature
	}
	o.Duplicates = cmp.Or(c.Duplicates, o.Duplicates)
	o.IQ = cmp.Or(c.IQTerm, o.IQ)
	o.Candidates, o.Couples = c.Candidates, c.Couples
	n := &o.Negatives
	n.Scope = cmp.Or(c.Negatives.Scope, n.Scope)
	n.Divisor = cmp.Or(c.Negatives.Divisor, n.Divisor)
	n.OwnHard = cmp.Or(c.Negatives.OwnHard, n.OwnHard)
	equal := cmp.Or(c.FalseNegatives.Equal, c.Negatives.Equal)
	masks := equal == Mask || equal == "" && o.False.Equal
	o.Modifiers, o.Bias = c.modifiers(), biasOf(s)
	o.False.Equal = masks
	if c.Bias != nil {
		o.Bias = *c.Bias
	}
	return o, nil
}

// lora reports whether training uses an adapter.
func (c Config) lora() bool { return c.LoRA.Rank > 0 }

// checkComplete returns the settings that lack another setting they need. Validate accepts such settings,
// because a sweep sets them one by one.
func (c Config) checkComplete() error {
	var errs []error
	if c.Patience > 0 && c.EvaluateEvery == 0 {
		errs = append(errs, fmt.Errorf("patience %d without evaluate_every", c.Patience))
	}
	if c.StepsOf != "" {
		errs = append(errs, fmt.Errorf("steps_of %s: turn it into a number of steps and set steps", c.StepsOf))
	}
	if !c.lora() && (c.LoRA.Alpha > 0 || c.LoRA.Dropout > 0 || len(c.LoRA.Targets) > 0) {
		errs = append(errs, errors.New("lora: alpha, dropout or targets without r"))
	}
	if !c.lora() && c.LoRA.Keep != "" {
		errs = append(errs, fmt.Errorf("lora: keep %s without r", c.LoRA.Keep))
	}
	return errors.Join(append(errs, c.CheckModifiers())...)
}

// batches is the number of batches of a step.
func (c Config) batches() int { return max(1, c.Accumulate) }

// StepsOn returns the number of optimiser steps of training on so many rows: Steps if it is set,
// else the steps of all epochs. Each epoch leaves over the records that do not fill a batch,
// unless LastBatch is FillBatch, and training leaves over the last batches that do not fill a
// step. A step may reach from one epoch into the next.
func (c Config) StepsOn(rows int) int {
	if c.Steps > 0 {
		return c.Steps
	}
	return c.Epochs * c.drawn().PerEpoch(rows) / c.batches()
}

// RowsOn returns the number of rows that training on so many rows processes. Repeated rows count
// each time.
func (c Config) RowsOn(rows int) int { return c.StepsOn(rows) * c.batches() * c.drawn().Rows() }

// ForSteps returns c with n steps as the length of training, replacing any other length.
func (c Config) ForSteps(n int) Config {
	c.Epochs, c.Steps, c.StepsOf = 0, n, ""
	return c
}

// LastBatch is the treatment of records that do not fill a batch.
type LastBatch string

// The treatments; empty means DropBatch.
const (
	DropBatch LastBatch = "drop"
	FillBatch LastBatch = "fill"
)

// adamW is the optimizer of a configuration. Moments and epsilon are the
// defaults of torch and transformers.
func (c Config) adamW() AdamW {
	return AdamW{
		Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8,
		WeightDecay: c.WeightDecay, DecayAll: c.DecayAll, Clip: c.Clip,
	}
}
