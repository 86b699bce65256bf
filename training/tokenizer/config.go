package tokenizer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"infbench/internal/disk"
)

// Files with the settings of a vocabulary.
const (
	configFile  = "tokenizer_config.json"
	specialFile = "special_tokens_map.json"
	addedFile   = "added_tokens.json"
)

// config has the settings that vocabulary files lack.
type config struct {
	Class          string `json:"tokenizer_class"`
	Lower          *bool  `json:"do_lower_case"`
	Strip          *bool  `json:"strip_accents"`
	Chinese        *bool  `json:"tokenize_chinese_chars"`
	AddPrefix      bool   `json:"add_prefix_space"`
	AddBOS         *bool  `json:"add_bos_token"`
	AddEOS         bool   `json:"add_eos_token"`
	Extra          *int   `json:"extra_ids"`
	Legacy         *bool  `json:"legacy"` // false: a blank goes only before a text, not after each special token
	PaddingSide    string `json:"padding_side"`
	TruncationSide string `json:"truncation_side"`

	Decoder map[string]tokenJSON `json:"added_tokens_decoder"` // by id

	added map[string]addedToken // tokens with ids outside the vocabulary
	named map[string]addedToken // special tokens: eos_token...
	more  []addedToken          // additional_special_tokens
	rows  int                   // vocab_size of config.json, 0: unknown
}

// readConfig reads tokenizer_config.json, special_tokens_map.json, which prevails if both name a
// token, and added_tokens.json. All of them may be missing.
func readConfig(dir string) (config, error) {
	c := config{added: map[string]addedToken{}, named: map[string]addedToken{}}
	var model struct {
		Rows    int      `json:"vocab_size"`
		Classes []string `json:"architectures"`
	}
	var ids map[string]int32
	err := errors.Join(readOptional(dir, configFile, &c), c.readSpecial(dir, configFile), c.readSpecial(dir, specialFile),
		readOptional(dir, addedFile, &ids), readOptional(dir, "config.json", &model))
	c.rows = model.Rows
	// The makers' code reads TART with this class, whatever the folder names.
	if t5 := strings.TrimSuffix(c.Class, "Fast"); slices.Contains(model.Classes, "EncT5ForSequenceClassification") && (t5 == "" || t5 == "T5Tokenizer") {
		c.Class = encT5
	}
	for text, id := range ids {
		c.added[text] = addedToken{ID: id, Content: text}
	}
	for text, token := range c.Decoder {
		id, idErr := strconv.ParseInt(text, 10, 32)
		if idErr != nil {
			err = errors.Join(err, fmt.Errorf("read %s: added_tokens_decoder: %q is not an id", filepath.Join(dir, configFile), text))
		}
		token.ID = int32(id)
		c.added[token.Content] = token.addedToken
	}
	return c, err
}

// readSpecial reads the special tokens that a file names.
func (c *config) readSpecial(dir, name string) error {
	var file struct {
		BOS  *tokenJSON  `json:"bos_token"`
		EOS  *tokenJSON  `json:"eos_token"`
		Unk  *tokenJSON  `json:"unk_token"`
		Pad  *tokenJSON  `json:"pad_token"`
		Mask *tokenJSON  `json:"mask_token"`
		More []tokenJSON `json:"additional_special_tokens"`
	}
	err := readOptional(dir, name, &file)
	for name, token := range map[string]*tokenJSON{bos: file.BOS, eos: file.EOS, unk: file.Unk, pad: file.Pad, masked: file.Mask} {
		if token != nil && token.Content != "" {
			c.named[name] = token.addedToken
		}
	}
	for _, token := range file.More {
		c.more = append(c.more, token.addedToken)
	}
	return err
}

// addedBeside lists the tokens of added_tokens.json by id, without those of others.
func (c *config) addedBeside(others []string) []addedToken {
	var list []addedToken
	for text, token := range c.added {
		if !slices.Contains(others, text) {
			list = append(list, token)
		}
	}
	slices.SortFunc(list, func(a, b addedToken) int { return int(a.ID) - int(b.ID) })
	return list
}

// readOptional decodes a JSON file of a folder if it exists.
func readOptional(dir, name string, into any) error {
	path := filepath.Join(dir, name)
	data, err := disk.ReadModelFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}
