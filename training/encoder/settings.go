package encoder

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
)

// ownPooling is what infbench.json may say over sentence-transformers' files,
// for networks that come without them.
type ownPooling struct {
	Pooling   Pooling `json:"pooling,omitempty"`
	Normalize *bool   `json:"normalize,omitempty"`
}

// readOwnPooling lets infbench.json have the last word.
func (t *Text) readOwnPooling(dir string) error {
	var own ownPooling
	if _, err := readJSON(dir, ownFile, &own); err != nil {
		return err
	}
	setIf(&t.Pooling, own.Pooling)
	if own.Normalize != nil {
		t.Normalize = *own.Normalize
	}
	return nil
}

// setIf sets *v where there is a value.
func setIf[T comparable](v *T, value T) {
	var zero T
	if value != zero {
		*v = value
	}
}

// Settings is the infbench.json that makes a model's folder handle texts as the
// card says; what the card leaves open stays as the folder has it, or at the
// default. It is an error for cards of models without weights.
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
	err := e.Encode(struct {
		ownPooling
		ownText
	}{ownPooling{c.Pooling, c.Normalize}, own})
	return b.Bytes(), err
}
