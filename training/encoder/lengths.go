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

// tokenizerFile holds the length in folders of transformers, and of sentence-transformers since
// 5.4.
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

// transformerFile holds the settings of sentence-transformers' Transformer module
// (sentence_transformers/base/modules/transformer.py, 6.2), and the tokenizer's length.
type transformerFile struct {
	Max      *int   `json:"max_seq_length"`
	Lower    bool   `json:"do_lower_case"`
	Task     string `json:"transformer_task"`
	Query    *int   `json:"query_length"`
	Document *int   `json:"document_length"`

	Expansion *expansion `json:"query_expansion"` // for late interaction

	Calls     map[string]map[string]json.RawMessage `json:"processing_kwargs"`
	Arguments map[string]json.RawMessage            `json:"tokenizer_args"`   // arguments for opening the tokenizer
	Later     map[string]json.RawMessage            `json:"processor_kwargs"` // the same since 5.4

	Network   modelArguments `json:"model_args"`   // arguments for opening the network
	Networked modelArguments `json:"model_kwargs"` // the same since 5.4

	name string // the file that was read; "": there is none
	text calls  // processing_kwargs for texts
	all  calls  // processing_kwargs for all kinds of input; these win
	most int    // model_max_length; 0: unlimited
}

// modelArguments are the arguments that change a number here.
type modelArguments struct {
	Attention string `json:"attn_implementation"`
}

// calls holds the arguments of a call of the tokenizer.
type calls struct {
	cut *int // max_length
	pad bool // single short texts are filled up, too
}

// cut is the length of texts of both kinds; nil: not set.
func (f *transformerFile) cut() *int { return cmp.Or(f.all.cut, f.text.cut) }

// unbounded is the length of texts without a limit in any file.
const unbounded = 1 << 20

// readTransformer reads the settings in the folder of the network. task is the only
// transformer_task that the caller runs; "" leaves the check to the caller.
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

// readTokenizer reads the length in the tokenizer's own file.
func (f *transformerFile) readTokenizer(root string) error {
	var settings struct {
		Most  *float64 `json:"model_max_length"`
		Older *float64 `json:"max_len"`
	}
	if _, err := readJSON(root, tokenizerFile, &settings); err != nil {
		return err
	}
	var err error
	if most := cmp.Or(settings.Most, settings.Older); most != nil {
		f.most, err = length(filepath.Join(root, tokenizerFile)+": model_max_length", *most)
	}
	return err
}

// notRead names the files of sentence-transformers in a folder without modules.json. The library
// ignores them there (base/model.py, 6.2: it loads a network and makes new modules).
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

// length parses a number of tokens; 0 stands for the numbers that transformers writes if there is
// no limit.
func length(what string, n float64) (int, error) {
	switch {
	case n > unbounded:
		return 0, nil
	case n < 1 || n != float64(int(n)):
		return 0, fmt.Errorf("%s is %g: want a number of tokens", what, n)
	}
	return int(n), nil
}

// readArguments reads the arguments for opening the tokenizer, which win over its own files.
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

// readCalls reads the arguments of calls of the tokenizer. Arguments that do not change a single
// text are ignored; arguments that would change its tokens are errors.
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

// classifies reports whether a folder's network is a sequence classifier, judging by its
// config.json.
func classifies(root string) bool {
	var c Config
	found, err := readJSON(root, "config.json", &struct {
		Architectures *[]string `json:"architectures"`
	}{&c.Architectures})
	return found && err == nil && isClassifier(c.class())
}

// put sets the lengths and the case of texts. positions means that the network's positions are
// the length if the folder names none, as in sentence-transformers. A network without these files
// has infbench's usual lengths.
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

// setLengths sets the lengths that are given; the network must then be able to read them.
func (t *Text) setLengths(query, document int) {
	setIf(&t.MaxQuery, query)
	setIf(&t.MaxDocument, document)
	if query > 0 || document > 0 {
		t.cuts = false
	}
}

// setReading sets the reading of the tokenizer.json in the network's folder, as infbench.json
// names it. Folders saved by infbench before it wrote tokenizer_config.json only have
// tokenizer.json; root "" is not one of those.
func (t *Text) setReading(root string, own tokenizer.Reading) error {
	if err := nearest.OneOf("tokenizer", string(own), tokenizer.Readings()...); err != nil {
		return fmt.Errorf("%s: %w", ownFile, err)
	}
	if own == "" && t.reading != "" { // a base's, under an adapter's infbench.json
		return nil
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
	if static { // sentence-transformers uses only the tokenizers library for it
		return tokenizer.OpenAs(root, tokenizer.AsFile)
	}
	return tokenizer.OpenAs(root, t.reading)
}

// fitLengths reconciles the lengths in the files with the positions of the network. Learned
// positions are limited: longer lengths in sentence-transformers' files are cut. Many files name
// 514 for a RoBERTa network that reads 512 tokens; the library fails at the first longer text.
// Rotary positions are unlimited, so the lengths in the files count.
func (c *Config) fitLengths(arch architecture) error {
	t, positions := &c.Text, c.maxTokens
	longest := max(t.MaxQuery, t.MaxDocument)
	if positions == 0 || longest <= positions {
		return nil
	}
	if _, rotary := arch.(rotating); rotary && c.file != nil {
		if c.RopeScaling.kind() == "dynamic" {
			return fmt.Errorf("rope_scaling dynamic: vectors of texts above max_position_embeddings %d depend on the other texts of the batch, but the length of texts is %d tokens: write {\"max_query_tokens\": %d, \"max_document_tokens\": %d} into %s", positions, longest, min(t.MaxQuery, positions), min(t.MaxDocument, positions), ownFile)
		}
		c.maxTokens = longest
		c.remarks = append(c.remarks, fmt.Sprintf("texts of %d tokens are read although max_position_embeddings is %d: rotary positions continue above it, and sentence-transformers reads as many", longest, positions))
	} else if t.cuts {
		c.remarks = append(c.remarks, fmt.Sprintf("the folder's files set %d tokens, but the network has positions for %d: texts are cut at %d", longest, positions, positions))
		t.MaxQuery, t.MaxDocument = min(t.MaxQuery, positions), min(t.MaxDocument, positions)
	}
	return nil
}
