package tokenizer

import (
	"encoding/json"
	"errors"
)

// Lowered returns the tokenizer that lower-cases a text before all other normalisation, like
// sentence-transformers' do_lower_case. Added tokens that are matched in the unchanged text keep
// their case. It is an error for a tokenizer without tokenizer.json.
func (t *Tokenizer) Lowered() (*Tokenizer, error) {
	data := t.JSON()
	if data == nil {
		return nil, errors.New("only a tokenizer.json can be made to lower-case texts")
	}
	var doc document
	if err := strict(data, &doc); err != nil {
		return nil, err
	}
	parts := []json.RawMessage{json.RawMessage(`{"type": "Lowercase"}`)}
	if !isNull(doc.Normalizer) {
		kind, err := typeOf(doc.Normalizer)
		if err != nil {
			return nil, err
		}
		var section struct {
			Parts []json.RawMessage `json:"normalizers"`
			Lower bool              `json:"lowercase"`
		}
		if err := json.Unmarshal(doc.Normalizer, &section); err != nil {
			return nil, err
		}
		switch {
		case kind == "Lowercase", kind == "BertNormalizer" && section.Lower:
			return t, nil
		case kind != "Sequence":
			section.Parts = []json.RawMessage{doc.Normalizer}
		}
		for _, part := range section.Parts {
			if kind, err := typeOf(part); err == nil && kind == "Lowercase" {
				return t, nil
			}
		}
		parts = append(parts, section.Parts...)
	}
	if err := marshalInto(&doc.Normalizer, section{"type": "Sequence", "normalizers": parts}); err != nil {
		return nil, err
	}
	data, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	other, err := Read(data)
	if err != nil {
		return nil, err
	}
	other.files = append(other.files, t.files[1:]...)
	other.changed = true
	other.notes, other.cutLeft, other.padsLeft, other.beyond, other.unpaired = t.notes, t.cutLeft, t.padsLeft, t.beyond, t.unpaired
	return other, nil
}
