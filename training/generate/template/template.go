// Package template writes conversations as the text that a chat model was trained on:
// the Jinja template of its tokenizer_config.json or chat_template.jinja, rendered as
// transformers' apply_chat_template does, or a plain form for models that have none. It
// knows no tokens but the texts of those at the ends, and offers no tools.
package template

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"infbench/datasets/chat"
	"infbench/training/generate/template/jinja"
)

// Template is a model's form of conversations. It is safe for concurrent use.
type Template struct {
	jinja    *jinja.Template // nil: the plain form
	bos, eos string
	system   bool // messages of the system have a place
}

// Plain is the form for models without a template, base models among them: the system's
// text, then "User: " and "Assistant: " before the others', blank lines between them.
var Plain = &Template{system: true}

// PlainEnd begins what a model without a template writes after its answer is over.
const PlainEnd = "\nUser:"

// New reads a Jinja template; bos and eos are the texts of the model's first and last
// token. A template that asks for the date is told a fixed one, so that a question has
// the same text on every day.
func New(source, bos, eos string) (*Template, error) {
	parsed, err := jinja.Parse(source)
	if err != nil {
		return nil, fmt.Errorf("chat template: %w", err)
	}
	t := &Template{jinja: parsed, bos: bos, eos: eos, system: true}
	t.system = t.takesSystem()
	return t, nil
}

// theDay is the date that templates are told: the one that Llama 3.2's falls back to.
var theDay = time.Date(2024, time.July, 26, 0, 0, 0, 0, time.UTC)

// strftime writes a date by Python's directives, as far as templates use them.
func strftime(day time.Time, layout string) string {
	return strings.NewReplacer(
		"%d", day.Format("02"), "%b", day.Format("Jan"), "%B", day.Format("January"), "%m", day.Format("01"),
		"%Y", day.Format("2006"), "%y", day.Format("06"), "%A", day.Format("Monday"), "%a", day.Format("Mon"),
		"%H", day.Format("15"), "%M", day.Format("04"), "%S", day.Format("05"), "%%", "%",
	).Replace(layout)
}

// takesSystem says whether a message of the system reaches the model.
func (t *Template) takesSystem() bool {
	const probe = "5y5tem"
	text, err := t.render([]chat.Message{{Role: chat.System, Text: probe}, {Role: chat.User, Text: "?"}}, true)
	return err == nil && strings.Contains(text, probe)
}

// HasSystem says whether messages of the system have a place of their own; else they
// stand before the user's next message, with a blank line between.
func (t *Template) HasSystem() bool { return t.system }

// IsPlain says whether it is the plain form.
func (t *Template) IsPlain() bool { return t.jinja == nil }

// Prompt is the text after which the model writes its answer to the messages.
func (t *Template) Prompt(messages []chat.Message) (string, error) {
	text, err := t.render(t.placed(messages), true)
	if err != nil {
		return "", fmt.Errorf("chat template: %w", err)
	}
	return text, nil
}

// Reply is the text of an answer as it stands after the prompt of the messages, up to
// its end.
func (t *Template) Reply(messages []chat.Message, answer string) (string, error) {
	prompt, err := t.Prompt(messages)
	if err != nil {
		return "", err
	}
	whole, err := t.render(append(t.placed(messages), chat.Message{Role: chat.Assistant, Text: answer}), false)
	rest, continues := strings.CutPrefix(whole, prompt)
	at := strings.Index(rest, answer)
	if err != nil || !continues || at < 0 { // it writes answers of the past otherwise than those to come
		return answer, nil
	}
	return rest[:at+len(answer)], nil
}

// placed moves messages of the system to the user's where they have no place.
func (t *Template) placed(messages []chat.Message) []chat.Message {
	var list []chat.Message
	said := ""
	for _, m := range messages {
		switch {
		case t.system:
		case m.Role == chat.System:
			said += m.Text + "\n\n"
			continue
		case m.Role == chat.User:
			m.Text, said = said+m.Text, ""
		}
		list = append(list, m)
	}
	return list
}

// render writes messages; open leaves the place for an answer at the end.
func (t *Template) render(messages []chat.Message, open bool) (string, error) {
	if t.jinja == nil {
		return unformatted(messages, open), nil
	}
	list := make([]any, len(messages))
	for i, m := range messages {
		list[i] = jinja.NewDict("role", m.Role, "content", m.Text)
	}
	return t.jinja.Render(map[string]any{
		"messages": list, "add_generation_prompt": open, "bos_token": t.bos, "eos_token": t.eos,
		"enable_thinking": false, // Qwen3's: answers begin with the answer
		"raise_exception": jinja.Func(func(args []any) (any, error) { return nil, errors.New(fmt.Sprint(args...)) }),
		"strftime_now":    jinja.Func(func(args []any) (any, error) { return strftime(theDay, fmt.Sprint(args...)), nil }),
	})
}

// unformatted is the plain form.
func unformatted(messages []chat.Message, open bool) string {
	var parts []string
	for _, m := range messages {
		switch m.Role {
		case chat.System:
			parts = append(parts, m.Text)
		case chat.Assistant:
			parts = append(parts, "Assistant: "+m.Text)
		default:
			parts = append(parts, "User: "+m.Text)
		}
	}
	if open {
		parts = append(parts, "Assistant:")
	}
	return strings.Join(parts, "\n\n")
}
