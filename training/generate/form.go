package generate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// form is what of a JSON Schema an answer is made to keep: an object of texts and of
// values that are one of a few. The model writes the texts and chooses the values by
// their probability; brackets, names and commas are given. What else a schema demands,
// such as a pattern, is not kept.
type form struct {
	fields []field
}

// field is a property of the object.
type field struct {
	name    string   // in JSON, with its quotes
	choices []string // in JSON; nil: any text
}

// mostChoices bounds the values of a field that are tried one by one.
const mostChoices = 64

// formOf reads a schema; ok is false where it is of another kind.
func formOf(schema json.RawMessage) (f form, ok bool) {
	var object struct {
		Type       string          `json:"type"`
		Properties json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(schema, &object) != nil || object.Type != "object" {
		return form{}, false
	}
	d := json.NewDecoder(bytes.NewReader(object.Properties)) // in their order
	if _, err := d.Token(); err != nil {
		return form{}, false
	}
	for d.More() {
		name, err := d.Token()
		var property property
		if err != nil || d.Decode(&property) != nil {
			return form{}, false
		}
		quoted, err := json.Marshal(name)
		one := field{name: string(quoted)}
		if one.choices, ok = property.choices(); err != nil || !ok {
			return form{}, false
		}
		f.fields = append(f.fields, one)
	}
	return f, len(f.fields) > 0
}

// property is the schema of a field.
type property struct {
	Type    string            `json:"type"`
	Enum    []json.RawMessage `json:"enum"`
	Const   json.RawMessage   `json:"const"`
	Minimum *int              `json:"minimum"`
	Maximum *int              `json:"maximum"`
}

// choices are the values that a field may have, nil of a text; ok is false where they
// are neither.
func (p property) choices() (list []string, ok bool) {
	switch {
	case p.Const != nil:
		return []string{string(p.Const)}, true
	case len(p.Enum) > 0:
		for _, value := range p.Enum {
			list = append(list, string(value))
		}
	case p.Type == "boolean":
		list = []string{"true", "false"}
	case p.Type == "integer" && p.Minimum != nil && p.Maximum != nil && *p.Maximum-*p.Minimum < mostChoices:
		for n := *p.Minimum; n <= *p.Maximum; n++ {
			list = append(list, fmt.Sprint(n))
		}
	case p.Type == "string":
		return nil, true
	}
	return list, len(list) > 0 && len(list) <= mostChoices
}

// filling is an answer that is being written into a form.
type filling struct {
	t      *text
	tokens func(text string) []int32 // of a prompt and what follows it
	choose func(logits []float32) (int32, error)
	prompt string
	answer string  // so far
	ids    []int32 // that t has read
	left   int     // tokens that the model may write; negative: no bound
	wrote  int
}

// fill writes an answer into a form after a prompt. It has not ended where texts would
// take more than most tokens (0: as many as have room).
func (g *Generator) fill(ctx context.Context, f form, prompt string, tokens func(string) []int32, most int, s Sampling) (answer string, wrote int, ended bool, err error) {
	if err := s.check(); err != nil {
		return "", 0, false, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	w := &filling{t: g.newText(), tokens: tokens, choose: s.chooser(), prompt: prompt, left: most}
	defer w.t.close()
	if most == 0 {
		w.left = -1
	}
	for i, one := range f.fields {
		w.answer += map[bool]string{true: "{", false: ", "}[i == 0] + one.name + ": "
		after := map[bool]string{true: "}", false: ","}[i == len(f.fields)-1]
		ended = true
		if one.choices == nil {
			ended, err = w.writeText(ctx)
		} else {
			err = w.choice(ctx, one.choices, after)
		}
		if err != nil || !ended {
			return w.answer, w.wrote, false, err
		}
	}
	return w.answer + "}", w.wrote, true, nil
}

// read has the text read up to what is written, and returns the logits of what follows.
// Where tokens span the place at which it grew, those are read again.
func (w *filling) read(ctx context.Context) ([]float32, error) {
	ids := w.tokens(w.prompt + w.answer)
	if len(ids) >= w.t.g.limit {
		return nil, fmt.Errorf("%w: with its prompt it has %d tokens, of %d that a text may have", ErrTruncated, len(ids), w.t.g.limit)
	}
	same := min(commonStart(w.ids, ids), len(ids)-1)
	w.t.length = same
	w.ids = ids
	return w.t.read(ctx, ids[same:])
}

// choice adds the most probable of some values; what stands after it counts too, so that
// 1 is no more probable than 10 only because it is shorter.
func (w *filling) choice(ctx context.Context, choices []string, after string) error {
	if len(choices) == 1 {
		w.answer += choices[0]
		return nil
	}
	if _, err := w.read(ctx); err != nil {
		return err
	}
	common, list := len(w.ids), make([][]int32, len(choices))
	for i, c := range choices {
		list[i] = w.tokens(w.prompt + w.answer + c + after)
		common = min(common, commonStart(w.ids, list[i]))
	}
	if common == 0 || slices.ContainsFunc(list, func(ids []int32) bool { return len(ids) <= common }) {
		return errors.New("the tokenizer cannot tell an answer from its prompt")
	}
	w.t.length = common - 1
	logits, err := w.t.read(ctx, w.ids[common-1:common])
	if err != nil {
		return err
	}
	w.ids = w.ids[:common]
	logs := make([]float32, len(choices))
	for i, ids := range list {
		sum, err := w.t.logProbability(ctx, logits, ids[common:], false)
		if err != nil {
			return err
		}
		logs[i] = float32(sum)
	}
	best, err := w.choose(logs)
	if err != nil {
		return err
	}
	w.answer += choices[best]
	return nil
}

// writeText adds a text that the model writes between quotes, up to the quote that it
// writes itself. It says whether there was one.
func (w *filling) writeText(ctx context.Context) (ended bool, err error) {
	w.answer += `"`
	logits, err := w.read(ctx)
	if err != nil {
		return false, err
	}
	before, err := w.t.g.tokenizer.Decode(w.ids)
	if err != nil {
		return false, err
	}
	written := ""
	for {
		if w.left == 0 || w.t.length == w.t.g.limit {
			w.answer += written
			return false, nil
		}
		id, err := w.choose(logits)
		if err != nil {
			return false, err
		}
		w.left, w.wrote = w.left-1, w.wrote+1
		if slices.Contains(w.t.g.folder.stops, id) {
			break
		}
		w.ids = append(w.ids, id)
		all, err := w.t.g.tokenizer.Decode(w.ids)
		if err != nil {
			return false, err
		}
		written = strings.TrimPrefix(all, before)
		if end := endOfText(written); end >= 0 {
			written = written[:end]
			break
		}
		if logits, err = w.t.read(ctx, []int32{id}); err != nil {
			return false, err
		}
	}
	w.answer += valid(written) + `"`
	return true, nil
}

// endOfText is where the first quote is that ends a text in JSON; -1: nowhere.
func endOfText(s string) int {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return -1
}

// valid is a text as it may stand in JSON: as written where it can, else as the text that
// it would be without escapes.
func valid(s string) string {
	escaped := strings.NewReplacer("\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(s)
	if json.Valid([]byte(`"` + escaped + `"`)) {
		return escaped
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(s) != nil { // texts have JSON
		return ""
	}
	return strings.Trim(strings.TrimSpace(b.String()), `"`)
}
