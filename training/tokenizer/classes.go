package tokenizer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"infbench/internal/nearest"
)

// Reading is a way to read tokenizer.json. transformers 5 takes the vocabulary from it and builds
// the rest by tokenizer_class and tokenizer_config.json. transformers 4 changes a few settings of
// the file.
type Reading string

// The readings; "" means Transformers5.
const (
	Transformers5 Reading = "transformers 5" // like 5.24 (AutoTokenizer, tokenization_utils_tokenizers.py)
	Transformers4 Reading = "transformers 4" // like 4.57
	AsFile        Reading = "file"           // tokenizer.json alone
)

// Readings lists the names.
func Readings() []string {
	return []string{string(Transformers5), string(Transformers4), string(AsFile)}
}

// folderConfig is the information on a tokenizer in a folder's files other than tokenizer.json.
type folderConfig struct {
	Class          string          `json:"tokenizer_class"`
	Lower          *bool           `json:"do_lower_case"`
	Strip          *bool           `json:"strip_accents"`
	Chinese        *bool           `json:"tokenize_chinese_chars"`
	AddPrefix      *bool           `json:"add_prefix_space"`
	TrimOffsets    *bool           `json:"trim_offsets"`
	AddBOS         *bool           `json:"add_bos_token"`
	AddEOS         bool            `json:"add_eos_token"`
	Legacy         bool            `json:"legacy"`
	SplitSpecial   bool            `json:"split_special_tokens"`
	PaddingSide    string          `json:"padding_side"`
	TruncationSide string          `json:"truncation_side"`
	Inputs         []string        `json:"model_input_names"`
	Decoder        json.RawMessage `json:"added_tokens_decoder"`
	Extra          json.RawMessage `json:"extra_special_tokens"`
	Additional     json.RawMessage `json:"additional_special_tokens"`

	modelType string
	rows      int                   // vocab_size of config.json; 0: unknown
	beyond    []string              // special tokens whose ID would exceed it
	stated    bool                  // a file names a class that builds its own tokenizers
	found     bool                  // there is a tokenizer_config.json
	named     map[string]namedToken // bos_token...
	others    []namedToken          // of keys that end with _token and are not in transformers, in the file's order
	beside    []addedToken          // from added_tokens.json, by id
}

// namedToken is a special token of tokenizer_config.json or special_tokens_map.json.
type namedToken struct {
	addedToken
	bare bool // it is a text without settings
}

// UnmarshalJSON reads a text or an object; missing settings have the defaults of AddedToken.
func (t *namedToken) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, &t.Content) == nil {
		t.bare, t.Special = true, true
		return nil
	}
	said := struct {
		*addedToken
		Normalized *bool `json:"normalized"`
	}{addedToken: &t.addedToken}
	err := json.Unmarshal(data, &said)
	t.Normalized = !t.Special
	if said.Normalized != nil {
		t.Normalized = *said.Normalized
	}
	return err
}

// specialNames are transformers' SPECIAL_TOKENS_ATTRIBUTES, in the same order.
func specialNames() []string {
	return []string{bos, eos, unk, sep, pad, cls, masked}
}

// readFolderConfig reads the files next to tokenizer.json. special_tokens_map.json and
// added_tokens.json count only if tokenizer_config.json has no added_tokens_decoder.
func readFolderConfig(dir string) (folderConfig, error) {
	f := folderConfig{named: map[string]namedToken{}}
	var model struct {
		Type  string `json:"model_type"`
		Class string `json:"tokenizer_class"`
		Rows  int    `json:"vocab_size"`
	}
	var raw map[string]json.RawMessage
	err := errors.Join(readOptional(dir, configFile, &raw), readOptional(dir, configFile, &f))
	// A broken config.json is reported by the network.
	_ = readOptional(dir, "config.json", &model)
	f.found = raw != nil
	f.modelType, f.rows = model.Type, model.Rows
	f.Class = cmp.Or(f.Class, model.Class)
	f.stated = f.Class != "" && !isGeneric(f.Class)
	take := func(name string, all map[string]json.RawMessage) {
		for _, key := range specialNames() {
			if data := all[key]; !isNull(data) {
				var t namedToken
				if json.Unmarshal(data, &t) != nil {
					err = errors.Join(err, fmt.Errorf("read %s: %s is not a token", filepath.Join(dir, name), key))
				} else if t.Content != "" {
					f.named[key] = t
				}
			}
		}
	}
	take(configFile, raw)
	f.others = otherTokens(dir)
	if isNull(f.Decoder) {
		var special map[string]json.RawMessage
		var beside map[string]int32
		err = errors.Join(err, readOptional(dir, specialFile, &special), readOptional(dir, addedFile, &beside))
		take(specialFile, special)
		if data, ok := special["additional_special_tokens"]; ok && isNull(f.Additional) {
			f.Additional = data
		}
		if data, ok := special["extra_special_tokens"]; ok && isNull(f.Extra) {
			f.Extra = data
		}
		for text, id := range beside {
			isSpecial := slices.ContainsFunc(slices.Collect(maps.Values(f.named)), func(t namedToken) bool { return t.Content == text })
			f.beside = append(f.beside, addedToken{ID: id, Content: text, Special: isSpecial, Normalized: !isSpecial})
		}
		slices.SortFunc(f.beside, func(a, b addedToken) int { return int(a.ID) - int(b.ID) })
	}
	return f, err
}

