package spec

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"infbench/datasets/mixture"
	"infbench/internal/nearest"
	"infbench/internal/strict"
	"infbench/runners"
	"infbench/training"
	"infbench/training/encoder"
	"infbench/training/setting"
)

// Trained is the model of a cell that trains one. Every other model is the name of a baseline.
const Trained = "trained"

// Cell is one resolved configuration: everything that determines a trial's numbers, except the
// revisions of data and benchmarks, which the plan adds.
type Cell struct {
	Model       string          `yaml:"model"`                 // Trained, or a baseline
	Data        string          `yaml:"data,omitempty"`        // training corpus
	Drop        string          `yaml:"drop,omitempty"`        // poisoned parts of its records that are left out: "I-,Q-"
	Share       mixture.Share   `yaml:"share,omitempty"`       // share or number of its records; 0: all
	Judge       string          `yaml:"judge,omitempty"`       // judge whose verdicts select its records; "": the data's own
	World       uint64          `yaml:"world"`                 // seed of the generated world, for mini-* data
	Backbone    string          `yaml:"backbone,omitempty"`    // network to train
	Loss        string          `yaml:"loss,omitempty"`        // canonical name, such as multi(P,I)
	Interaction string          `yaml:"interaction,omitempty"` // how instruction and query are combined
	Design      training.Design `yaml:"design,omitempty"`      // changes to the backbone
	Seed        int64           `yaml:"seed"`                  // weights, data order, sampled negatives
	Train       training.Config `yaml:"train,omitempty"`
	Validate    Validation      `yaml:"validate,omitempty"` // data for early stopping and for choosing configurations

	// Precision is the number format of matrix products in evaluation: float32, the default, or
	// bf16.
	Precision training.Precision `yaml:"precision,omitempty"`

	// Dims is the number of values to which vectors are cut for evaluation; 0: the folder's
	// truncate_dim, else all.
	Dims int `yaml:"dims,omitempty"`

	// Settings of a baseline that is a model of its own, as in evaluate.
	First          string `yaml:"first,omitempty"`           // system that finds the documents for a model of pairs
	Depth          int    `yaml:"depth,omitempty"`           // number of these documents
	Fuse           string `yaml:"fuse,omitempty"`            // models whose rankings are joined with its own, "a+b"
	Similarity     string `yaml:"similarity,omitempty"`      // also for trained models: "" is cosine, dot the inner product of pooled vectors
	Storage        string `yaml:"storage,omitempty"`         // number format of token vectors
	QueryPrompt    string `yaml:"query_prompt,omitempty"`    // from the model's folder, by name
	DocumentPrompt string `yaml:"document_prompt,omitempty"` // from the model's folder, by name
	Index          Index  `yaml:"index,omitempty"`           // index that is searched instead of all vectors
	RemoteAPI      string `yaml:"remote_api,omitempty"`
	URL            string `yaml:"url,omitempty"`
	RemoteModel    string `yaml:"remote_model,omitempty"`
	Dim            int    `yaml:"dim,omitempty"`
	QueryTemplate  string `yaml:"query_template,omitempty"`
	Chat           Chat   `yaml:"chat,omitempty"`
}

// similarityKey is the setting of cells that entries of baselines also have.
const similarityKey = "similarity"

