package tokenizer

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// backend describes the tokenizer that a class of transformers 5.24 builds around a vocabulary
// (models/*/tokenization_*.py). A nil section is null. With keepsPost the file's post-processor is
// kept.
type backend struct {
	model                   string // the required type of model
	normalizer, words, post any
	keepsPost               bool
	settings                map[string]any    // of the model, replacing those of the file
	special                 map[string]string // special tokens of the class, by name
	maskStrips              bool              // its mask includes the blank before it
	unknown                 string            // the token that the model itself must have, or ""
	needs                   []string          // tokens without which the library fails, or gives IDs that no network has
}

type section = map[string]any

// backendOf returns the backend of a class; ok is false for unknown classes.
func (f *folderConfig) backendOf(class string, doc *document, ids map[string]int32) (b backend, ok bool) {
	wordPiece := func(unknown string) backend {
		return backend{
			model: "WordPiece",
			normalizer: section{
				"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": orTrue(f.Chinese),
				"strip_accents": f.Strip, "lowercase": orTrue(f.Lower),
			},
			words:    section{"type": "BertPreTokenizer"},
			settings: section{"unk_token": unknown, "continuing_subword_prefix": "##", "max_input_chars_per_word": 100},
		}
	}
	metaspace := func(scheme string, split bool) section {
		return section{"type": "Metaspace", "replacement": "▁", "prepend_scheme": scheme, "split": split}
	}
	unigram := func(scheme string, unknown int32) backend {
		return backend{
			model: "Unigram", normalizer: precompiledOf(doc.Normalizer),
			words: section{"type": "Sequence", "pretokenizers": []section{
				{"type": "WhitespaceSplit"}, metaspace(scheme, true),
			}},
			settings: section{"unk_id": unknown, "byte_fallback": false},
		}
	}
	pieces := func(unknown any, fused, bytes bool) section {
		return section{
			"dropout": nil, "unk_token": unknown, "continuing_subword_prefix": nil, "end_of_word_suffix": nil,
			"fuse_unk": fused, "byte_fallback": bytes, "ignore_merges": false,
		}
	}
	around := func(first, last string, trim, prefix bool) section {
		return section{"type": "RobertaProcessing", "sep": []any{last, ids[last]}, "cls": []any{first, ids[first]}, "trim_offsets": trim, "add_prefix_space": prefix}
	}
	ends := func(first, last string) section {
		single := spots(0, first, "$A", last)
		return templateOf(ids, single, slices.Concat(single, spots(0, last, "$B", last)))
	}
	scheme := "always"
	if f.AddPrefix != nil && !*f.AddPrefix {
		scheme = "never"
	}
	special := func(names ...string) map[string]string {
		all := map[string]string{}
		for i := 0; i < len(names); i += 2 {
			all[names[i]] = names[i+1]
		}
		return all
	}
	roberta := special(bos, "<s>", eos, "</s>", unk, "<unk>", sep, "</s>", pad, "<pad>", cls, "<s>", masked, "<mask>")
	switch class {
	case bertClass:
		first, last := f.token(cls, "[CLS]"), f.token(sep, "[SEP]")
		b = wordPiece(f.token(unk, "[UNK]"))
		single := spots(0, first, "$A", last)
		b.post = templateOf(ids, single, slices.Concat(single, spots(1, "$B", last)))
		b.needs, b.unknown = []string{first, last}, f.token(unk, "[UNK]")
		b.special = special(unk, "[UNK]", sep, "[SEP]", pad, "[PAD]", cls, "[CLS]", masked, "[MASK]")
	case "MPNetTokenizer":
		first, last := f.token(cls, "<s>"), f.token(sep, "</s>")
		b = wordPiece(f.token(unk, "[UNK]"))
		b.post, b.needs, b.unknown = around(first, last, true, false), []string{first, last}, f.token(unk, "[UNK]")
		b.special, b.maskStrips = special(bos, "<s>", eos, "</s>", unk, "[UNK]", sep, "</s>", pad, "<pad>", cls, "<s>", masked, "<mask>"), true
	case "RobertaTokenizer":
		first, last := f.token(cls, "<s>"), f.token(sep, "</s>")
		prefix := f.AddPrefix != nil && *f.AddPrefix
		b = backend{
			model: "BPE", words: section{"type": "ByteLevel", "add_prefix_space": prefix, "trim_offsets": true, "use_regex": true},
			post: around(first, last, orTrue(f.TrimOffsets), prefix), settings: pieces(nil, false, false), needs: []string{first, last},
		}
		b.special = roberta
	case "XLMRobertaTokenizer":
		first, last := f.token(bos, "<s>"), f.token(eos, "</s>")
		b = unigram(scheme, 3)
		b.post, b.needs = ends(first, last), []string{first, last}
		b.special = roberta
	case "CamembertTokenizer":
		first, last := f.token(bos, "<s>"), f.token(eos, "</s>")
		b = unigram(scheme, ids[f.token(unk, "<unk>")])
		b.post, b.needs = ends(first, last), []string{first, last}
		b.special, b.maskStrips = roberta, true
	case "T5Tokenizer":
		b = unigram("always", 2)
		b.post = templateOf(ids, spots(0, "$A", "</s>"), spots(0, "$A", "</s>", "$B", "</s>"))
		b.needs = []string{"</s>"}
		b.special = special(eos, "</s>", unk, "<unk>", pad, "<pad>")
	case "LlamaTokenizer":
		if scheme == "always" && !f.Legacy {
			scheme = "first"
		}
		b = backend{model: "BPE", words: metaspace(scheme, false), keepsPost: true, settings: pieces(nil, true, true)}
		b.special = special(bos, "<s>", eos, "</s>", unk, "<unk>")
	case "GemmaTokenizer":
		unknown := f.token(unk, "<unk>")
		b = backend{
			model: "BPE", normalizer: section{"type": "Replace", "pattern": section{"String": " "}, "content": "▁"},
			words:     section{"type": "Split", "pattern": section{"String": " "}, "behavior": "MergedWithPrevious", "invert": false},
			keepsPost: true, settings: pieces(unknown, true, true),
		}
		b.special = special(bos, "<bos>", eos, "<eos>", unk, "<unk>", pad, "<pad>", masked, "<mask>")
	case "Qwen2Tokenizer":
		b = backend{
			model: "BPE", normalizer: section{"type": "NFC"},
			words: section{"type": "Sequence", "pretokenizers": []section{
				{"type": "Split", "pattern": section{"Regex": qwenWords}, "behavior": "Isolated", "invert": false},
				{"type": "ByteLevel", "add_prefix_space": f.AddPrefix != nil && *f.AddPrefix, "trim_offsets": true, "use_regex": false},
			}},
			keepsPost: true, settings: pieces(nil, false, false),
		}
		b.special = special(unk, "<|endoftext|>", eos, "<|endoftext|>", pad, "<|endoftext|>")
	default:
		return b, false
	}
	return b, true
}

