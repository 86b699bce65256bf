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
// tokenizer_config.json names, or else of the class that its file name implies.
func openSentencePiece(dir string, conf config) (*Tokenizer, error) {
	class, err := tokenizerClass(dir, conf)
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
	if err := t.setPieces(model, family, conf); err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return t, nil
}

// tokenizerClass returns the class that reads a folder's SentencePiece model.
func tokenizerClass(dir string, conf config) (string, error) {
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
	class := strings.TrimSuffix(conf.Class, "Fast")
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
		return "", fmt.Errorf("tokenizer_class %s reads %s, but the folder has %s", conf.Class, known[class].file, known[found[0]].file)
	}
	return "", fmt.Errorf("a SentencePiece model without tokenizer.json: %w", nearest.Unknown("tokenizer_class", conf.Class, slices.Sorted(maps.Keys(known))))
}

// addFiles keeps the other files on which the ids depend, so that a copy of the files makes the
// same tokenizer.
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

// ReadSentencePiece returns the tokenizer of a SentencePiece model without other files: only its
// user-defined symbols are matched literally, and no tokens are added.
func ReadSentencePiece(data []byte) (*Tokenizer, error) {
	m, err := sentencepiece.Parse(data)
	if err != nil {
		return nil, err
	}
	t := &Tokenizer{files: []File{{"tokenizer.model", data}}, pad: -1}
	return t, t.setPieces(m, convention{}, config{})
}

// setPieces makes the tokenizer of a model.
func (t *Tokenizer) setPieces(m *sentencepiece.Model, family convention, conf config) error {
	if family.moved {
		moveIDs(m)
	}
	words, segments, err := newPieces(m)
	if err != nil {
		return err
	}
	words.once = conf.Legacy != nil && !*conf.Legacy
	t.words, t.model = words, segments
	pieces := segments.vocabulary()
	extra := conf.extraTokens(family.extra, pieces)
	added, special := conf.specialTokens(&family, pieces, len(extra))
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
	family.choose(conf)
	t.padsLeft, t.cutLeft = conf.PaddingSide == "left", conf.TruncationSide == "left"
	t.template, err = family.template(special)
	return err
}

// specialTokens lists the tokens that a text may contain literally, each with its id, and the ids
// of the named ones. A named token that is not a piece and has no id in added_tokens.json gets an
// id after all others, as in transformers. So does a missing token of a family that is used only by
// name; other families leave it out.
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

// extraTokens lists T5's sentinels that are not pieces, <extra_id_0> with the highest id, if the
// model has rows for them.
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

// maxExtra limits the number that a file may ask for.
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
	t.Normalized = false // tokens are matched in the unchanged text
	return err
}
