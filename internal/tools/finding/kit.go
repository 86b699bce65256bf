package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"infbench/internal/disk"
	"infbench/internal/tools/beir"
	"infbench/internal/tools/pretrained"
	"infbench/training/tokenizer"
)

// Paths of the kit that the repository does not have.
const (
	half  = minilm + "-float16"
	small = inputs + "/small/tarx" // the test of a rehearsal, with the name that the claims expect
)

// script runs the kit.
//
//go:embed finding-check
var script []byte

// kit makes a folder with the first fold for a machine with a card and without a network: the
// experiments, their inputs, the claims, and the script, but not infbench. A rehearsal has trials
// of two steps and a test of ten topics.
func (s *settings) kit(dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	changes := []string{minilm, half}
	copied := []string{minilm, records, shuffled, tarx}
	if s.rehearse {
		changes = append(changes, "steps: 35", "steps: 2", tarx, small)
		copied = copied[:3]
		if err := writeTest(filepath.Join(dir, small), filepath.Join(sets, "TArX"), firstTopics(10), 0); err != nil {
			return err
		}
	}
	renamed := strings.NewReplacer(changes...)
	for _, name := range copied {
		if err := os.CopyFS(filepath.Join(dir, renamed.Replace(name)), os.DirFS(name)); err != nil {
			return err
		}
	}
	var texts []string
	for _, name := range []string{records, shuffled, tarx} {
		texts = append(texts, filepath.Join(dir, renamed.Replace(name)))
	}
	about, err := halve(filepath.Join(dir, half), texts)
	if err != nil {
		return err
	}
	fmt.Fprint(s.out, about)
	files := map[string][]byte{"model.txt": []byte(about)}
	for _, name := range []string{"experiments/followtable.yaml", "experiments/followtable-losses.yaml", "claims/followtable.yaml"} {
		text, err := os.ReadFile(filepath.Join("bench", name))
		if err != nil {
			return err
		}
		files["bench/"+name] = []byte(renamed.Replace(string(text)))
	}
	for name, text := range files {
		if err := disk.WriteBytes(filepath.Join(dir, name), text); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, "finding-check"), script, 0o755)
}

// halve writes MiniLM's weights in float16, with zeros for words that no text of the folders has, and
// returns a sentence that names both.
func halve(model string, folders []string) (about string, err error) {
	tok, err := tokenizer.Open(minilm)
	if err != nil {
		return "", err
	}
	used := map[int32]bool{}
	note := func(ids []int32) {
		for _, id := range ids {
			used[id] = true
		}
	}
	note(tok.Encode("", 0)) // the special tokens of every text
	for _, folder := range folders {
		files, err := filepath.Glob(filepath.Join(folder, "*.jsonl"))
		if err != nil {
			return "", err
		}
		for _, file := range files {
			err := beir.Lines(file, func(line []byte) error {
				var content any
				if err := json.Unmarshal(line, &content); err != nil {
					return fmt.Errorf("%s: %w", file, err)
				}
				eachText(content, func(text string) { note(tok.Tokenize(text)) })
				return nil
			})
			if err != nil {
				return "", err
			}
		}
	}
	zero, err := pretrained.WriteHalf(model, minilm, func(token int) bool { return used[int32(token)] })
	return fmt.Sprintf("all-MiniLM-L6-v2 in float16; %d of the %d rows of its word embeddings are zero, because no text here has these words\n", zero, tok.VocabSize()), err
}

// eachText calls use with each string in a value of JSON.
func eachText(value any, use func(string)) {
	switch v := value.(type) {
	case string:
		use(v)
	case []any:
		for _, e := range v {
			eachText(e, use)
		}
	case map[string]any:
		for _, e := range v {
			eachText(e, use)
		}
	}
}