// registered returns the class of a model_type in transformers 5.24 for folders that name none
// (tokenization_auto.py); "" if tokenizer.json is read unchanged.
func registered(modelType string) string {
	return map[string]string{
		"bert": bertClass, "distilbert": bertClass, "electra": bertClass, "nomic_bert": bertClass,
		"mpnet": "MPNetTokenizer", "roberta": "RobertaTokenizer", "xlm-roberta": "XLMRobertaTokenizer", "camembert": "CamembertTokenizer",
		"qwen2": "Qwen2Tokenizer", "qwen3": "Qwen2Tokenizer", "gemma3_text": "GemmaTokenizer", "t5": "T5Tokenizer", "mt5": "T5Tokenizer",
		"mistral": genericClass, "modernbert": genericClass, "umt5": genericClass,
	}[modelType]
}

const (
	bertClass    = "BertTokenizer"
	genericClass = "TokenizersBackend" // reads tokenizer.json unchanged
)

// isGeneric reports whether a class reads tokenizer.json unchanged.
func isGeneric(class string) bool {
	return slices.Contains([]string{genericClass, "PreTrainedTokenizer", "MistralCommonBackend"}, strings.TrimSuffix(class, "Fast"))
}

// class returns the class with which transformers 5.24 opens a folder, without "Fast"; "" if it
// reads tokenizer.json unchanged.
func (f *folderConfig) class(doc *document) string {
	switch hub := f.hub(doc); hub {
	case "DistilBertTokenizer", "ElectraTokenizer", "MobileBertTokenizer", "SqueezeBertTokenizer", "ConvBertTokenizer":
		return bertClass
	case "LongformerTokenizer", "BartTokenizer":
		return "RobertaTokenizer"
	default:
		if isGeneric(hub) {
			return ""
		}
		return hub
	}
}

// hub returns the name of the class with which transformers 5.24 opens a folder, without "Fast".
func (f *folderConfig) hub(doc *document) string {
	hub, ours := strings.TrimSuffix(f.Class, "Fast"), registered(f.modelType)
	switch {
	case hub == "":
		hub = ours
	case hub == "LlamaTokenizer" && f.modelType != "mistral" && bytes.Contains(doc.PreTokenizer, []byte(`"ByteLevel"`)):
		hub = genericClass
	case ours == "" || ours == hub:
	case ours == genericClass:
		hub = genericClass
	case f.modelType == "qwen2": // its folders name wrong classes
		hub = ours
	}
	return hub
}

// padsLeft lists the classes of transformers that pad on the left if no file names a side
// (padding_side of the class, 4 and 5).
func padsLeft() []string {
	return []string{"CodeLlamaTokenizer", "CohereTokenizer", "GemmaTokenizer", "LlamaTokenizer"}
}

// segments reports whether a network gets the segment of each token of two texts. It follows
// model_input_names, else the class. Classes that do not define this have token_type_ids among a
// network's inputs in transformers 4.57 but not in 5.24 (tokenization_utils_base.py).
func (f *folderConfig) segments(doc *document, as Reading) bool {
	switch hub := f.hub(doc); {
	case f.Inputs != nil:
		return slices.Contains(f.Inputs, "token_type_ids")
	case hub == "DistilBertTokenizer":
		return false
	case f.class(doc) == bertClass:
		return true
	case slices.Contains([]string{"DebertaTokenizer", "DebertaV2Tokenizer", "FNetTokenizer", "FunnelTokenizer", "MarkupLMTokenizer"}, hub):
		return true
	default:
		return as == Transformers4 && isGeneric(hub)
	}
}

