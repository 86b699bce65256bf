package tokenizer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"infbench/internal/disk"
)

// added lists the added tokens of a file in a folder in the order in which transformers passes them
// to the tokenizers library: those of the file (unless a backend is built), then those of
// added_tokens_decoder by their IDs, then named and additional special tokens. The library gives a
// token its ID in the vocabulary, or else the next free one, and ignores the ID that the folder
// names.
func (f *folderConfig) added(doc document, b *backend) ([]addedToken, error) {
	vocabulary, err := vocabularyOf(doc.Model)
	if err != nil {
		return nil, err
	}
	decoder, err := f.decoder()
	if err != nil {
		return nil, err
	}
	if isNull(f.Decoder) {
		ofFile := map[int32]addedToken{} // the last one of each ID
		for _, t := range doc.AddedTokens {
			ofFile[t.ID] = t
		}
		decoder = slices.DeleteFunc(decoder, func(d addedToken) bool { _, ok := ofFile[d.ID]; return ok })
		decoder = slices.AppendSeq(decoder, maps.Values(ofFile))
		slices.SortStableFunc(decoder, func(a, b addedToken) int { return cmp.Compare(a.ID, b.ID) })
	}
	var before []addedToken
	if b == nil {
		before = slices.Clone(doc.AddedTokens)
	}
	list := newAdding(before, vocabulary)
	for _, t := range decoder {
		list.add(t)
	}
	for _, key := range specialNames() {
		if t, ok := f.named[key]; ok {
			f.addSpecial(list, t)
		} else if b != nil && b.special[key] != "" {
			f.addSpecial(list, namedToken{addedToken{Content: b.special[key], LStrip: key == masked && b.maskStrips}, true})
		}
	}
	more, err := f.moreSpecial()
	for _, t := range more {
		f.addSpecial(list, t)
	}
	slices.SortStableFunc(list.tokens, func(a, b addedToken) int { return cmp.Compare(a.ID, b.ID) })
	return list.tokens, err
}

// addSpecial adds a special token that no list of added tokens names. It leaves out a token whose
// ID would be beyond the network's rows: no text contains it.
func (f *folderConfig) addSpecial(list *adding, t namedToken) {
	if _, ok := list.at[t.Content]; ok {
		return
	}
	if id := list.idOf(t.Content); f.rows > 0 && int(id) >= f.rows {
		if !slices.Contains(f.beyond, t.Content) {
			f.beyond = append(f.beyond, t.Content)
		}
		return
	}
	t.Special = true
	list.add(t.addedToken)
}

// decoder reads added_tokens_decoder, or added_tokens.json if there is none, by ID.
func (f *folderConfig) decoder() ([]addedToken, error) {
	if isNull(f.Decoder) {
		return slices.Clone(f.beside), nil
	}
	var all map[string]namedToken
	if err := json.Unmarshal(f.Decoder, &all); err != nil {
		return nil, fmt.Errorf("%s: added_tokens_decoder: %w", configFile, err)
	}
	var list []addedToken
	for text, t := range all {
		id, err := strconv.ParseInt(text, 10, 32)
		if err != nil || t.bare {
			return nil, fmt.Errorf("%s: added_tokens_decoder: %q: want an ID and a token with its settings", configFile, text)
		}
		t.ID = int32(id)
		list = append(list, t.addedToken)
	}
	slices.SortFunc(list, func(a, b addedToken) int { return cmp.Compare(a.ID, b.ID) })
	return list, nil
}

// moreSpecial lists the tokens under names that only the folder uses, then extra_special_tokens, or
// additional_special_tokens if that list is missing.
func (f *folderConfig) moreSpecial() ([]namedToken, error) {
	all := slices.Clone(f.others)
	lists := []json.RawMessage{f.Extra, f.Additional}
	if !isNull(f.Extra) && f.Extra[0] == '{' {
		all = append(all, inOrder(f.Extra, func(string) bool { return true })...)
		lists = lists[1:]
	}
	for _, data := range lists {
		var list []namedToken
		if isNull(data) {
			continue
		}
		if err := json.Unmarshal(data, &list); err != nil {
			return nil, fmt.Errorf("%s: extra_special_tokens and additional_special_tokens: want a list of tokens: %w", configFile, err)
		}
		if len(list) > 0 {
			return append(all, list...), nil
		}
	}
	return all, nil
}

// otherTokens are the tokens of tokenizer_config.json under keys that transformers does not have.
func otherTokens(dir string) []namedToken {
	data, err := disk.ReadFile(filepath.Join(dir, configFile))
	if err != nil {
		return nil
	}
	return inOrder(data, func(key string) bool {
		return strings.HasSuffix(key, "_token") && !slices.Contains(specialNames(), key)
	})
}

// inOrder lists the tokens of an object's selected keys in the order of the file; values that are
// not tokens are left out.
func inOrder(object []byte, of func(key string) bool) (list []namedToken) {
	d := json.NewDecoder(bytes.NewReader(object))
	if _, err := d.Token(); err != nil {
		return nil
	}
	for d.More() {
		key, err := d.Token()
		var value json.RawMessage
		if err != nil || d.Decode(&value) != nil {
			return list
		}
		var t namedToken
		if name, ok := key.(string); ok && of(name) && (value[0] == '"' || value[0] == '{') && json.Unmarshal(value, &t) == nil && t.Content != "" {
			list = append(list, t)
		}
	}
	return list
}

// adding implements the tokenizers library's AddedVocabulary::add_tokens.
type adding struct {
	tokens     []addedToken
	at         map[string]int // indices in tokens
	vocabulary map[string]int32
	next       int32 // the ID of the next new token
}

func newAdding(tokens []addedToken, vocabulary map[string]int32) *adding {
	a := &adding{tokens: tokens, at: map[string]int{}, vocabulary: vocabulary, next: int32(len(vocabulary))}
	for i, t := range tokens {
		if _, ok := a.at[t.Content]; !ok {
			a.at[t.Content] = i
		}
		a.next = max(a.next, t.ID+1)
	}
	return a
}

// idOf returns the ID that a token has or would get.
func (a *adding) idOf(content string) int32 {
	if i, ok := a.at[content]; ok {
		return a.tokens[i].ID
	}
	if id, ok := a.vocabulary[content]; ok {
		return id
	}
	return a.next
}

func (a *adding) add(t addedToken) {
	if t.Content == "" {
		return
	}
	t.ID = a.idOf(t.Content)
	a.next = max(a.next, t.ID+1)
	if i, ok := a.at[t.Content]; ok {
		a.tokens[i] = t
		return
	}
	a.at[t.Content] = len(a.tokens)
	a.tokens = append(a.tokens, t)
}
