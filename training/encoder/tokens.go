package encoder

import (
	"cmp"
	"errors"

	"infbench/training/tokenizer"
)

// Tokens turns texts into the sequences of tokens that a network reads: it joins texts, adds
// special tokens and cuts long texts.
type Tokens struct {
	config    *Config
	arch      architecture
	tokenizer *tokenizer.Tokenizer // nil: the folder has none
}

// settings is the tokenizer_config.json with which transformers reads a saved tokenizer.json
// unchanged and pads short texts.
func (t *Tokens) settings() map[string]any {
	side := Right
	if t.tokenizer.CutsLeft() {
		side = Left
	}
	settings := map[string]any{
		"tokenizer_class":  "PreTrainedTokenizerFast",
		"truncation_side":  side,
		"model_max_length": max(t.config.Text.MaxQuery, t.config.Text.MaxDocument),
	}
	if pad := t.tokenizer.Token(t.PadID()); pad != "" {
		settings["pad_token"] = pad
	}
	return settings
}

// errNoTokenizer is returned if a model without a tokenizer gets texts.
var errNoTokenizer = errors.New("the model folder has neither tokenizer.json nor vocab.txt, vocab.json or a SentencePiece model (spiece.model, tokenizer.model)")

// PadID is the id that pads short sequences.
func (t *Tokens) PadID() int32 {
	if t.tokenizer != nil {
		if id, ok := t.tokenizer.PadID(); ok {
			return id
		}
	}
	if id := t.config.PadTokenID; int(id) < t.config.VocabSize {
		return max(0, id) // -1 means none
	}
	return 0
}

// Query returns the ids of a query joined with its instruction (which may be empty), with special
// tokens, at most Text.MaxQuery of them; nil if the model has no tokenizer.
func (t *Tokens) Query(query, instruction string) []int32 {
	if t.tokenizer == nil {
		return nil
	}
	return t.QueryBy(t.config.Text.Concat, query, instruction)
}

// QueryBy is Query under another concatenation than the model's own. ByToken returns at most
// twice Text.MaxQuery tokens and those of the template.
func (t *Tokens) QueryBy(c Concatenation, query, instruction string) []int32 {
	if t.tokenizer == nil {
		return nil
	}
	text := &t.config.Text
	if c != ByToken || instruction == "" {
		return t.filled(t.of(text.query(query, instruction), text.MaxQuery), text.MaxQuery)
	}
	return t.filled(t.joined(query, instruction), min(2*text.MaxQuery, cmp.Or(t.config.maxTokens, 2*text.MaxQuery)))
}

// Document returns the ids of a document (its title may be empty), with special tokens, at most
// Text.MaxDocument of them; nil if the model has no tokenizer.
func (t *Tokens) Document(title, text string) []int32 {
	if t.tokenizer == nil {
		return nil
	}
	limit := t.config.Text.MaxDocument
	return t.filled(t.of(t.config.Text.document(title, text), limit), limit)
}

// of returns the ids of a text, at most limit of them. The last is the end token if texts must
// end with it.
func (t *Tokens) of(text string, limit int) []int32 {
	if _, isStatic := t.arch.(static); isStatic {
		return t.tokenizer.EncodeBare(text, limit)
	}
	ids := t.tokenizer.Encode(text, limit)
	if !t.config.Text.AppendEOS || len(ids) > 0 && ids[len(ids)-1] == t.config.eos {
		return ids
	}
	return append(t.tokenizer.Encode(text, limit-1), t.config.eos)
}

// Instruction returns the ids of an instruction that is encoded separately from its query, with
// special tokens, at most Text.MaxQuery of them; nil if the model has no tokenizer.
func (t *Tokens) Instruction(instruction string) []int32 {
	if t.tokenizer == nil {
		return nil
	}
	return t.filled(t.of(instruction, t.config.Text.MaxQuery), t.config.Text.MaxQuery)
}

// crossed lays out an instruction and a query in the form of Crossing.pairs, each in half of the
// sequence. Twice half is a length to which sequences are padded: see lengthOn.
func (t *Tokens) crossed(instruction, query []int32, half int) sequence {
	s := sequence{ids: make([]int32, 2*half), types: make([]int32, 2*half)}
	for at := range s.ids {
		s.ids[at] = t.PadID()
	}
	for side, part := range [][]int32{instruction, query} {
		from, to := t.Place(part, half)
		copy(s.ids[side*half+to-len(part):], part)
		for k := from; k < to; k++ {
			s.types[side*half+k] = 1
		}
	}
	return s
}
