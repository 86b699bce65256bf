package generate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"infbench/datasets/atomicfile"
	"infbench/training/generate/template"
	"infbench/training/tokenizer"
)

// folder is what a model's folder says about writing texts.
type folder struct {
	stops    []int32 // ids that end a text
	sampling Sampling
	template *template.Template
	remarks  []string
}

// readFolder reads config.json, generation_config.json, tokenizer_config.json and
// chat_template.jinja, all but the first optional, for a model with so many tokens.
func readFolder(dir string, tok *tokenizer.Tokenizer, vocabulary int) (folder, error) {
	var f folder
	var config, generation struct {
		EOS     ids      `json:"eos_token_id"`
		TopP    float64  `json:"top_p"`
		TopK    int      `json:"top_k"`
		Penalty *float64 `json:"repetition_penalty"`
	}
	var texts texts
	err := errors.Join(
		readJSON(dir, "config.json", &config),
		readJSON(dir, "generation_config.json", &generation),
		readJSON(dir, "tokenizer_config.json", &texts),
		readJSON(dir, "special_tokens_map.json", &texts)) // counts where both name a token
	if err != nil {
		return f, err
	}
	f.stops = slices.Concat(generation.EOS, config.EOS)
	if id, ok := tok.ID(string(texts.EOS)); ok {
		f.stops = append(f.stops, id)
	}
	slices.Sort(f.stops)
	f.stops = slices.Compact(f.stops)
	for _, id := range f.stops {
		if id < 0 || int(id) >= vocabulary {
			return f, fmt.Errorf("eos_token_id is %d, the vocabulary has %d tokens", id, vocabulary)
		}
	}
	f.sampling = Sampling{TopP: generation.TopP, TopK: generation.TopK}
	if err := f.sampling.check(); err != nil {
		return f, fmt.Errorf("generation_config.json: %w", err)
	}
	if p := generation.Penalty; p != nil && *p != 1 {
		f.remarks = append(f.remarks, fmt.Sprintf("repetition_penalty %g of generation_config.json is not applied", *p))
	}
	if len(f.stops) == 0 {
		f.remarks = append(f.remarks, "no eos_token_id: its answers end where there is no room for more")
	}
	f.template, err = f.readTemplate(dir, texts)
	return f, err
}

// readTemplate reads chat_template.jinja, which counts, or the chat_template of
// tokenizer_config.json.
func (f *folder) readTemplate(dir string, texts texts) (*template.Template, error) {
	source := string(texts.Template)
	data, err := atomicfile.ReadFile(filepath.Join(dir, "chat_template.jinja"))
	if err == nil {
		source = string(data)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if source == "" {
		f.remarks = append(f.remarks, `no chat template: it reads "User: ... Assistant:"`)
		return template.Plain, nil
	}
	t, err := template.New(source, string(texts.BOS), string(texts.EOS))
	if err == nil && !t.HasSystem() {
		f.remarks = append(f.remarks, "its chat template has no place for the system: the system's text stands before the user's")
	}
	return t, err
}

// texts are what tokenizer_config.json says of conversations.
type texts struct {
	BOS      token  `json:"bos_token"`
	EOS      token  `json:"eos_token"`
	Template source `json:"chat_template"`
}

// ids is one id or several.
type ids []int32

// UnmarshalJSON reads either form, and null.
func (l *ids) UnmarshalJSON(data []byte) error {
	var one *int32
	if json.Unmarshal(data, &one) == nil {
		if one != nil {
			*l = ids{*one}
		}
		return nil
	}
	return json.Unmarshal(data, (*[]int32)(l))
}

// token is the text of a token, written as itself or with its settings.
type token string

// UnmarshalJSON reads either form, and null.
func (t *token) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, (*string)(t)) == nil {
		return nil
	}
	var full struct {
		Content string `json:"content"`
	}
	err := json.Unmarshal(data, &full)
	*t = token(full.Content)
	return err
}

// source is a chat template, or the one called default of several.
type source string

// UnmarshalJSON reads either form, and null.
func (s *source) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, (*string)(s)) == nil {
		return nil
	}
	var several []struct{ Name, Template string }
	if err := json.Unmarshal(data, &several); err != nil {
		return fmt.Errorf("chat_template: %w", err)
	}
	var names []string
	for _, t := range several {
		if t.Name == "default" {
			*s = source(t.Template)
			return nil
		}
		names = append(names, t.Name)
	}
	return fmt.Errorf("chat_template: none is called default, only %s", strings.Join(names, ", "))
}

// readJSON decodes a file of a folder where it is there.
func readJSON(dir, name string, into any) error {
	data, err := atomicfile.ReadFile(filepath.Join(dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
