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
	"infbench/training"
)

// Trained is the model of a cell that trains one; every other model is the
// name of a baseline.
const Trained = "trained"

// Cell is one resolved configuration: everything that determines a trial's
// numbers, save the revisions of data and benchmarks, which the plan adds.
type Cell struct {
	Model       string          `yaml:"model"`                 // Trained, or a baseline
	Data        string          `yaml:"data,omitempty"`        // training corpus
	Drop        string          `yaml:"drop,omitempty"`        // poisoned parts of its records that are left out: "I-,Q-"
	Share       mixture.Share   `yaml:"share,omitempty"`       // of its records, or how many; 0: all
	Judge       string          `yaml:"judge,omitempty"`       // whose verdicts keep its records; "": the data's own
	World       uint64          `yaml:"world"`                 // seed of the generated world, for mini-* data
	Backbone    string          `yaml:"backbone,omitempty"`    // what is trained
	Loss        string          `yaml:"loss,omitempty"`        // canonical name, such as multi(P,I)
	Interaction string          `yaml:"interaction,omitempty"` // how instruction and query meet
	Design      training.Design `yaml:"design,omitempty"`      // what is changed in the backbone
	Seed        int64           `yaml:"seed"`                  // weights, data order, sampled negatives
	Train       training.Config `yaml:"train,omitempty"`
	Validate    Validation      `yaml:"validate,omitempty"` // what training is stopped and configurations are chosen by

	// Precision is in what evaluation multiplies matrices: float32, the default, or bf16.
	Precision training.Precision `yaml:"precision,omitempty"`

	// Dims is how many first values vectors are cut to for evaluation; 0: all.
	Dims int `yaml:"dims,omitempty"`

	// Of a baseline that is a model of its own, as evaluate has them.
	First         string `yaml:"first,omitempty"` // what finds the documents that a model of pairs scores
	Depth         int    `yaml:"depth,omitempty"` // how many of them
	Fuse          string `yaml:"fuse,omitempty"`  // models whose rankings are joined with its own, "a+b"
	Similarity    string `yaml:"similarity,omitempty"`
	Storage       string `yaml:"storage,omitempty"` // of vectors of tokens
	Index         Index  `yaml:"index,omitempty"`   // that is searched in the place of all vectors
	RemoteAPI     string `yaml:"remote_api,omitempty"`
	URL           string `yaml:"url,omitempty"`
	RemoteModel   string `yaml:"remote_model,omitempty"`
	Dim           int    `yaml:"dim,omitempty"`
	QueryTemplate string `yaml:"query_template,omitempty"`
	Chat          Chat   `yaml:"chat,omitempty"`
}

// DefaultCell holds the values of keys that an experiment file leaves out.
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

// asBaseline returns the cell of a baseline beside a trained cell: the settings
// that it depends on, everything else cleared.
func (c Cell) asBaseline(b Cell) Cell {
	for _, key := range b.depends() {
		setAt(&b, &c, key)
	}
	return b
}

// dependsOn says whether the numbers of a cell can depend on a setting.
func (c Cell) dependsOn(key string) bool {
	section, _, _ := strings.Cut(key, ".")
	return c.Model == Trained || slices.Contains(c.depends(), section) || slices.Contains(ofBaselines, section)
}

// complete fills what the preset of a trained cell's settings says of its design,
// so that it stands in plan and report.
func (c *Cell) complete() {
	// The loss is known: an unknown one was refused when the file was read.
	if l, err := training.ParseLoss(c.Loss); err == nil {
		c.Train, c.Design = c.Train.Complete(l, c.Design)
	}
	if c.Train.LastBatch == training.DropBatch {
		c.Train.LastBatch = "" // what nothing said is, too
	}
	if c.Train.StepsOf == c.Data && !c.IsAblated() {
		c.Train.StepsOf = "" // that many it takes anyway
	}
	if len(c.Sources()) == 1 {
		c.Train.Batches = "" // every batch is of one source
	}
}

// Guide is the model that tells a trained cell's false negatives; "" without one.
func (c *Cell) Guide() string {
	if g := c.Train.FalseNegatives.Guide; c.Model == Trained && g != training.Self {
		return g
	}
	return ""
}

// Teacher is the model that a trained cell follows; "" without one.
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

// Settings flattens the cell to dotted keys and values as JSON prints them,
// unset ones left out.
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
			return reflect.Value{}, fmt.Errorf("key %q: %s holds no further keys", key, name)
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

// equalAt says whether two cells agree at key.
func equalAt(a, b *Cell, key string) bool {
	return reflect.DeepEqual(at(a, key).Interface(), at(b, key).Interface())
}