// Describe describes the fields of a Cell.
func (Cell) Describe() []setting.Setting {
	table := []setting.Setting{
		{Name: "model", Label: "model", Group: setting.OfModel, Meaning: "system to run: " + Trained + ", or a baseline by its name", Source: setting.Own},
		{Name: "data", Label: "training data", Group: setting.OfData, Paper: []string{"inf-ir", "inf-ir-release"}, Meaning: "training data: a corpus (infbench list corpora), a file or folder with triplets, ORG/NAME of the hub, or a mixture with weights, \"a:0.8 + ./b.jsonl:0.2@0.4\" (b joins after 0.4 of training)", Source: setting.Paper},
		{Name: "drop", Label: "poisoned parts left out", Group: setting.OfData, Paper: []string{"", "none"}, Unsaid: "none", Meaning: "poisoned parts of records to train without: I-, Q-, P- (passages only), joined by commas, or none", Source: "InF-IR paper, figure 6"},
		{Name: "share", Label: "share or number of records", Group: setting.OfData, Paper: []string{"", "0", "1"}, Range: "[0,∞)", Unit: "share of the records up to 1, records above", Unsaid: "all", Meaning: "how much of the records to train on; smaller shares are subsets of larger ones with the same seed", Source: setting.Own},
		{Name: "judge", Label: "judge who kept the records", Group: setting.OfData, Paper: []string{""}, Unsaid: "the data's own", Meaning: "judge whose verdicts select the records of a folder that curate made: a judge's name, majority, unanimous or none", Source: "InF-IR paper, section 4"},
		{Name: "world", Label: "generated world", Group: setting.OfData, Meaning: "seed of the generated world that data and benchmarks called mini-... come from", Source: setting.Own},
		{Name: "backbone", Label: "backbone", Group: setting.OfModel, Meaning: "network to train: a tiny one (infbench list backbones), a HuggingFace folder, or ORG/NAME[@REVISION] of the hub once fetched", Source: setting.Paper},
		{Name: "loss", Label: "loss", Group: setting.OfModel, Meaning: "objective: uni, multi, sig or pair over the terms P, I, IQ (and ST, IP of the code); multi:P+I is multi(P,I) without quotes; names of the reference code, as map_add/qk, are read too, and losses of your own (docs/library.md)", Source: "InF-IR paper, appendix C"},
		{Name: "interaction", Label: "how instruction and query meet", Group: setting.OfModel, Meaning: "how instruction and query meet: as one text, or by cross attention", Source: "InF-IR paper, section 5"},
		{Name: "design", Group: setting.OfDesign, Unsaid: "the backbone's", Meaning: "changes to the backbone and to how it reads texts", Source: "InF-IR paper, table 4"},
		{Name: "seed", Label: "seed", Group: setting.OfTraining, Meaning: "seed of everything random: fresh weights, order of data, sampled negatives, dropout", Source: setting.Own},
		{Name: "train", Group: setting.OfTraining, Unsaid: "the defaults below", Meaning: "how to train", Source: setting.Paper},
		{Name: "validate", Group: setting.OfValidation, Unsaid: "no validation", Meaning: "held-out queries for choosing weights and configurations, never those of the test", Source: setting.Own},
		{Name: "precision", Label: "precision of evaluation", Group: setting.OfEvaluation, Unsaid: "float32", Meaning: "number format of matrix products in evaluation", Source: setting.Own},
		{Name: "dims", Label: "values of a vector", Group: setting.OfEvaluation, Paper: []string{"", "0"}, Range: "[0,∞)", Unit: "values", Unsaid: "0: the truncate_dim of the folder, else all", Meaning: "number of values to which vectors are cut for evaluation and then normalised again", Source: "Matryoshka representations (arXiv 2205.13147)"},
		{Name: "first", Label: "first stage", Group: setting.OfEvaluation, Unsaid: "every document, or those that the benchmark lists", Meaning: "system that finds the documents for a model of pairs to score, such as bm25", Source: setting.Own},
		{Name: "depth", Label: "documents of the first stage", Group: setting.OfEvaluation, Range: "[0,∞)", Unit: "documents", Unsaid: fmt.Sprintf("%d where first is given", UsualDepth), Meaning: "how many documents first finds", Source: setting.Own},
		{Name: "fuse", Label: "fused with", Group: setting.OfEvaluation, Unsaid: "none", Meaning: "models whose rankings are joined with its own, by reciprocal ranks", Source: "reciprocal rank fusion (Cormack and others, 2009)"},
		{Name: "similarity", Label: "similarity", Group: setting.OfEvaluation, Unsaid: "its card's, or design.score, else cosine; maxsim of late interaction", Meaning: "how vectors are compared in evaluation: cosine, which is the same as no value, or dot, the inner product of vectors as pooled, before any Normalize module; training is by design.score. Baselines other than untrained set it in their entries, there also sparse, which reads a masked language model as SPLADE", Source: "the model's card; the paper's code ranks MAIR by dot"},
		{Name: "storage", Label: "storage of vectors of tokens", Group: setting.OfEvaluation, Unsaid: "float32", Meaning: "number format in which a late-interaction model's document vectors are stored; the difference of scores to float32 is measured", Source: setting.Own},
		{Name: "query_prompt", Label: "prompt of queries", Group: setting.OfEvaluation, Unsaid: "its card's or folder's", Meaning: "prompt put before queries, by its name in the model folder's config_sentence_transformers.json", Source: "sentence-transformers' prompt_name"},
		{Name: "document_prompt", Label: "prompt of documents", Group: setting.OfEvaluation, Unsaid: "its card's or folder's", Meaning: "prompt put before documents, by its name in the model folder's config_sentence_transformers.json", Source: "sentence-transformers' prompt_name"},
		{Name: "index", Group: setting.OfEvaluation, Unsaid: "the exact search", Meaning: "a server that searches vectors approximately, at --index-url; its recall against exact search is measured", Source: setting.Own},
	}
	endpoint := Remote{}.Describe()
	for i, name := range []string{"remote_api", "url", "remote_model", "dim", "query_template"} {
		endpoint[i].Name, endpoint[i].Group = name, setting.OfEvaluation
	}
	return append(append(table, endpoint...),
		setting.Setting{Name: "chat", Group: setting.OfEvaluation, Meaning: "a language model that orders documents, and how it is asked", Source: setting.Own})
}