// read returns the tokenizer of a tokenizer.json in a folder, with notes on conflicting files.
func (f *folderConfig) read(data []byte, as Reading) (*Tokenizer, error) {
	if as == AsFile {
		return Read(data)
	}
	var doc document
	if err := strict(data, &doc); err != nil {
		return Read(data) // Read reports the error
	}
	if f.SplitSpecial {
		return nil, fmt.Errorf("%s: split_special_tokens true is not supported: remove it", configFile)
	}
	changed, notes, err := f.rewritten(doc, as)
	if err != nil {
		return nil, err
	}
	rewritten := !sameDocument(doc, changed)
	if rewritten {
		if data, err = json.Marshal(changed); err != nil {
			return nil, err
		}
	}
	t, err := Read(data)
	if err != nil {
		return nil, err
	}
	t.notes, t.changed, t.beyond, t.unpaired = notes, rewritten, f.beyond, !f.segments(&doc, as)
	if f.PaddingSide == "" && doc.Padding == nil && slices.Contains(padsLeft(), f.class(&doc)) {
		t.padsLeft = true
	}
	for _, side := range []struct {
		key, said string
		left      *bool
	}{{"padding_side", f.PaddingSide, &t.padsLeft}, {"truncation_side", f.TruncationSide, &t.cutLeft}} {
		if err := nearest.OneOf(side.key, side.said, "left", "right"); err != nil {
			return nil, fmt.Errorf("%s: %w", configFile, err)
		}
		if side.said != "" {
			*side.left = side.said == "left"
		}
	}
	if fileCuts := doc.Truncation != nil && doc.Truncation.Direction == "Left"; t.cutLeft != fileCuts {
		// A copy of the files must cut on the same side.
		data, err := json.Marshal(section{"tokenizer_class": "PreTrainedTokenizerFast", "truncation_side": f.TruncationSide})
		if err != nil {
			return nil, err
		}
		t.files, t.changed = append(t.files, File{configFile, data}), true
	}
	return t, nil
}

// rewritten returns the tokenizer.json that a version of transformers makes from doc.
func (f *folderConfig) rewritten(doc document, as Reading) (changed document, notes []string, err error) {
	older, err := f.asOlder(doc)
	if err == nil {
		older.AddedTokens, err = f.added(older, nil)
	}
	if err != nil || as == Transformers4 {
		return older, nil, err
	}
	newer, built, misfit, err := f.asClass(doc)
	switch class := f.class(&doc); {
	case err != nil:
		return doc, nil, err
	case misfit != "":
		newer = older
		newer.PostProcessor = doc.PostProcessor
		if f.stated {
			notes = append(notes, fmt.Sprintf("tokenizer_class %s %s, so that transformers 5 cannot open it: tokenizer.json is read as transformers 4 does", f.Class, misfit))
		}
	case !built && class != "":
		notes = append(notes, fmt.Sprintf("tokenizer_class %s is not known here: tokenizer.json is read as it is", class))
	}
	if parts := differing(newer, older); len(parts) > 0 {
		notes = append(notes, fmt.Sprintf("tokenizer_class %s: transformers 5 has %s, and is followed; transformers 4 has others (infbench.json chooses: \"tokenizer\": %q, or %q for tokenizer.json alone)",
			cmp.Or(f.Class, f.class(&doc)), strings.Join(parts, " and "), Transformers4, AsFile))
	}
	return newer, notes, nil
}

// differing names the parts by which two files turn texts into different tokens.
func differing(a, b document) (parts []string) {
	if !sameSection(a.Normalizer, b.Normalizer, readNormalizer) {
		parts = append(parts, "a normalizer of its own")
	}
	if !sameSection(a.PreTokenizer, b.PreTokenizer, readPreTokenizer) {
		parts = append(parts, "a splitting into words of its own")
	}
	if !sameSection(a.PostProcessor, b.PostProcessor, readPostProcessor) {
		parts = append(parts, "special tokens around texts of its own, whatever add_bos_token and add_eos_token say")
	}
	return parts
}

// sameSection reports whether two sections have the same effect. A section that this package cannot
// read equals only itself.
func sameSection[T any](a, b json.RawMessage, read func(json.RawMessage) (T, error)) bool {
	if isNull(a) || isNull(b) {
		return isNull(a) == isNull(b)
	}
	var this, other any
	if json.Unmarshal(a, &this) == nil && json.Unmarshal(b, &other) == nil && reflect.DeepEqual(this, other) {
		return true
	}
	x, errX := read(a)
	y, errY := read(b)
	return errX == nil && errY == nil && reflect.DeepEqual(x, y)
}

// sameDocument reports whether two files make the same tokenizer.
func sameDocument(a, b document) bool {
	return len(differing(a, b)) == 0 && bytes.Equal(a.Model, b.Model) && slices.Equal(a.AddedTokens, b.AddedTokens)
}

