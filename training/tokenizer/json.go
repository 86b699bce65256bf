package tokenizer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"infbench/internal/memory"
	"infbench/internal/nearest"
)

// jsonFile describes a complete tokenizer.
const jsonFile = "tokenizer.json"

// document is a tokenizer.json. Sections whose form depends on a type stay raw until the type is
// known.
type document struct {
	Version       string          `json:"version"`
	Truncation    *truncation     `json:"truncation"`
	Padding       *padding        `json:"padding"`
	AddedTokens   []addedToken    `json:"added_tokens"`
	Normalizer    json.RawMessage `json:"normalizer"`
	PreTokenizer  json.RawMessage `json:"pre_tokenizer"`
	PostProcessor json.RawMessage `json:"post_processor"`
	Decoder       json.RawMessage `json:"decoder"` // ids to text: not read
	Model         json.RawMessage `json:"model"`
}

type truncation struct {
	Direction string `json:"direction"`
	MaxLength int    `json:"max_length"`
	Strategy  string `json:"strategy"`
	Stride    int    `json:"stride"`
}

type padding struct {
	Strategy  json.RawMessage `json:"strategy"`
	Direction string          `json:"direction"`
	Multiple  *int            `json:"pad_to_multiple_of"`
	PadID     int32           `json:"pad_id"`
	PadTypeID int32           `json:"pad_type_id"`
	PadToken  string          `json:"pad_token"`
}

// perText is a lower bound on the memory for a text of the vocabulary, in bytes: an entry in the
// map of the model, in that of all tokens and in that of texts by id, and the text itself.
const perText = 96

// Read returns the tokenizer that a tokenizer.json describes. An unknown component or setting is an
// error that names it. If the memory has no room for the vocabulary, the error is a *memory.Full.
func Read(data []byte) (*Tokenizer, error) {
	if err := memory.For(int64(bytes.Count(data, []byte(`"`)) / 2 * perText)); err != nil {
		return nil, fmt.Errorf("tokenizer.json: %w", err)
	}
	var doc document
	if err := strict(data, &doc); err != nil {
		return nil, fmt.Errorf("tokenizer.json: %w", err)
	}
	t := &Tokenizer{files: []File{{jsonFile, bytes.Clone(data)}}, pad: -1, template: plain(), words: oneWord{}}
	steps := []struct {
		name string
		data json.RawMessage
		read func(json.RawMessage) error
	}{
		{"model", doc.Model, t.readModel},
		{"normalizer", doc.Normalizer, t.readNormalizer},
		{"pre_tokenizer", doc.PreTokenizer, t.readPreTokenizer},
		{"post_processor", doc.PostProcessor, t.readPostProcessor},
	}
	for _, s := range steps {
		if isNull(s.data) && s.name != "model" {
			continue
		}
		if err := s.read(s.data); err != nil {
			return nil, fmt.Errorf("tokenizer.json: %s: %w", s.name, err)
		}
	}
	if err := checkGrowth(t.normalizer, t.words, doc.Normalizer); err != nil {
		return nil, fmt.Errorf("tokenizer.json: %w", err)
	}
	if err := t.addTokens(numbered(t.model, doc.AddedTokens)); err != nil {
		return nil, fmt.Errorf("tokenizer.json: added_tokens: %w", err)
	}
	if err := t.readLengths(doc); err != nil {
		return nil, fmt.Errorf("tokenizer.json: %w", err)
	}
	return t, t.checkTemplate()
}

func (t *Tokenizer) readModel(data json.RawMessage) error {
	if isNull(data) {
		return errors.New("missing")
	}
	kind, err := modelType(data)
	if err != nil {
		return err
	}
	t.model, err = readKind("model type", kind, data, map[string]func(json.RawMessage) (model, error){
		"WordPiece": readWordPiece,
		"WordLevel": readWordLevel,
		"BPE":       readBPE,
		"Unigram":   readUnigram,
	})
	return err
}

// modelType returns the model's type. Files of early versions leave it out for WordPiece and BPE,
// which are recognised by their settings.
func modelType(data json.RawMessage) (string, error) {
	probe := struct {
		Type   *string         `json:"type"`
		Prefix *string         `json:"continuing_subword_prefix"`
		Max    *int            `json:"max_input_chars_per_word"`
		Merges json.RawMessage `json:"merges"`
	}{}
	if err := json.Unmarshal(data, &probe); err != nil {
		return "", err
	}
	switch {
	case probe.Type != nil:
		return *probe.Type, nil
	case probe.Merges != nil:
		return "BPE", nil
	case probe.Max != nil:
		return "WordPiece", nil
	}
	return "", errors.New("no type")
}

func (t *Tokenizer) readNormalizer(data json.RawMessage) (err error) {
	t.normalizer, err = readNormalizer(data)
	return err
}

func (t *Tokenizer) readPreTokenizer(data json.RawMessage) (err error) {
	t.words, err = readPreTokenizer(data)
	return err
}

func (t *Tokenizer) readPostProcessor(data json.RawMessage) (err error) {
	t.template, err = readPostProcessor(data)
	return err
}

