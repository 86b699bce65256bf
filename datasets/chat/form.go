package chat

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/google/jsonschema-go/jsonschema"
)

// CheckForm says whether a text answers a request: that it is not empty, no refusal, and
// of the form that the request asks for. The errors are Refused and Malformed.
func CheckForm(r *Request, text string) error {
	if strings.TrimSpace(text) == "" {
		return &Error{Malformed, errors.New("the answer is empty")}
	}
	if len(r.Schema) == 0 {
		if refuses(text) {
			return &Error{Refused, fmt.Errorf("the model refused: %q", shortened(text))}
		}
		return nil
	}
	value, err := Extract(text)
	switch {
	case err != nil && refuses(text):
		return &Error{Refused, fmt.Errorf("the model refused: %q", shortened(text))}
	case err != nil:
		return &Error{Malformed, err}
	}
	if err := fits(r.Schema, value); err != nil {
		return &Error{Malformed, fmt.Errorf("the answer has not the form asked for: %w", err)}
	}
	return nil
}

// refusals are how models begin that will not answer.
var refusals = []string{"i'm sorry, but", "i am sorry, but", "i'm sorry. ", "sorry, but i can", "sorry, i can", "i can't assist", "i cannot assist", "i can't help with", "i cannot help with",
	"i can't comply", "i cannot comply", "i'm unable to", "i am unable to", "i can't provide", "i cannot provide", "i can't fulfill", "i cannot fulfill", "as an ai ", "as an ai,"}

// longestRefusal is how many bytes a refusal has: a longer text that begins like one, such
// as a passage in the first person, is none.
const longestRefusal = 600

// refuses says whether a text begins as refusals do.
func refuses(text string) bool {
	if len(text) > longestRefusal {
		return false
	}
	text = strings.ToLower(strings.ReplaceAll(strings.TrimSpace(text), "’", "'"))
	for _, r := range refusals {
		if strings.HasPrefix(text, r) {
			return true
		}
	}
	return false
}

// fits holds a JSON value to a schema, which stands alone: nothing is loaded for it. The
// other library (santhosh-tekuri/jsonschema, judged at v6.0.3) compiles the meta-schemas of
// five drafts whenever a program starts, a third of what --help took.
func fits(schema, value json.RawMessage) error {
	var form jsonschema.Schema
	if err := json.Unmarshal(schema, &form); err != nil {
		return fmt.Errorf("schema: %w", err)
	}
	resolved, err := form.Resolve(nil)
	if err != nil {
		return fmt.Errorf("schema: %w", err)
	}
	var instance any
	if err := json.Unmarshal(value, &instance); err != nil {
		return err
	}
	if err := resolved.Validate(instance); err != nil {
		return errors.New(shortened(err.Error()))
	}
	return nil
}

// Extract finds the JSON in what a model said: a text that is JSON; else the fenced block
// (```json) that is; else the only object that stands in prose, or without one the only
// array. Thoughts before </think> are left out. Accepted is strict JSON only: no trailing
// commas, comments, single quotes or missing brackets. Two different values are an error,
// since which is the answer cannot be told.
func Extract(text string) (json.RawMessage, error) {
	if trimmed := strings.TrimSpace(text); json.Valid([]byte(trimmed)) {
		return json.RawMessage(trimmed), nil
	}
	said := Unthought(text)
	if trimmed := strings.TrimSpace(said); json.Valid([]byte(trimmed)) {
		return json.RawMessage(trimmed), nil
	}
	for _, found := range [][]json.RawMessage{fenced(said), embedded(said, "{"), embedded(said, "[")} {
		switch {
		case len(found) > 1 && !allEqual(found):
			return nil, fmt.Errorf("several JSON values in the answer %q", shortened(text))
		case len(found) > 0:
			return found[0], nil
		}
	}
	return nil, fmt.Errorf("no JSON in the answer %q", shortened(text))
}

// Decode reads the JSON in an answer into a value.
func (a Answer) Decode(into any) error {
	value, err := Extract(a.Text)
	if err == nil {
		err = json.Unmarshal(value, into)
	}
	if err != nil {
		return &Error{Malformed, err}
	}
	return nil
}

// Unthought is a text without the thoughts that some models write first: what stands after
// the last </think>, nothing where thoughts begin and do not end. The templates of some
// models begin the thoughts, so that <think> is not in the answer.
func Unthought(text string) string {
	const end = "</think>"
	if at := strings.LastIndex(text, end); at >= 0 {
		text = text[at+len(end):]
	}
	if strings.HasPrefix(strings.TrimLeftFunc(text, unicode.IsSpace), "<think>") {
		return ""
	}
	return text
}

// fenced lists the blocks between ``` and ``` that are JSON, without the language of the
// first line.
func fenced(text string) (blocks []json.RawMessage) {
	parts := strings.Split(text, "```")
	for i := 1; i+1 < len(parts); i += 2 {
		block := parts[i]
		if language, rest, ok := strings.Cut(block, "\n"); ok && !strings.ContainsAny(language, "{[") {
			block = rest
		}
		if block = strings.TrimSpace(block); json.Valid([]byte(block)) {
			blocks = append(blocks, json.RawMessage(block))
		}
	}
	return blocks
}

// maxStarts bounds the work on a text full of brackets.
const maxStarts = 1000

// embedded lists the values in a text that begin with a bracket, without those within
// others.
func embedded(text, bracket string) []json.RawMessage {
	var found []json.RawMessage
	for range maxStarts {
		_, rest, ok := strings.Cut(text, bracket)
		if !ok {
			break
		}
		var value json.RawMessage
		decoder := json.NewDecoder(strings.NewReader(bracket + rest))
		if text = rest; decoder.Decode(&value) == nil {
			found = append(found, value)
			text = rest[int(decoder.InputOffset())-len(bracket):]
		}
	}
	return found
}

// allEqual says whether all values are the same.
func allEqual(values []json.RawMessage) bool {
	for _, v := range values[1:] {
		if !bytes.Equal(v, values[0]) {
			return false
		}
	}
	return true
}
