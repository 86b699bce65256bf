package encoder

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"

	"infbench/internal/strict"
)

// ownPooling holds the keys of infbench.json that override sentence-transformers' files, for
// networks that come without them.
type ownPooling struct {
	Pooling   Pooling `json:"pooling,omitempty"`
	Normalize *bool   `json:"normalize,omitempty"`
}

// ownSettings is infbench.json.
type ownSettings struct {
	ownPooling
	ownText
	ownSides
}

// readOwn reads infbench.json, strictly; ok is false if there is none.
func readOwn(dir string) (own ownSettings, ok bool, err error) {
	ok, err = readFile(dir, ownFile, func(path string, data []byte) error {
		if err := strict.Object(path, data, &own); err != nil {
			return err
		}
		var keys struct{ Judge map[string]any }
		err := json.Unmarshal(data, &keys)
		_, hasNo := keys.Judge["no"]
		own.Judge.OneWord = hasNo && own.Judge.No == ""
		return err
	})
	return own, ok, err
}

// setIf sets *v to value unless value is zero.
func setIf[T comparable](v *T, value T) {
	var zero T
	if value != zero {
		*v = value
	}
}

// Settings returns the infbench.json with which a model's folder handles texts as the card
// defines. Settings missing in the card keep the folder's values, or the defaults. It is an error
// for cards of models without weights.
func (c *Card) Settings() ([]byte, error) {
	if !c.InFolder() {
		return nil, fmt.Errorf("model %s is %s and has no folder", c.Name, c.Kind)
	}
	own := ownText{
		Query: c.Query, QueryAlone: c.QueryAlone, Document: c.Document, DocumentAlone: c.DocumentAlone,
		MaxQuery: cmp.Or(c.MaxQueryTokens, c.MaxTokens), MaxDocument: c.MaxTokens, AppendEOS: c.AppendEOS,
		Attention: c.Attention, Prompt: c.Prompt,
	}
	if c.Judge != nil {
		own.Judge = *c.Judge
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // prompts hold < and >
	e.SetIndent("", "  ")
	err := e.Encode(ownSettings{ownPooling: ownPooling{c.Pooling, c.Normalize}, ownText: own})
	return b.Bytes(), err
}