// numbered returns the added tokens of a tokenizer.json with the ids that HuggingFace's library
// gives them, regardless of the file: those of the vocabulary, and for others the next ones in
// order. Empty tokens are left out; for a duplicate token the later settings count.
func numbered(m model, added []addedToken) []addedToken {
	next := int32(len(m.vocabulary()))
	if u, ok := m.(*unigram); ok {
		next = int32(len(u.scores)) // more, if there are duplicate pieces
	}
	var list []addedToken
	places := map[string]int{}
	for _, a := range added {
		at, again := places[a.Content]
		id, known := m.vocabulary()[a.Content]
		switch {
		case a.Content == "":
			continue
		case again:
			a.ID = list[at].ID
			list[at] = a
			continue
		case !known:
			id, next = next, next+1
		}
		a.ID = id
		places[a.Content] = len(list)
		list = append(list, a)
	}
	return list
}

// addTokens fills the vocabulary and the matchers.
func (t *Tokenizer) addTokens(added []addedToken) error {
	t.ids, t.special = maps.Clone(t.model.vocabulary()), map[int32]bool{}
	for _, a := range added {
		if a.Content == "" {
			return fmt.Errorf("token %d is empty", a.ID)
		}
		if id, ok := t.ids[a.Content]; ok && id != a.ID {
			return fmt.Errorf("token %q has id %d, but %d in the vocabulary", a.Content, a.ID, id)
		}
		t.ids[a.Content] = a.ID
		if a.Special {
			t.special[a.ID] = true
		}
	}
	t.tokens = make(map[int32]string, len(t.ids))
	for _, token := range slices.Sorted(maps.Keys(t.ids)) {
		id := t.ids[token]
		if other, ok := t.tokens[id]; ok {
			return fmt.Errorf("tokens %q and %q share the id %d", other, token, id)
		}
		if id < 0 || id > maxID {
			return fmt.Errorf("token %q has the id %d, outside [0,%d]", token, id, maxID)
		}
		t.tokens[id] = token
		t.size = max(t.size, int(id)+1)
	}
	raw, normalised := splitAdded(added)
	t.raw = newMatcher(raw, func(s string) string { return s })
	t.normalised = newMatcher(normalised, func(s string) string {
		if t.normalizer == nil {
			return s
		}
		return t.normalizer.normalize(s)
	})
	return nil
}

// maxID limits ids, so that a broken file cannot ask for a huge table.
const maxID = 1<<24 - 1

// readLengths reads truncation and padding.
func (t *Tokenizer) readLengths(doc document) error {
	if p := doc.Padding; p != nil {
		t.pad = p.PadID
		left, err := isLeft(p.Direction)
		if err != nil {
			return fmt.Errorf("padding: %w", err)
		}
		t.padsLeft = left
	}
	for _, name := range []string{"[PAD]", "<pad>", "<|padding|>"} {
		if id, ok := t.ids[name]; ok && t.pad < 0 {
			t.pad = id
		}
	}
	if c := doc.Truncation; c != nil {
		left, err := isLeft(c.Direction)
		if err != nil {
			return fmt.Errorf("truncation: %w", err)
		}
		t.cutLeft, t.limit = left, c.MaxLength
	}
	return nil
}

// isLeft reads a direction; the default is Right.
func isLeft(direction string) (bool, error) {
	switch direction {
	case "", "Right":
		return false, nil
	case "Left":
		return true, nil
	}
	return false, nearest.Unknown("direction", direction, []string{"Left", "Right"})
}

// checkTemplate checks the special tokens of the template against the vocabulary.
func (t *Tokenizer) checkTemplate() error {
	for _, l := range []layout{t.template.single, t.template.pair} {
		for _, p := range l.places {
			for _, id := range p.ids {
				if _, ok := t.tokens[id]; !ok {
					return fmt.Errorf("tokenizer.json: post_processor: no token has the id %d", id)
				}
			}
		}
	}
	return nil
}

// readKind reads a section with the reader registered for its type.
func readKind[T any](what, kind string, data json.RawMessage, readers map[string]func(json.RawMessage) (T, error)) (T, error) {
	read, ok := readers[kind]
	if !ok {
		var zero T
		return zero, nearest.Unknown(what, kind, slices.Sorted(maps.Keys(readers)))
	}
	value, err := read(data)
	if err != nil {
		return value, fmt.Errorf("%s: %w", kind, err)
	}
	return value, nil
}

// typeOf returns the type field of a section.
func typeOf(data json.RawMessage) (string, error) {
	probe := struct {
		Type string `json:"type"`
	}{}
	if err := json.Unmarshal(data, &probe); err != nil {
		return "", err
	}
	if probe.Type == "" {
		return "", errors.New("no type")
	}
	return probe.Type, nil
}

func isNull(data json.RawMessage) bool { return len(data) == 0 || string(data) == "null" }

// strict decodes one JSON value; unknown fields and trailing data are errors.
func strict(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("data after the JSON value")
	}
	return nil
}