// qwenWords is Qwen2Tokenizer's expression.
const qwenWords = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`

// precompiledOf returns the first Precompiled normalizer of a file, or nil. Classes over
// SentencePiece's vocabularies keep only that part of the file's normalizer.
func precompiledOf(normalizer json.RawMessage) any {
	var one struct {
		Type  string            `json:"type"`
		Parts []json.RawMessage `json:"normalizers"`
	}
	if isNull(normalizer) || json.Unmarshal(normalizer, &one) != nil {
		return nil
	}
	if one.Type == "Precompiled" {
		return normalizer
	}
	for _, part := range one.Parts {
		if kind, err := typeOf(part); err == nil && kind == "Precompiled" {
			return part
		}
	}
	return nil
}

// asClass returns the tokenizer that transformers 5 builds from a file by its class. built is false
// if it reads the file unchanged. misfit is the reason why the class cannot be built from the file,
// or "".
func (f *folderConfig) asClass(doc document) (changed document, built bool, misfit string, err error) {
	class := f.class(&doc)
	b, ok := f.backendOf(class, &doc, nil)
	if !ok {
		doc.AddedTokens, err = f.added(doc, nil)
		return doc, false, "", err
	}
	kind, err := modelType(doc.Model)
	if err != nil {
		return doc, false, "", nil // Read reports it
	}
	if kind != b.model && !(b.model == "WordPiece" && kind == "WordLevel") {
		misfit = fmt.Sprintf("builds a %s tokenizer, and the model of tokenizer.json is %s", b.model, kind)
		if f.stated {
			err = fmt.Errorf("%s: tokenizer_class %s %s: write \"tokenizer_class\": \"PreTrainedTokenizerFast\" there, or \"tokenizer\": %q or %q into infbench.json", configFile, f.Class, misfit, AsFile, Transformers4)
		}
		return doc, false, misfit, err
	}
	ids, err := vocabularyOf(doc.Model)
	if err != nil {
		return doc, false, "", err
	}
	if _, ok := ids[b.unknown]; !ok && b.unknown != "" {
		return doc, false, fmt.Sprintf("needs a token %q, which the vocabulary lacks", b.unknown), nil
	}
	tokens, err := f.added(doc, &b)
	if err != nil {
		return doc, false, "", err
	}
	for _, t := range tokens {
		ids[t.Content] = t.ID
	}
	for _, token := range b.needs {
		if _, ok := ids[token]; !ok {
			return doc, false, fmt.Sprintf("needs a token %q, which the vocabulary lacks and the network has no row for", token), nil
		}
	}
	b, _ = f.backendOf(class, &doc, ids)
	original := doc
	doc.AddedTokens = tokens
	set := func(into *json.RawMessage, value any) {
		if err == nil {
			err = marshalInto(into, value)
		}
	}
	set(&doc.Normalizer, b.normalizer)
	set(&doc.PreTokenizer, b.words)
	if !b.keepsPost {
		set(&doc.PostProcessor, b.post)
	}
	if err != nil {
		return original, false, "", err
	}
	if kind != b.model {
		b.settings["type"] = b.model
	}
	doc.Model, err = withSettings(doc.Model, b.settings)
	return doc, true, "", err
}

// withSettings returns a model section with changed settings, or the same bytes if none changes.
func withSettings(model json.RawMessage, settings section) (json.RawMessage, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(model, &all); err != nil {
		return model, err
	}
	changed := false
	for _, key := range slices.Sorted(maps.Keys(settings)) {
		value, err := json.Marshal(settings[key])
		if err != nil {
			return model, err
		}
		if plain := string(all[key]); plain != string(value) && !(isNone(plain) && isNone(string(value))) {
			all[key], changed = value, true
		}
	}
	if !changed {
		return model, nil
	}
	return json.Marshal(all)
}

// isNone reports whether a setting is not set: absent, null, false or an empty text.
func isNone(value string) bool {
	return value == "" || value == "null" || value == "false" || strings.TrimSpace(value) == `""`
}
