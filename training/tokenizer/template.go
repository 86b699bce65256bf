package tokenizer

import (
	"encoding/json"
	"errors"
	"fmt"
)

// template has the special tokens around one text and around a pair of texts.
type template struct {
	single, pair layout
}

// layout is a sequence of places, each filled by special tokens or a text.
type layout struct {
	places   []place
	specials int // number of ids that are not of a text
}

// place has fixed ids, or represents the first or second text.
type place struct {
	text   int // 0: none, 1: first, 2: second
	ids    []int32
	typeID int32
}

// plain is the template without special tokens.
func plain() template {
	return template{
		single: layout{places: []place{{text: 1}}},
		pair:   layout{places: []place{{text: 1}, {text: 2, typeID: 1}}},
	}
}

// fill returns the ids and segment ids of the layout around the texts a and b.
func (l layout) fill(a, b []int32) (ids, types []int32) {
	n := l.specials + len(a) + len(b)
	ids, types = make([]int32, 0, n), make([]int32, 0, n)
	for _, p := range l.places {
		part := p.ids
		switch p.text {
		case 1:
			part = a
		case 2:
			part = b
		}
		ids = append(ids, part...)
		for range part {
			types = append(types, p.typeID)
		}
	}
	return ids, types
}

// add appends a place of fixed ids.
func (l *layout) add(typeID int32, ids ...int32) {
	l.places = append(l.places, place{ids: ids, typeID: typeID})
	l.specials += len(ids)
}

// readPostProcessor reads a post_processor section of any type.
func readPostProcessor(data json.RawMessage) (template, error) {
	kind, err := typeOf(data)
	if err != nil {
		return template{}, err
	}
	return readKind("post_processor type", kind, data, map[string]func(json.RawMessage) (template, error){
		"BertProcessing":     readBertProcessing,
		"ByteLevel":          func(json.RawMessage) (template, error) { return plain(), nil }, // offsets only
		"RobertaProcessing":  readRobertaProcessing,
		"Sequence":           readPostProcessors,
		"TemplateProcessing": readTemplate,
	})
}

// readPostProcessors reads a Sequence; one of its parts may add tokens.
func readPostProcessors(data json.RawMessage) (template, error) {
	section := struct {
		Type  string            `json:"type"`
		Parts []json.RawMessage `json:"processors"`
	}{}
	if err := strict(data, &section); err != nil {
		return template{}, err
	}
	all := plain()
	for _, part := range section.Parts {
		t, err := readPostProcessor(part)
		if err != nil {
			return template{}, err
		}
		if t.single.specials+t.pair.specials == 0 {
			continue
		}
		if all.single.specials+all.pair.specials > 0 {
			return template{}, errors.New("two parts that add tokens are not supported")
		}
		all = t
	}
	return all, nil
}

// placeJSON is one place of a TemplateProcessing section.
type placeJSON struct {
	SpecialToken *placeRef `json:"SpecialToken"`
	Sequence     *placeRef `json:"Sequence"`
}

type placeRef struct {
	ID     string `json:"id"`
	TypeID int32  `json:"type_id"`
}

// specialJSON gives the ids of a special token of a template.
type specialJSON struct {
	ID     string   `json:"id"`
	IDs    []int32  `json:"ids"`
	Tokens []string `json:"tokens"`
}

func readTemplate(data json.RawMessage) (template, error) {
	section := struct {
		Type    string                 `json:"type"`
		Single  []placeJSON            `json:"single"`
		Pair    []placeJSON            `json:"pair"`
		Special map[string]specialJSON `json:"special_tokens"`
	}{}
	if err := strict(data, &section); err != nil {
		return template{}, err
	}
	single, err := readLayout(section.Single, section.Special)
	if err != nil {
		return template{}, fmt.Errorf("TemplateProcessing: single: %w", err)
	}
	pair, err := readLayout(section.Pair, section.Special)
	if err != nil {
		return template{}, fmt.Errorf("TemplateProcessing: pair: %w", err)
	}
	return template{single, pair}, nil
}

func readLayout(places []placeJSON, special map[string]specialJSON) (layout, error) {
	var l layout
	for _, p := range places {
		switch {
		case p.Sequence != nil && p.Sequence.ID == "A":
			l.places = append(l.places, place{text: 1, typeID: p.Sequence.TypeID})
		case p.Sequence != nil && p.Sequence.ID == "B":
			l.places = append(l.places, place{text: 2, typeID: p.Sequence.TypeID})
		case p.SpecialToken != nil:
			token, ok := special[p.SpecialToken.ID]
			if !ok {
				return layout{}, fmt.Errorf("special token %q is not in special_tokens", p.SpecialToken.ID)
			}
			l.add(p.SpecialToken.TypeID, token.IDs...)
		default:
			return layout{}, fmt.Errorf("a place that is neither a SpecialToken nor Sequence A or B")
		}
	}
	return l, nil
}

// readBertProcessing reads the older form of [CLS] A [SEP] B [SEP].
func readBertProcessing(data json.RawMessage) (template, error) {
	section := struct {
		Type string    `json:"type"`
		Sep  tokenPair `json:"sep"`
		Cls  tokenPair `json:"cls"`
	}{}
	if err := strict(data, &section); err != nil {
		return template{}, err
	}
	var t template
	for _, l := range []*layout{&t.single, &t.pair} {
		l.add(0, section.Cls.id)
		l.places = append(l.places, place{text: 1})
		l.add(0, section.Sep.id)
	}
	t.pair.places = append(t.pair.places, place{text: 2, typeID: 1})
	t.pair.add(1, section.Sep.id)
	return t, nil
}

// readRobertaProcessing reads <s> A </s></s> B </s>, all of one segment.
func readRobertaProcessing(data json.RawMessage) (template, error) {
	section := struct {
		Type      string    `json:"type"`
		Sep       tokenPair `json:"sep"`
		Cls       tokenPair `json:"cls"`
		Trim      *bool     `json:"trim_offsets"`
		AddPrefix *bool     `json:"add_prefix_space"`
	}{}
	if err := strict(data, &section); err != nil {
		return template{}, err
	}
	var t template
	for _, l := range []*layout{&t.single, &t.pair} {
		l.add(0, section.Cls.id)
		l.places = append(l.places, place{text: 1})
		l.add(0, section.Sep.id)
	}
	t.pair.add(0, section.Sep.id)
	t.pair.places = append(t.pair.places, place{text: 2})
	t.pair.add(0, section.Sep.id)
	return t, nil
}

// tokenPair is a token and its id, written as a JSON array ["[SEP]", 102].
type tokenPair struct {
	token string
	id    int32
}

// UnmarshalJSON reads the two-element array.
func (p *tokenPair) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, &[]any{&p.token, &p.id})
}
