package encoder

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"infbench/internal/disk"
	"infbench/internal/nearest"
	"infbench/training/tokenizer"
)

// tokenizerFile holds the length of folders that sentence-transformers wrote since 5.4,
// and of those of transformers.
const tokenizerFile = "tokenizer_config.json"

// lengthFiles are the names of the Transformer module's settings, in the order in which
// sentence-transformers looks for them. A file without settings counts as missing.
func lengthFiles() []string {
	names := []string{lengthFile}
	for _, kind := range []string{"roberta", "distilbert", "camembert", "albert", "xlm-roberta", "xlnet"} {
		names = append(names, "sentence_"+kind+"_config.json")
	}
	return names
}

// transformerFile is the settings of sentence-transformers' Transformer module
// (sentence_transformers/base/modules/transformer.py, 6.2), and of the tokenizer's length.
type transformerFile struct {
	Max      *int   `json:"max_seq_length"`
	Lower    bool   `json:"do_lower_case"`
	Task     string `json:"transformer_task"`
	Query    *int   `json:"query_length"`
	Document *int   `json:"document_length"`

	Expansion *expansion `json:"query_expansion"` // of late interaction

	Calls     map[string]map[string]json.RawMessage `json:"processing_kwargs"`
	Arguments map[string]json.RawMessage            `json:"tokenizer_args"`   // of the tokenizer when it is opened
	Later     map[string]json.RawMessage            `json:"processor_kwargs"` // the same since 5.4

	Network   modelArguments `json:"model_args"`   // of the network when it is opened
	Networked modelArguments `json:"model_kwargs"` // the same since 5.4

	name string // of the file that was read; "": there is none
	text calls  // processing_kwargs: of texts
	all  calls  // of all kinds of input, which wins
	most int    // model_max_length; 0: unbounded
}

// modelArguments are those that change a number here.
type modelArguments struct {
	Attention string `json:"attn_implementation"`
}

// calls is what a tokenizer is called with.
type calls struct {
	cut *int // max_length
	pad bool // short texts are filled up though they are alone
}

// cut is the length of texts of both kinds; nil: none is said.
func (f *transformerFile) cut() *int { return cmp.Or(f.all.cut, f.text.cut) }

// unbounded is the length of texts that no file limits.
const unbounded = 1 << 20

// readTransformer reads the settings in the folder of the network. task is the only
// transformer_task that the caller runs; "" leaves that to the caller.
func readTransformer(root, task string) (transformerFile, error) {
	var f transformerFile
	for _, name := range lengthFiles() {
		var all map[string]json.RawMessage
		if _, err := readJSON(root, name, &all); err != nil {
			return f, err
		}
		if len(all) == 0 {
			continue
		}
		if _, err := readJSON(root, name, &f); err != nil {
			return f, err
		}
		f.name = filepath.Join(root, name)
		break
	}
	err := errors.Join(f.readTokenizer(root), f.readArguments(), f.readCalls())
	if f.Task != "" && task != "" && f.Task != task {
		err = errors.Join(err, fmt.Errorf("%s: transformer_task %q is not supported here (known: %s)", f.name, f.Task, task))
	}
	return f, err
}

// readTokenizer reads the length that the tokenizer's own file says.
func (f *transformerFile) readTokenizer(root string) error {
	var said struct {
		Most  *float64 `json:"model_max_length"`
		Older *float64 `json:"max_len"`
	}
	if _, err := readJSON(root, tokenizerFile, &said); err != nil {
		return err
	}
	var err error
	if most := cmp.Or(said.Most, said.Older); most != nil {
		f.most, err = length(filepath.Join(root, tokenizerFile)+": model_max_length", *most)
	}
	return err
}

// notRead names the files of sentence-transformers in a folder without modules.json, which
// the library passes over (base/model.py, 6.2: it loads a network and makes its modules anew).
func notRead(dir string) (string, error) {
	var there []string
	for _, name := range append(lengthFiles(), promptsFile) {
		found, err := disk.Exists(filepath.Join(dir, name))
		if err != nil {
			return "", err
		}
		if found {
			there = append(there, name)
		}
	}
	return strings.Join(there, ", "), nil
}

// length reads a number of tokens; 0 stands for numbers that transformers writes where
// there is no limit.
func length(what string, n float64) (int, error) {
	switch {
	case n > unbounded:
		return 0, nil
	case n < 1 || n != float64(int(n)):
		return 0, fmt.Errorf("%s is %g: want a number of tokens", what, n)
	}
	return int(n), nil
}

// readArguments reads what the tokenizer is opened with, which wins over its own files.
func (f *transformerFile) readArguments() error {
	arguments := maps.Clone(f.Arguments)
	if len(f.Later) > 0 {
		arguments = maps.Clone(f.Later)
	}
	for _, harmless := range []string{"use_fast", "trust_remote_code", "revision", "cache_dir", "token", "local_files_only"} {
		delete(arguments, harmless)
	}
	for _, key := range slices.Sorted(maps.Keys(arguments)) {
		var n float64
		if key != "model_max_length" || json.Unmarshal(arguments[key], &n) != nil {
			return fmt.Errorf("%s: tokenizer_args: %s %s is not supported (known: model_max_length): write it into %s", f.name, key, arguments[key], tokenizerFile)
		}
		most, err := length(f.name+": tokenizer_args: model_max_length", n)
		if err != nil {
			return err
		}
		f.Max, f.most = nil, most
		if most > 0 {
			f.Max = &most
		}
	}
	return nil
}