// DefaultCell returns the values of keys that an experiment file leaves out.
func DefaultCell() Cell {
	return Cell{
		Model:       Trained,
		Data:        "mini-infir",
		World:       1,
		Backbone:    "tiny-bert",
		Loss:        "uni(P)", // the reference code's default run (basic/qk)
		Interaction: "concat",
		Seed:        1,
		Train:       training.DefaultConfig(),
	}
}

// asBaseline returns the cell of a baseline next to a trained cell. It keeps the settings that
// the baseline depends on and clears everything else.
func (c Cell) asBaseline(b Cell) Cell {
	for _, key := range b.depends() {
		if key != similarityKey || b.Similarity == "" { // its entry may set similarity
			setAt(&b, &c, key)
		}
	}
	return b
}

// Compares is the similarity by which the vectors of a trained or untrained network are compared:
// the cell's, else dot if the network's design scores by it; "" is cosine.
func (c Cell) Compares() string {
	if c.Similarity == "" && c.Design.Score == encoder.DotScore {
		return string(runners.Dot)
	}
	return c.Similarity
}

// dependsOn reports whether the numbers of a cell can depend on a setting.
func (c Cell) dependsOn(key string) bool {
	section, _, _ := strings.Cut(key, ".")
	return c.Model == Trained || slices.Contains(c.depends(), section) || section == similarityKey || slices.Contains(ofBaselines, section)
}

// complete fills in the design that the preset of a trained cell implies, so that plan and
// report show it.
func (c *Cell) complete() {
	// The loss is known: reading the file refuses an unknown one.
	if l, err := training.ParseLoss(c.Loss); err == nil {
		c.Train, c.Design = c.Train.Complete(l, c.Design)
	}
	if c.Train.LastBatch == training.DropBatch {
		c.Train.LastBatch = "" // the same as unset
	}
	if c.Train.StepsOf == c.Data && !c.IsAblated() {
		c.Train.StepsOf = "" // the same number of steps anyway
	}
	if len(c.Sources()) == 1 {
		c.Train.Batches = "" // every batch has one source
	}
}

// Guide returns the model that detects a trained cell's false negatives, or "".
func (c *Cell) Guide() string {
	if g := c.Train.FalseNegatives.Guide; c.Model == Trained && g != training.Self {
		return g
	}
	return ""
}

// Teacher returns the model from which a trained cell learns, or "".
func (c *Cell) Teacher() string {
	if t := c.Train.Distill.Teacher; c.Model == Trained && t != training.Taught {
		return t
	}
	return ""
}

// judges lists guide and teacher, each once.
func (c *Cell) judges() (names []string) {
	for _, name := range []string{c.Guide(), c.Teacher()} {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Settings flattens the cell to dotted keys with values as JSON prints them. It leaves out
// unset ones.
func (c Cell) Settings() map[string]string {
	out := map[string]string{}
	flatten(plain(reflect.ValueOf(c)), "", out)
	return out
}

func flatten(v any, path string, out map[string]string) {
	switch v := v.(type) {
	case map[string]any:
		for name, item := range v {
			flatten(item, strict.Join(path, name), out)
		}
	case string:
		out[path] = v
	default:
		text, err := json.Marshal(v)
		if err != nil {
			panic(fmt.Sprintf("spec: print setting %s: %v", path, err)) // plain values only
		}
		out[path] = string(text)
	}
}

// topKeys lists the settings of a cell that a file may name.
func topKeys() []string {
	return slices.DeleteFunc(strict.FieldNames(reflect.TypeFor[Cell]()), func(name string) bool { return name == "model" || slices.Contains(ofBaselines, name) })
}

// fieldAt finds the field of a struct value at a dotted key.
func fieldAt(v reflect.Value, key string) (reflect.Value, error) {
	for rest := key; ; {
		name, tail, nested := strings.Cut(rest, ".")
		i := strict.FieldNamed(v.Type(), name)
		if i < 0 {
			section := strings.TrimSuffix(key, rest)
			names := strict.FieldNames(v.Type())
			if v.Type() == reflect.TypeFor[Cell]() {
				names = topKeys()
			}
			for i := range names {
				names[i] = section + names[i]
			}
			return reflect.Value{}, nearest.Unknown("key", section+name, names)
		}
		v = v.Field(i)
		if !nested {
			return v, nil
		}
		if v.Kind() != reflect.Struct {
			return reflect.Value{}, fmt.Errorf("key %q: %s has no further keys", key, name)
		}
		rest = tail
	}
}

// at returns the value of a cell at a key that is known to exist.
func at(c *Cell, key string) reflect.Value {
	v, err := fieldAt(reflect.ValueOf(c).Elem(), key)
	if err != nil {
		panic("spec: " + err.Error())
	}
	return v
}

// setAt copies the value at key from one cell to another.
func setAt(to, from *Cell, key string) {
	at(to, key).Set(at(from, key))
	to.replaceLength(key)
}

// equalAt reports whether two cells agree at key.
func equalAt(a, b *Cell, key string) bool {
	return reflect.DeepEqual(at(a, key).Interface(), at(b, key).Interface())
}
