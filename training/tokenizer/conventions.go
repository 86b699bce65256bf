package tokenizer

import (
	"fmt"
	"slices"

	"infbench/training/tokenizer/sentencepiece"
)

// convention describes how transformers' tokenizer of a family, or a tokenizer published with its
// models (EncT5Tokenizer), surrounds the pieces of a SentencePiece model. A tokenizer.json would
// contain this; older repositories leave it to the class.
type convention struct {
	file    string            // file of the model
	special map[string]string // the tokens that a text may contain literally, by their names in special_tokens_map.json

	before, after, second []string // names of the tokens before and after a text, and before the second text of a pair

	chosen bool // add_bos_token and add_eos_token decide whether bos and eos are added
	extra  int  // <extra_id_0>... count down from the last id
	moved  bool // ids are those of fairseq
	named  bool // it is used only if a file names it, not by its model file
}

// encT5 is the class of facebookresearch/tart, which never has a tokenizer.json.
const encT5 = "EncT5Tokenizer"

const (
	bos, eos, unk, pad, masked = "bos_token", "eos_token", "unk_token", "pad_token", "mask_token"
	sep, cls                   = "sep_token", "cls_token"
)

// conventions lists the families by their tokenizer's class. If nothing names the class, the model
// file decides.
func conventions() map[string]convention {
	return map[string]convention{
		"T5Tokenizer": {
			file:    "spiece.model",
			special: map[string]string{eos: "</s>", unk: "<unk>", pad: "<pad>"},
			after:   []string{eos}, extra: 100,
		},
		encT5: {
			file:    "spiece.model",
			special: map[string]string{bos: "<s>", eos: "</s>", unk: "<unk>", pad: "<pad>"},
			before:  []string{bos}, after: []string{eos}, extra: 100, named: true,
		},
		"LlamaTokenizer": {
			file:    "tokenizer.model",
			special: map[string]string{bos: "<s>", eos: "</s>", unk: "<unk>"},
			before:  []string{bos}, after: []string{eos}, second: []string{bos}, chosen: true,
		},
		"XLMRobertaTokenizer": {
			file:    "sentencepiece.bpe.model",
			special: map[string]string{bos: "<s>", eos: "</s>", unk: "<unk>", pad: "<pad>", masked: "<mask>"},
			before:  []string{bos}, after: []string{eos}, second: []string{eos}, moved: true,
		},
	}
}

// choose leaves out the tokens that a file chooses not to add.
func (c *convention) choose(conf config) {
	if !c.chosen {
		return
	}
	if !orTrue(conf.AddBOS) {
		c.before, c.second = nil, nil
	}
	if !conf.AddEOS {
		c.after = nil
	}
}

// template returns the places around one text and two, all of one segment.
func (c *convention) template(ids map[string]int32) (template, error) {
	for _, name := range slices.Concat(c.before, c.after, c.second) {
		if _, ok := ids[name]; !ok {
			return template{}, fmt.Errorf("no piece is %s %q, which surrounds texts", name, c.special[name])
		}
	}
	var t template
	add := func(l *layout, names []string) {
		for _, name := range names {
			l.add(0, ids[name])
		}
	}
	for _, l := range []*layout{&t.single, &t.pair} {
		add(l, c.before)
		l.places = append(l.places, place{text: 1})
		add(l, c.after)
	}
	add(&t.pair, c.second)
	t.pair.places = append(t.pair.places, place{text: 2})
	add(&t.pair, c.after)
	return t, nil
}

// moveIDs gives pieces the ids of fairseq: it has four special tokens first, where SentencePiece
// has three, and a mask last.
func moveIDs(m *sentencepiece.Model) {
	control := func(text string) sentencepiece.Piece {
		return sentencepiece.Piece{Text: text, Type: sentencepiece.Control}
	}
	pieces := []sentencepiece.Piece{control("<s>"), control("<pad>"), control("</s>"), {Text: "<unk>", Type: sentencepiece.Unknown}}
	rest := slices.DeleteFunc(slices.Clone(m.Pieces), func(p sentencepiece.Piece) bool {
		return p.Type == sentencepiece.Unknown || p.Text == "<s>" || p.Text == "</s>"
	})
	m.Pieces, m.Unknown = append(append(pieces, rest...), control("<mask>")), 3
}
