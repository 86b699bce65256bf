package encoder

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"infbench/internal/disk"
	"infbench/training/tokenizer"
	"infbench/training/weights"
)

// Inspection describes a model folder, as far as possible without reading weights.
type Inspection struct {
	Kind         string        `json:"kind"` // encoder, separate encoders, cross-encoder, judge, language model, late-interaction, sparse, adapter (of a cross-encoder)
	Class        string        `json:"class,omitempty"`
	Architecture string        `json:"architecture,omitempty"` // model_type
	Layers       int           `json:"layers"`
	Width        int           `json:"width"`               // of hidden states
	Dim          int           `json:"dim"`                 // of vectors; 0: a cross-encoder has none
	Whole        int           `json:"whole_dim,omitempty"` // of vectors before the folder's truncate_dim cuts them; 0: no truncate_dim
	Vocabulary   int           `json:"vocabulary"`
	Pooling      Pooling       `json:"pooling,omitempty"`
	Prompt       PromptPooling `json:"prompt_pooling,omitempty"`
	BothWays     bool          `json:"attends_both_ways,omitempty"` // for a decoder
	Labels       int           `json:"labels,omitempty"`            // for a sequence classifier
	Activation   string        `json:"activation,omitempty"`        // of sentence-transformers' predict, which changes no order
	Judge        *Judge        `json:"judge,omitempty"`             // for a judge: how it is asked
	Normalize    bool          `json:"normalize"`
	MaxQuery     int           `json:"max_query_tokens"`
	MaxDocument  int           `json:"max_document_tokens"`
	Positions    int           `json:"positions,omitempty"`     // tokens of the longest text that the network reads; 0: no limit
	Prompts      []string      `json:"other_prompts,omitempty"` // names of prompts that are unused unless selected
	Tokenizer    string        `json:"tokenizer,omitempty"`     // "": none
	DTypes       []string      `json:"dtypes"`                  // in the files, such as "F32"
	Tensors      int           `json:"tensors"`                 // in the files
	Parameters   int64         `json:"parameters"`              // used parameters
	Memory       int64         `json:"memory_bytes"`            // memory of the used weights in float32
	Unknown      []string      `json:"unknown_tensors,omitempty"`
	Missing      []string      `json:"missing_tensors,omitempty"`
	Problems     []string      `json:"problems,omitempty"` // all other reasons why it cannot run
	Notes        []string      `json:"notes,omitempty"`    // settings in its files that are not followed, or on which library versions differ
	Hint         string        `json:"hint,omitempty"`     // how to handle unknown tensors

	Heads  int                  `json:"-"` // attention heads of each layer; 0: none, or unknown
	Tokens *tokenizer.Tokenizer `json:"-"` // nil: none
	card   *Card                // the card that defines the handling of texts; nil: none
}

// PairAdapter is the kind of an adapter that was trained on a sequence classifier.
const PairAdapter = "adapter of a cross-encoder"

// Runs reports whether the folder can be opened as its kind.
func (i *Inspection) Runs() bool {
	return len(i.Unknown) == 0 && len(i.Missing) == 0 && len(i.Problems) == 0
}

// Faults lists in words everything that keeps the folder from being opened.
func (i *Inspection) Faults() []string {
	var all []string
	for _, name := range i.Missing {
		all = append(all, "missing tensor "+name)
	}
	for _, name := range i.Unknown {
		all = append(all, "unknown tensor "+name)
	}
	return append(all, i.Problems...)
}

// Inspect describes a model folder and lists everything that keeps it from being opened, before
// anything long starts: it reads headers, not weights. It returns an error only if there is no
// folder to look at, not for a folder that cannot run.
func Inspect(dir string) (*Inspection, error) { return (*Card)(nil).Inspect(dir) }

