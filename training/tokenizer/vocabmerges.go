package tokenizer

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"infbench/internal/disk"
)

// openByteLevel reads vocab.json and merges.txt, the files of GPT-2 and RoBERTa from before
// tokenizer.json.
func openByteLevel(dir string, conf config) (*Tokenizer, error) {
	path := filepath.Join(dir, "vocab.json")
	data, err := disk.ReadModelFile(path)
	if err != nil {
		return nil, err
	}
	var vocab map[string]int32
	if err := strict(data, &vocab); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	merges, err := disk.ReadModelFile(filepath.Join(dir, "merges.txt"))
	if err != nil {
		return nil, fmt.Errorf("vocab.json needs merges.txt: %v", err) // not fs.ErrNotExist: the folder has a tokenizer
	}
	data, err = byteLevelJSON(vocab, mergeLines(merges), conf)
	if err != nil {
		return nil, err
	}
	t, err := Read(data)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return t, nil
}

// mergeLines returns the lines of merges.txt without the version at its start.
func mergeLines(text []byte) []string {
	var merges []string
	for i, line := range lines(text) {
		if line != "" && !(i == 0 && strings.HasPrefix(line, "#version")) {
			merges = append(merges, line)
		}
	}
	return merges
}

// byteLevelSpecials are the special tokens of GPT-2 and RoBERTa.
var byteLevelSpecials = []string{"<|endoftext|>", "<s>", "<pad>", "</s>", "<unk>", "<mask>"}

// byteLevelJSON writes the tokenizer.json of such a model. RoBERTa's special tokens surround its
// texts; GPT-2 has none of them and adds nothing.
func byteLevelJSON(vocab map[string]int32, merges []string, conf config) ([]byte, error) {
	type object = map[string]any
	added := []addedToken{}
	for _, token := range byteLevelSpecials {
		if id, ok := vocab[token]; ok {
			added = append(added, addedToken{ID: id, Content: token, Special: true, LStrip: token == "<mask>"})
		}
	}
	added = append(added, conf.addedBeside(byteLevelSpecials)...)
	processor := object{"type": "ByteLevel", "add_prefix_space": conf.AddPrefix, "trim_offsets": false}
	start, isStart := vocab["<s>"]
	end, isEnd := vocab["</s>"]
	if isStart && isEnd {
		processor = object{
			"type": "RobertaProcessing", "cls": []any{"<s>", start}, "sep": []any{"</s>", end},
			"trim_offsets": true, "add_prefix_space": conf.AddPrefix,
		}
	}
	return json.Marshal(object{
		"version": "1.0", "added_tokens": added,
		"pre_tokenizer":  object{"type": "ByteLevel", "add_prefix_space": conf.AddPrefix, "trim_offsets": true},
		"post_processor": processor,
		"decoder":        object{"type": "ByteLevel"},
		"model":          object{"type": "BPE", "vocab": vocab, "merges": merges},
	})
}
