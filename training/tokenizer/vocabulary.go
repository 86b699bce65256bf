package tokenizer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"infbench/internal/disk"
)

// Open returns the tokenizer of a model folder: its tokenizer.json, or else its
// SentencePiece model (spiece.model, tokenizer.model, sentencepiece.bpe.model), or else
// its vocab.json and merges.txt, read as GPT-2's or RoBERTa's, or else its vocab.txt,
// lower-cased unless tokenizer_config.json says do_lower_case false. EncT5Tokenizer's
// SentencePiece model comes first: the tokenizer.json beside it is T5's. A folder with
// none is an error that satisfies errors.Is(err, fs.ErrNotExist).
func Open(dir string) (*Tokenizer, error) { return OpenAs(dir, "") }

// OpenAs is Open of a folder whose tokenizer.json is read as a version of transformers
// reads it; the empty Reading is Transformers5.
func OpenAs(dir string, as Reading) (*Tokenizer, error) {
	says, saysErr := readConfig(dir)
	if saysErr == nil && says.Class == encT5 {
		if t, err := openSentencePiece(dir, says); !errors.Is(err, fs.ErrNotExist) {
			return t, err
		}
	}
	path := filepath.Join(dir, jsonFile)
	data, err := disk.ReadModelFile(path)
	if err == nil {
		beside, err := readSays(dir)
		if err != nil {
			return nil, err
		}
		t, err := beside.read(data, as)
		if err != nil {
			return nil, fmt.Errorf("open %s: %w", path, err)
		}
		return t, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if saysErr != nil {
		return nil, saysErr
	}
	var t *Tokenizer
	for _, open := range []func(string, config) (*Tokenizer, error){openSentencePiece, openByteLevel, openVocabulary} {
		if t, err = open(dir, says); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return t, err
}

// openVocabulary reads vocab.txt: a token a line, from id 0 on.
func openVocabulary(dir string, says config) (*Tokenizer, error) {
	path := filepath.Join(dir, "vocab.txt")
	text, err := disk.ReadModelFile(path)
	if err != nil {
		return nil, fmt.Errorf("no tokenizer.json: %w", err)
	}
	t, err := wordPieceSaying(lines(text), says)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return t, nil
}

// lines splits a text file at either kind of line end.
func lines(text []byte) []string {
	return strings.Split(strings.TrimSuffix(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n"), "\n")
}

// bertSpecials are the tokens a BERT vocabulary must hold; line i of vocab.txt
// has id i.
var bertSpecials = []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}

// NewWordPiece returns BERT's tokenizer over a vocabulary, in which the index
// of a token is its id and pieces inside words start with "##". It must hold
// [PAD], [UNK], [CLS], [SEP] and [MASK], and no token twice.
func NewWordPiece(vocab []string, lowerCase bool) (*Tokenizer, error) {
	return wordPieceSaying(vocab, config{Lower: &lowerCase})
}

// wordPieceSaying is NewWordPiece with what other files say.
func wordPieceSaying(vocab []string, says config) (*Tokenizer, error) {
	ids := make(map[string]int32, len(vocab))
	for i, token := range vocab {
		if first, ok := ids[token]; ok {
			return nil, fmt.Errorf("vocabulary: lines %d and %d are both %q", first+1, i+1, token)
		}
		ids[token] = int32(i)
	}
	var added []addedToken
	for _, token := range bertSpecials {
		id, ok := ids[token]
		if !ok {
			return nil, fmt.Errorf("vocabulary: no %s", token)
		}
		added = append(added, addedToken{ID: id, Content: token, Special: true})
	}
	data, err := bertJSON(ids, append(added, says.addedBeside(bertSpecials)...), says)
	if err != nil {
		return nil, err
	}
	return Read(data)
}

// bertJSON writes the tokenizer.json of a BERT model.
func bertJSON(ids map[string]int32, added []addedToken, says config) ([]byte, error) {
	type object = map[string]any
	special := func(token string, typeID int) object {
		return object{"SpecialToken": object{"id": token, "type_id": typeID}}
	}
	text := func(name string, typeID int) object {
		return object{"Sequence": object{"id": name, "type_id": typeID}}
	}
	tokens := object{}
	for _, name := range []string{"[CLS]", "[SEP]"} {
		tokens[name] = object{"id": name, "ids": []int32{ids[name]}, "tokens": []string{name}}
	}
	return json.Marshal(object{
		"version": "1.0", "truncation": nil, "padding": nil, "added_tokens": added,
		"normalizer": object{
			"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": orTrue(says.Chinese),
			"strip_accents": says.Strip, "lowercase": orTrue(says.Lower),
		},
		"pre_tokenizer": object{"type": "BertPreTokenizer"},
		"post_processor": object{
			"type":           "TemplateProcessing",
			"single":         []object{special("[CLS]", 0), text("A", 0), special("[SEP]", 0)},
			"pair":           []object{special("[CLS]", 0), text("A", 0), special("[SEP]", 0), text("B", 1), special("[SEP]", 1)},
			"special_tokens": tokens,
		},
		"decoder": object{"type": "WordPiece", "prefix": "##", "cleanup": true},
		"model": object{
			"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
			"max_input_chars_per_word": 100, "vocab": ids,
		},
	})
}
