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

// Open returns the tokenizer of a model folder: its tokenizer.json, or else its SentencePiece model
// (spiece.model, tokenizer.model, sentencepiece.bpe.model), or else its vocab.json and merges.txt,
// read like those of GPT-2 or RoBERTa, or else its vocab.txt, lower-cased unless
// tokenizer_config.json sets do_lower_case to false. EncT5Tokenizer's SentencePiece model comes
// first, since the tokenizer.json next to it is T5's. If the folder has none of these, the error
// satisfies errors.Is(err, fs.ErrNotExist).
func Open(dir string) (*Tokenizer, error) { return OpenAs(dir, "") }

// OpenAs is Open for a folder whose tokenizer.json is read like a version of transformers; the
// empty Reading is Transformers5.
func OpenAs(dir string, as Reading) (*Tokenizer, error) {
	conf, confErr := readConfig(dir)
	if confErr == nil && conf.Class == encT5 {
		if t, err := openSentencePiece(dir, conf); !errors.Is(err, fs.ErrNotExist) {
			return t, err
		}
	}
	path := filepath.Join(dir, jsonFile)
	data, err := disk.ReadModelFile(path)
	if err == nil {
		beside, err := readFolderConfig(dir)
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
	if confErr != nil {
		return nil, confErr
	}
	var t *Tokenizer
	for _, open := range []func(string, config) (*Tokenizer, error){openSentencePiece, openByteLevel, openVocabulary} {
		if t, err = open(dir, conf); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return t, err
}

// openVocabulary reads vocab.txt: one token a line, from id 0 on.
func openVocabulary(dir string, conf config) (*Tokenizer, error) {
	path := filepath.Join(dir, "vocab.txt")
	text, err := disk.ReadModelFile(path)
	if err != nil {
		return nil, fmt.Errorf("no tokenizer.json: %w", err)
	}
	t, err := wordPieceWith(lines(text), conf)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return t, nil
}

// lines splits a text file at either kind of line end.
func lines(text []byte) []string {
	return strings.Split(strings.TrimSuffix(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n"), "\n")
}

// bertSpecials are the tokens that a BERT vocabulary must have; line i of vocab.txt has id i.
var bertSpecials = []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}

// NewWordPiece returns BERT's tokenizer over a vocabulary, in which the index of a token is its id
// and pieces inside words start with "##". It must contain [PAD], [UNK], [CLS], [SEP] and [MASK],
// and no duplicates.
func NewWordPiece(vocab []string, lowerCase bool) (*Tokenizer, error) {
	return wordPieceWith(vocab, config{Lower: &lowerCase})
}

// wordPieceWith is NewWordPiece with the settings of other files.
func wordPieceWith(vocab []string, conf config) (*Tokenizer, error) {
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
	data, err := bertJSON(ids, append(added, conf.addedBeside(bertSpecials)...), conf)
	if err != nil {
		return nil, err
	}
	return Read(data)
}

// bertJSON writes the tokenizer.json of a BERT model.
func bertJSON(ids map[string]int32, added []addedToken, conf config) ([]byte, error) {
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
			"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": orTrue(conf.Chinese),
			"strip_accents": conf.Strip, "lowercase": orTrue(conf.Lower),
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
