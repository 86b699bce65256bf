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

// CheckForm checks that a text answers a request: it must not be empty or a refusal, and must have
// the requested form. The errors have the classes Refused and Malformed.
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
		return &Error{Malformed, fmt.Errorf("the answer does not have the requested form: %w", err)}
	}
	return nil
}

// refusals are the usual beginnings of refusals.
var refusals = []string{"i'm sorry, but", "i am sorry, but", "i'm sorry. ", "sorry, but i can", "sorry, i can", "i can't assist", "i cannot assist", "i can't help with", "i cannot help with",
	"i can't comply", "i cannot comply", "i'm unable to", "i am unable to", "i can't provide", "i cannot provide", "i can't fulfill", "i cannot fulfill", "as an ai ", "as an ai,"}

// longestRefusal is the maximum length of a refusal in bytes: a longer text that begins like one,
// such as a passage in the first person, is not a refusal.
const longestRefusal = 600

// refuses reports whether a text begins like a refusal.
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

// fits validates a JSON value against a self-contained schema: no other file is loaded. The other
// library (santhosh-tekuri/jsonschema, evaluated at v6.0.3) compiles the meta-schemas of five
// drafts at every program start, a third of the time of --help.
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

// Extract finds the JSON in a model's answer: the text itself if it is JSON; else a fenced block
// (```json) of JSON; else the only object in the prose, or without an object the only array.
// Thoughts before </think> are ignored. Only strict JSON is accepted: no trailing commas, comments,
// single quotes or missing brackets. Two different values are an error, since either could be the
// answer.
func Extract(text string) (json.RawMessage, error) {
	if trimmed := strings.TrimSpace(text); json.Valid([]byte(trimmed)) {
		return json.RawMessage(trimmed), nil
	}
	said := Unthought(text, ThinkOpen, ThinkClose)
	if trimmed := strings.TrimSpace(said); json.Valid([]byte(trimmed)) {
		return json.RawMessage(trimmed), nil
	}
	for _, found := range [][]json.RawMessage{fenced(said), embedded(said, '{'), embedded(said, '[')} {
		switch {
		case len(found) > 1 && !allEqual(found):
			return nil, fmt.Errorf("several JSON values in the answer %q", shortened(text))
		case len(found) > 0:
			return found[0], nil
		}
	}
	return nil, fmt.Errorf("no JSON in the answer %q", shortened(text))
}

// Decode decodes the JSON in an answer into a value.
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

// The tags that most models write around their thoughts.
const (
	ThinkOpen  = "<think>"
	ThinkClose = "</think>"
)

// Unthought removes the thoughts that some models write first, between ThinkOpen and ThinkClose or
// other tags. It returns the text after the last end, or "" if thoughts begin but do not end. The templates
// of some models begin the thoughts, so that the begin may be missing in the answer.
func Unthought(text, begin, end string) string {
	if at := strings.LastIndex(text, end); at >= 0 {
		text = text[at+len(end):]
	}
	if strings.HasPrefix(strings.TrimLeftFunc(text, unicode.IsSpace), begin) {
		return ""
	}
	return text
}

// fenced lists the blocks between ``` and ``` that are JSON, without the language on the first
// line.
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

// Limits on the work on a text full of brackets: attempts to read a value may together read
// readPerByte times the text, and readBase bytes more.
const readPerByte, readBase = 32, 64 << 10

// embedded lists the JSON values in a text that begin with a bracket, except those inside others.
func embedded(text string, bracket byte) []json.RawMessage {
	var found []json.RawMessage
	for left := readPerByte*len(text) + readBase; left > 0; {
		begin := strings.IndexByte(text, bracket)
		if begin < 0 {
			break
		}
		text = text[begin:]
		var value json.RawMessage
		decoder := json.NewDecoder(strings.NewReader(text))
		err := decoder.Decode(&value)
		if read := int(decoder.InputOffset()); err == nil {
			found, text = append(found, value), text[read:]
			left -= read
			continue
		}
		read := len(text)
		if wrong := (*json.SyntaxError)(nil); errors.As(err, &wrong) {
			read = int(wrong.Offset)
		}
		left, text = left-read, text[1:]
	}
	return found
}

// allEqual reports whether all values are equal.
func allEqual(values []json.RawMessage) bool {
	for _, v := range values[1:] {
		if !bytes.Equal(v, values[0]) {
			return false
		}
	}
	return true
}