// asOlder returns a file with the changes of transformers 4: to BERT's normalizer, and to the
// special tokens around texts of Llama and Gemma.
func (f *folderConfig) asOlder(doc document) (document, error) {
	class := strings.TrimSuffix(cmp.Or(f.Class, registered(f.modelType)), "Fast")
	switch class {
	case bertClass, "DistilBertTokenizer", "ElectraTokenizer", "MobileBertTokenizer", "SqueezeBertTokenizer", "ConvBertTokenizer", "MPNetTokenizer":
		if kind, err := typeOf(doc.Normalizer); err != nil || kind != "BertNormalizer" {
			return doc, nil
		}
		var all map[string]any
		if err := json.Unmarshal(doc.Normalizer, &all); err != nil {
			return doc, err
		}
		all["lowercase"], all["strip_accents"], all["handle_chinese_chars"] = orTrue(f.Lower), f.Strip, orTrue(f.Chinese)
		return doc, marshalInto(&doc.Normalizer, all)
	case "LlamaTokenizer", "GemmaTokenizer", "CodeLlamaTokenizer":
		ids, err := doc.ids()
		if err != nil {
			return doc, err
		}
		var before, after []string
		usual := map[string]string{bos: "<s>", eos: "</s>"}
		if class == "GemmaTokenizer" {
			usual = map[string]string{bos: "<bos>", eos: "<eos>"}
		}
		if orTrue(f.AddBOS) {
			before = []string{f.token(bos, usual[bos])}
		}
		if f.AddEOS {
			after = []string{f.token(eos, usual[eos])}
		}
		for _, token := range slices.Concat(before, after) {
			if _, ok := ids[token]; !ok {
				return doc, nil
			}
		}
		single := spots(0, slices.Concat(before, []string{"$A"}, after)...)
		second := spots(1, slices.Concat(before, []string{"$B"}, after)...)
		return doc, marshalInto(&doc.PostProcessor, templateOf(ids, single, slices.Concat(single, second)))
	}
	return doc, nil
}

// token returns a named special token, or the default of the class.
func (f *folderConfig) token(name, usual string) string {
	if t, ok := f.named[name]; ok {
		return t.Content
	}
	return usual
}

// marshalInto sets a section.
func marshalInto(section *json.RawMessage, value any) error {
	data, err := json.Marshal(value)
	*section = data
	return err
}

// ids returns the ids of the model's vocabulary and of the added tokens.
func (d *document) ids() (map[string]int32, error) {
	ids, err := vocabularyOf(d.Model)
	if err != nil {
		return nil, err
	}
	for _, t := range d.AddedTokens {
		ids[t.Content] = t.ID
	}
	return ids, nil
}

// vocabularyOf reads the ids of a model section: an object, or Unigram's list of pieces.
func vocabularyOf(model json.RawMessage) (map[string]int32, error) {
	var section struct {
		Vocab json.RawMessage `json:"vocab"`
	}
	if err := json.Unmarshal(model, &section); err != nil {
		return nil, err
	}
	ids := map[string]int32{}
	if json.Unmarshal(section.Vocab, &ids) == nil {
		return ids, nil
	}
	var pieces [][]json.RawMessage
	if err := json.Unmarshal(section.Vocab, &pieces); err != nil {
		return nil, fmt.Errorf("tokenizer.json: model: vocab: %w", err)
	}
	ids = make(map[string]int32, len(pieces))
	for i, piece := range pieces {
		var text string
		if len(piece) > 0 && json.Unmarshal(piece[0], &text) == nil {
			if _, ok := ids[text]; !ok {
				ids[text] = int32(i)
			}
		}
	}
	return ids, nil
}

// spot is a place of a template: a token, "$A" or "$B", with its segment.
type spot struct {
	name    string
	segment int
}

// spots returns places of one segment.
func spots(segment int, names ...string) (list []spot) {
	for _, name := range names {
		list = append(list, spot{name, segment})
	}
	return list
}

// templateOf returns a TemplateProcessing section.
func templateOf(ids map[string]int32, single, pair []spot) map[string]any {
	tokens := map[string]any{}
	places := func(spots []spot) (list []any) {
		for _, s := range spots {
			if s.name == "$A" || s.name == "$B" {
				list = append(list, map[string]any{"Sequence": map[string]any{"id": s.name[1:], "type_id": s.segment}})
				continue
			}
			list = append(list, map[string]any{"SpecialToken": map[string]any{"id": s.name, "type_id": s.segment}})
			tokens[s.name] = map[string]any{"id": s.name, "ids": []int32{ids[s.name]}, "tokens": []string{s.name}}
		}
		return list
	}
	return map[string]any{"type": "TemplateProcessing", "single": places(single), "pair": places(pair), "special_tokens": tokens}
}