// readCalls reads what the tokenizer is called with. What changes nothing about a text
// alone is left out; what would change its tokens is refused.
func (f *transformerFile) readCalls() error {
	known := []string{"audio", "chat_template", "common", "image", "text", "video"}
	for _, kind := range slices.Sorted(maps.Keys(f.Calls)) {
		if err := nearest.OneOf("kind of input", kind, known...); err != nil {
			return fmt.Errorf("%s: processing_kwargs: %w", f.name, err)
		}
		of := &f.text
		switch kind {
		case "common":
			of = &f.all
		case "text":
		default:
			continue
		}
		for _, key := range slices.Sorted(maps.Keys(f.Calls[kind])) {
			value := f.Calls[kind][key]
			what := fmt.Sprintf("%s: processing_kwargs: %s.%s", f.name, kind, key)
			switch key {
			case "max_length":
				var n *int
				if err := json.Unmarshal(value, &n); err != nil || n != nil && *n < 1 {
					return fmt.Errorf("%s is %s: want a number of tokens", what, value)
				}
				of.cut = n
			case "truncation":
				if text := string(value); text != "true" && text != `"longest_first"` {
					return fmt.Errorf("%s %s is not supported (known: true, \"longest_first\"): infbench cuts texts; write max_length instead", what, value)
				}
			case "padding":
				of.pad = string(value) == `"max_length"`
			case "pad_to_multiple_of":
				of.pad = of.pad || string(value) != "null"
			case "return_tensors", "return_attention_mask", "return_token_type_ids", "verbose", "logits_to_keep":
			default:
				return fmt.Errorf("%s is not supported (known: max_length, padding, pad_to_multiple_of, truncation): remove it", what)
			}
		}
	}
	return nil
}

// classifies reports whether a folder's network is a sequence classifier, as far as its
// config.json can be read.
func classifies(root string) bool {
	var c Config
	found, err := readJSON(root, "config.json", &struct {
		Architectures *[]string `json:"architectures"`
	}{&c.Architectures})
	return found && err == nil && isClassifier(c.class())
}

// put sets the lengths and the case of texts. positions says that where the folder names
// no length the network's positions are one, as in sentence-transformers; a network that
// comes without its files has infbench's usual lengths.
func (f *transformerFile) put(t *Text, positions bool) {
	t.lower, t.cuts = f.Lower, true
	switch {
	case f.Max != nil:
		t.MaxQuery, t.MaxDocument = *f.Max, *f.Max
	case f.most > 0:
		t.most = f.most
	case positions:
		t.most = unbounded
	}
	setFrom(&t.MaxQuery, f.Query)
	setFrom(&t.MaxDocument, f.Document)
	if cut := f.cut(); cut != nil {
		t.MaxQuery, t.MaxDocument = *cut, *cut
	}
}

// setLengths sets the lengths that are given, which must then be lengths that the network
// can read.
func (t *Text) setLengths(query, document int) {
	setIf(&t.MaxQuery, query)
	setIf(&t.MaxDocument, document)
	if query > 0 || document > 0 {
		t.cuts = false
	}
}

// setReading sets how infbench.json says that the tokenizer.json in the network's folder is
// read. Folders that infbench saved before it wrote tokenizer_config.json have the
// tokenizer.json alone; root "" is not one of those.
func (t *Text) setReading(root string, own tokenizer.Reading) error {
	if err := nearest.OneOf("tokenizer", string(own), tokenizer.Readings()...); err != nil {
		return fmt.Errorf("%s: %w", ownFile, err)
	}
	t.reading = own
	if own != "" || root == "" {
		return nil
	}
	there, err := disk.Exists(filepath.Join(root, tokenizerFile))
	if err == nil && !there {
		t.reading = tokenizer.AsFile
	}
	return err
}

// tokenizerIn opens the tokenizer in the network's folder.
func (t *Text) tokenizerIn(root string, static bool) (*tokenizer.Tokenizer, error) {
	if static { // which sentence-transformers reads by the tokenizers library alone
		return tokenizer.OpenAs(root, tokenizer.AsFile)
	}
	return tokenizer.OpenAs(root, t.reading)
}

// fitLengths brings what files say of lengths and the positions of the network together.
// Learned positions end: texts are cut there where sentence-transformers' files say more, as
// many do that say 514 of a RoBERTa network that reads 512 tokens; the library fails at the
// first longer text. Rotary ones go on, and as many tokens are read as files say.
func (c *Config) fitLengths(arch architecture) error {
	t, positions := &c.Text, c.maxTokens
	longest := max(t.MaxQuery, t.MaxDocument)
	if positions == 0 || longest <= positions {
		return nil
	}
	if _, rotary := arch.(rotating); rotary && c.file != nil {
		if c.RopeScaling.kind() == "dynamic" {
			return fmt.Errorf("rope_scaling dynamic: vectors of texts above max_position_embeddings %d depend on the texts that are read with them, and texts of %d tokens are to be read: write {\"max_query_tokens\": %d, \"max_document_tokens\": %d} into %s", positions, longest, min(t.MaxQuery, positions), min(t.MaxDocument, positions), ownFile)
		}
		c.maxTokens = longest
		c.remarks = append(c.remarks, fmt.Sprintf("texts of %d tokens are read though max_position_embeddings is %d: rotary positions go on above it, and sentence-transformers reads as many", longest, positions))
	} else if t.cuts {
		c.remarks = append(c.remarks, fmt.Sprintf("the folder's files say %d tokens, the network has positions for %d: texts are cut at %d", longest, positions, positions))
		t.MaxQuery, t.MaxDocument = min(t.MaxQuery, positions), min(t.MaxDocument, positions)
	}
	return nil
}
