package tokenizer

import (
	"encoding/json"
	"fmt"
)

// wordLevel has an id for every known word and one for all others.
type wordLevel struct {
	vocab   map[string]int32
	unknown int32
}

func readWordLevel(data json.RawMessage) (model, error) {
	section := struct {
		Type    string           `json:"type"`
		Vocab   map[string]int32 `json:"vocab"`
		Unknown string           `json:"unk_token"`
	}{}
	if err := strict(data, &section); err != nil {
		return nil, err
	}
	id, ok := section.Vocab[section.Unknown]
	if !ok {
		return nil, fmt.Errorf("unk_token %q is not in the vocab", section.Unknown)
	}
	return wordLevel{section.Vocab, id}, nil
}

func (w wordLevel) vocabulary() map[string]int32 { return w.vocab }

func (w wordLevel) segment(ids []int32, word string) []int32 {
	if id, ok := w.vocab[word]; ok {
		return append(ids, id)
	}
	return append(ids, w.unknown)
}
