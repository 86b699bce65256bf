package tokenizer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"infbench/internal/disk"
	"infbench/internal/nearest"
	"infbench/training/tokenizer/sentencepiece"
)

// openSentencePiece reads a SentencePiece model with the conventions of the class that
// tokenizer_config.json names, or else that its file is called after.
func openSentencePiece(dir string, says config) (*Tokenizer, error) {
	class, err := tokenizerClass(dir, says)
	if err != nil {
		return nil, err
	}
	family := conventions()[class]
	path := filepath.Join(dir, family.file)
	data, err := disk.ReadModelFile(path)
	if err != nil {
		return nil, err
	}
	model, err := sentencepiece.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	t := &Tokenizer{files: []File{{family.file, data}}, pad: -1}
	if err := t.addFiles(dir); err != nil {
		return nil, err
	}
	if err := t.setPieces(model, family, says); err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return t, nil
}

// tokenizerClass says which class reads a folder's SentencePiece model.
func tokenizerClass(dir string, says config) (string, error) {
	known := conventions()
	var found []string
	usual := ""
	for _, class := range slices.Sorted(maps.Keys(known)) {
		if _, err := disk.Stat(filepath.Join(dir, known[class].file)); err == nil {
			found = append(found, class)
			if usual == "" && !known[class].named {
				usual = class
			}
		}
	}
	if len(found) == 0 {
		return "", fs.ErrNotExist
	}
	class := strings.TrimSuffix(says.Class, "Fast")
	if class == "" {
		return usual, nil
	}
	for name := range known { // early conversions write LLaMATokenizer
		if strings.EqualFold(name, class) {
			class = name
		}
	}
	if slices.Contains(found, class) {
		return class, nil
	}
	if _, ok := known[class]; ok {
		return "", fmt.Errorf("tokenizer_class %s reads %s, but the folder has %s", says.Class, known[class].file, known[found[0]].file)
	}
	return "", fmt.Errorf("a SentencePiece model without tokenizer.json: %w", nearest.Unknown("tokenizer_class", says.Class, slices.Sorted(maps.Keys(known))))
}

// addFiles keeps what the ids depend on beside the model, so that a copy of the
// files is the same tokenizer.
func (t *Tokenizer) addFiles(dir string) error {
	for _, name := range []string{configFile, specialFile, addedFile} {
		data, err := disk.ReadModelFile(filepath.Join(dir, name))
		if err == nil {
			t.files = append(t.files, File{name, data})
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// ReadSentencePiece returns the tokenizer of a SentencePiece model by itself: no token
// stands for itself in a text but its user-defined symbols, and none is added.
func ReadSentencePiece(data []byte) (*Tokenizer, error) {
	m, err := sentencepiece.Parse(data)
	if err != nil {
		return nil, err
	}
	t := &Tokenizer{files: []File{{"tokenizer.model", data}}, pad: -1}
	return t, t.setPieces(m, convention{}, config{})
}

// setPieces makes the tokenizer of a model.
func (t *Tokenizer) setPieces(m *sentencepiece.Model, family convention, says config) error {
	if family.moved {
		moveIDs(m)
	}
	words, segments, err := newPieces(m)
	if err != nil {
		return err
	}
	words.once = says.Legacy != nil && !*says.Legacy
	t.words, t.model = words, segments
	pieces := segments.vocabulary()
	extra := says.extraTokens(family.extra, pieces)
	added, special := says.specialTokens(&family, pieces, len(extra))
	if err := t.addTokens(append(added, extra...)); err != nil {
		return err
	}
	if id, ok := special[pad]; ok {
		t.pad = id
	}
	for _, id := range special {
		t.special[id] = true
	}
	for _, id := range piecesOf(m, sentencepiece.Unknown, sentencepiece.Control) {
		t.special[id] = true
	}
	family.choose(says)
	t.padsLeft, t.cutLeft = says.PaddingSide == "left", says.TruncationSide == "left"
	t.template, err = family.template(special)
	return err
}

// specialTokens lists the tokens that a text may hold as they are, each with its id,
// and the ids of those with names. What a file names that is no piece and has no id in
// added_tokens.json comes after all, as in transformers, and so does a family's token
// that is no piece where the family is meant only if it is named; else it is left out.
func (c *config) specialTokens(family *convention, pieces map[string]int32, extra int) (added []addedToken, special map[string]int32) {
	next := int32(len(pieces) + extra)
	ids := maps.Clone(pieces)
	for text, token := range c.added {
		ids[text], next = token.ID, max(next, token.ID+1)
	}
	add := func(token addedToken) int32 {
		if full, ok := c.added[token.Content]; ok {
			token = full
		}
		id, ok := ids[token.Content]
		if !ok {
			id, next = next, next+1
			ids[token.Content] = id
		}
		token.ID = id
		if !slices.ContainsFunc(added, func(a addedToken) bool { return a.ID == id }) {
			added = append(added, token)
		}
		return id
	}
	special = map[string]int32{}
	for _, name := range []string{bos, eos, unk, pad, masked} {
		token, named := c.named[name]
		text, has := family.special[name]
		if _, known := ids[text]; !named && has && (known || family.named) {
			token, named = addedToken{Content: text, Special: true}, true
		}
		if named {
			special[name] = add(token)
		}
	}
	for _, token := range slices.Concat(c.addedBeside(nil), c.more) {
		if _, known := ids[token.Content]; known || !strings.HasPrefix(token.Content, extraToken) { // those are extra tokens
			add(token)
		}
	}
	return added, special
}

const extraToken = "<extra_id_"

// extraTokens lists T5's sentinels that are no pieces, <extra_id_0> with the highest
// id, where the model has rows for them.
func (c *config) extraTokens(n int, pieces map[string]int32) []addedToken {
	if c.Extra != nil {
		n = min(*c.Extra, maxExtra)
	}
	if c.rows > 0 && len(pieces)+n > c.rows {
		return nil
	}
	var list []addedToken
	for i := range n {
		text := fmt.Sprintf("%s%d>", extraToken, i)
		_, isPiece := pieces[text]
		if _, isAdded := c.added[text]; !isPiece && !isAdded {
			list = append(list, addedToken{ID: int32(len(pieces) + n - 1 - i), Content: text, LStrip: true, RStrip: true, Special: true})
		}
	}
	return list
}

// maxExtra bounds what a file may ask for.
const maxExtra = 10_000

// tokenJSON is a token, as a text or with its settings.
type tokenJSON struct{ addedToken }

// UnmarshalJSON reads either form.
func (t *tokenJSON) UnmarshalJSON(data []byte) error {
	t.Special = true
	if json.Unmarshal(data, &t.Content) == nil {
		return nil
	}
	err := json.Unmarshal(data, &t.addedToken)
	t.Normalized = false // what is matched is the text as it is
	return err
}