// Inspect is like the function Inspect, for a folder that holds the card's model; c may be nil.
func (c *Card) Inspect(dir string) (*Inspection, error) {
	info, err := disk.Stat(dir)
	if err != nil {
		return nil, fmt.Errorf("inspect model: %w", err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("inspect model: %s is not a folder", dir)
	}
	i := &Inspection{Kind: "encoder", card: c}
	if IsAdapter(dir) {
		err = i.adapter(dir)
	} else {
		err = i.model(dir)
	}
	if err != nil {
		for _, problem := range strings.Split(err.Error(), "\n") {
			if !slices.Contains(i.Problems, problem) { // a file that both read
				i.Problems = append(i.Problems, problem)
			}
		}
	}
	return i, nil
}

// adapter inspects a PEFT folder.
func (i *Inspection) adapter(dir string) error {
	i.Kind = "adapter"
	a, err := openAdapter(dir)
	if err != nil {
		return err
	}
	defer a.file.Close()
	i.count(a.file.Tensors(), func(string) bool { return true })
	if a.config.Task == "SEQ_CLS" {
		i.Kind = PairAdapter
	}
	return nil
}

// model inspects a folder that holds a network, or one for each side.
func (i *Inspection) model(dir string) error {
	switch {
	case IsMultiVector(dir):
		return i.multiVector(dir)
	case IsSparse(dir):
		return i.sparse(dir)
	}
	query, document, separate, err := readSides(dir)
	if err != nil || !separate {
		return errors.Join(err, i.network(dir))
	}
	return i.sides(query, document)
}

// network inspects a network, continuing after errors as far as possible.
func (i *Inspection) network(dir string) error {
	where, err := readLayout(dir)
	if err != nil {
		return err
	}
	root := filepath.Join(dir, where.network)
	stored, weightsErr := weights.OpenFolder(root)
	if stored != nil {
		defer stored.Close()
		i.count(infos(stored), func(string) bool { return true })
	}
	config, err := inspectConfig(root, where, stored)
	if err != nil {
		return errors.Join(err, weightsErr)
	}
	if stored != nil {
		config.ownOutput, config.held = hasOutput(stored), shapesOf(config.ModelType, stored, "")
	}
	i.Class, i.Architecture = config.class(), config.ModelType
	i.Layers, i.Width, i.Dim, i.Vocabulary = config.NumHiddenLayers, config.HiddenSize, config.HiddenSize, config.VocabSize
	i.Heads = config.NumAttentionHeads
	var textErr error
	config.Text, textErr = readText(dir, where)
	tok, tokErr := config.Text.tokenizerIn(root, where.static)
	if errors.Is(tokErr, fs.ErrNotExist) {
		tokErr = errNoTokenizer
	}
	if tok != nil {
		i.Tokens, i.Tokenizer, config.remarks = tok, tok.String(), tok.Notes()
	}
	i.Prompts = otherPrompts(dir)
	i.card.over(dir, where, &config.Text)
	e, err := build(config, tok)
	if err := errors.Join(weightsErr, tokErr, textErr, err); e == nil || stored == nil {
		return err
	}
	t := e.config.Text
	i.Pooling, i.Prompt, i.Normalize, i.MaxQuery, i.MaxDocument = t.Pooling, t.Prompt, t.Normalize, t.MaxQuery, t.MaxDocument
	i.BothWays = attendsBothWays(e)
	i.Layers, i.Width, i.Positions = e.config.NumHiddenLayers, e.config.HiddenSize, e.config.maxTokens
	i.Heads = e.config.NumAttentionHeads
	headErr := i.head(dir, e, where)
	if i.Kind == "encoder" {
		headErr = errors.Join(headErr, e.config.checkBare())
		if note := e.config.OtherReading(); note != "" {
			i.Notes = append(i.Notes, note)
		}
	}
	i.Notes = append(e.config.remarks, i.Notes...)
	i.match(e, stored)
	var projectionErr error
	if e.config.Text.Interaction.projected() {
		projectionErr = e.Crossing().load(dir)
	}
	denseErr := e.params.loadDense(dir, where.dense)
	i.Dim = e.Dim()
	if whole := e.Width(); whole != i.Dim {
		i.Whole = whole
	}
	if i.Kind == "cross-encoder" || i.Kind == "judge" { // these have no vectors
		i.Dim, i.Whole, i.Pooling, i.Prompt, i.Normalize = 0, 0, "", "", false
	}
	return errors.Join(tokErr, textErr, headErr, denseErr, projectionErr)
}

// inspectConfig reads the configuration as open does.
func inspectConfig(root string, where layout, stored *weights.Folder) (Config, error) {
	if !where.static {
		return readConfig(root)
	}
	if stored == nil {
		return Config{ModelType: staticType}, nil
	}
	return staticConfig(stored)
}

// head gives e the head of its class.
func (i *Inspection) head(dir string, e *Encoder, where layout) error {
	var err error
	switch class := e.config.class(); {
	case isClassifier(class):
		i.Kind = "cross-encoder"
		var h classifier
		if h, err = classifierOf(&e.config); err == nil {
			e.params.head, i.Labels, err = h, h.labels, h.checkBegin(e.tokens.tokenizer)
			activation, activationErr := activationOf(dir, where, h.labels)
			i.Activation, err = activation, errors.Join(err, activationErr)
			i.Notes = append(i.Notes, e.tokens.segmentNotes()...)
		}
	case isLanguageModel(class):
		i.Kind = "language model"
		judge, judgeErr := e.judgeOf(dir, where)
		if judge != (Judge{}) || judgeErr != nil {
			i.Kind, err = "judge", judgeErr
			if err == nil {
				i.Judge, err = &judge, judge.check()
			}
			if err == nil && e.tokens.tokenizer != nil { // otherwise that is reported
				_, err = judge.words(e.tokens.tokenizer)
			}
			if err == nil && where.logits != "" {
				i.Activation, err = activationOf(dir, where, 1)
			}
		} else if i.readForStates(e, where) {
			i.Kind = "encoder"
			return nil
		}
		if err != nil {
			return err
		}
		var h tokenHead
		if h, err = languageModelOf(&e.config); err == nil {
			e.params.head = h
		}
	}
	return err
}

// readForStates reports whether a folder with a language model's class holds an encoder.
// Published embedders keep the class, some without the model's output table (Qwen3-Embedding-8B).
func (i *Inspection) readForStates(e *Encoder, where layout) bool {
	if attendsBothWays(e) || where.modules || i.card != nil && i.card.Kind == "encoder" {
		return true
	}
	h, err := languageModelOf(&e.config)
	output, ok := h.(causal)
	return err == nil && ok && output.table == outputTable && !e.config.ownOutput
}

// attendsBothWays reports whether a decoder sees later tokens too.
func attendsBothWays(e *Encoder) bool {
	decoder, ok := e.params.arch.(interface{ isCausal(c *Config) bool })
	return ok && !decoder.isCausal(&e.config)
}

// match lists the tensors that do not fit and counts those that do.
func (i *Inspection) match(e *Encoder, stored *weights.Folder) {
	m := e.params.match(stored)
	i.Unknown, i.Missing = m.unknown, m.missing
	i.Problems = append(append(i.Problems, m.doubled...), m.misshapen...)
	for _, start := range m.useless {
		i.Problems = append(i.Problems, fmt.Sprintf("%s: leave_out: no unneeded tensor begins with %s", ownFile, start))
	}
	if len(m.unknown) > 0 {
		i.Hint = m.hint()
	}
	used := map[string]bool{}
	for _, name := range m.source {
		used[name] = true
	}
	i.count(infos(stored), func(name string) bool { return used[name] })
}

// infos lists the tensors of a folder by name.
func infos(stored *weights.Folder) []weights.Info {
	var all []weights.Info
	for _, name := range stored.Names() {
		info, _ := stored.Info(name)
		all = append(all, info)
	}
	return all
}

// count counts the used tensors and sums up their sizes.
func (i *Inspection) count(all []weights.Info, used func(name string) bool) {
	kinds := map[string]bool{}
	i.Tensors, i.Parameters = len(all), 0
	for _, info := range all {
		if used(info.Name) {
			i.Parameters += int64(info.Len())
			kinds[info.DType] = true
		}
	}
	i.DTypes, i.Memory = slices.Sorted(maps.Keys(kinds)), 4*i.Parameters
}
