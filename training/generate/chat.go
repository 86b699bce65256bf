package generate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gomlx/compute"

	"infbench/datasets/chat"
	"infbench/training/generate/template"
)

// Chat is a local model that answers requests, one at a time.
type Chat struct {
	name     string
	g        *Generator
	harmless *strings.Replacer
}

var _ chat.Model = (*Chat)(nil)

// OpenChat opens a folder (Open) as a model of that name.
func OpenChat(name, dir string, backend compute.Backend, o Options) (*Chat, error) {
	g, err := Open(dir, backend, o)
	if err != nil {
		return nil, err
	}
	return &Chat{name, g, harmless(g.tokenizer.Special())}, nil
}

// Name is what the model is called.
func (c *Chat) Name() string { return c.name }

// Generator returns what writes the answers.
func (c *Chat) Generator() *Generator { return c.g }

// Remarks says how its answers differ from what a reader would expect.
func (c *Chat) Remarks() []string {
	return append(slices.Clone(c.g.folder.remarks), "of schemas answers keep to flat objects of texts and of values that are one of a few; others are asked for in words")
}

// Ask answers a request. Its temperature and seed count, and top_p and top_k of the
// folder's generation_config.json where the temperature is above 0. Of a schema an answer
// keeps that it is an object of texts and of values that are one of a few, which are
// chosen by their probability; other schemas are asked for in words, and such answers are
// to be read tolerantly. An answer that did not end comes with an error of the class
// chat.Truncated, which is also that of a prompt without room for an answer.
func (c *Chat) Ask(ctx context.Context, r chat.Request) (chat.Answer, error) {
	answer, ended, err := c.answer(ctx, r)
	if err == nil && !ended {
		err = fmt.Errorf("%w after %d tokens", ErrTruncated, answer.Output)
	}
	return answer, c.fault(err)
}

func (c *Chat) answer(ctx context.Context, r chat.Request) (answer chat.Answer, ended bool, err error) {
	f, isForm := formOf(r.Schema)
	if len(r.Schema) > 0 && !isForm && len(r.Messages) > 0 {
		r.Messages = slices.Clone(r.Messages)
		r.Messages[len(r.Messages)-1].Text += chat.InstructionOfForm(r.Schema)
	}
	prompt, err := c.prompt(r.Messages)
	if err != nil {
		return answer, false, err
	}
	ids := c.tokens(prompt)
	s := Sampling{Temperature: r.Temperature, Seed: r.Seed}
	if s.Temperature > 0 {
		s.TopP, s.TopK = c.g.folder.sampling.TopP, c.g.folder.sampling.TopK
	}
	if isForm {
		answer.Input = len(ids)
		answer.Text, answer.Output, ended, err = c.g.fill(ctx, f, c.begun(prompt), c.tokens, r.MaxTokens, s)
		return answer, ended, err
	}
	w, err := c.g.Write(ctx, ids, r.MaxTokens, s, c.isOver())
	answer.Input, answer.Output = len(ids), len(w.IDs)
	if err == nil {
		answer.Text, err = c.text(w.IDs)
	}
	return answer, w.Ended, err
}

// begun is a prompt up to where an answer begins.
func (c *Chat) begun(prompt string) string {
	if c.g.folder.template.IsPlain() {
		return prompt + " "
	}
	return prompt
}

// fault names the model in an error, and the error's class where it has one.
func (c *Chat) fault(err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, ErrTruncated) {
		err = &chat.Error{Class: chat.Truncated, Err: err}
	}
	return fmt.Errorf("model %s: %w", c.name, err)
}

// isOver watches for what ends an answer without a template; nil for others.
func (c *Chat) isOver() func(ids []int32) (bool, error) {
	if !c.g.folder.template.IsPlain() {
		return nil
	}
	return func(ids []int32) (bool, error) {
		text, err := c.g.tokenizer.Decode(ids)
		return strings.Contains(text, template.PlainEnd), err
	}
}

// text is an answer of ids without blanks around it.
func (c *Chat) text(ids []int32) (string, error) {
	text, err := c.g.tokenizer.Decode(ids)
	if c.g.folder.template.IsPlain() {
		text, _, _ = strings.Cut(text, template.PlainEnd)
	}
	return strings.TrimSpace(text), err
}

// prompt is the text after which the answer comes.
func (c *Chat) prompt(messages []chat.Message) (string, error) {
	if len(messages) == 0 {
		return "", errors.New("a request without messages")
	}
	return c.g.folder.template.Prompt(c.said(messages))
}

// tokens are those of a prompt. A template writes the special tokens itself; without
// one they are put around the text as the tokenizer does.
func (c *Chat) tokens(text string) []int32 {
	if c.g.folder.template.IsPlain() {
		ids := c.g.tokenizer.Encode(text, 0)
		for len(ids) > 1 && slices.Contains(c.g.folder.stops, ids[len(ids)-1]) { // the text goes on
			ids = ids[:len(ids)-1]
		}
		return ids
	}
	return c.g.tokenizer.Tokenize(text)
}

// harmless takes special tokens out of texts: a blank after the first character of what
// would be one makes it a text like any other, so that a document cannot end its message
// and begin another.
func harmless(special []string) *strings.Replacer {
	var pairs []string
	for _, token := range special {
		if _, first := utf8.DecodeRuneInString(token); first < len(token) {
			pairs = append(pairs, token, token[:first]+" "+token[first:])
		}
	}
	return strings.NewReplacer(pairs...)
}

// said are messages in which no special token stands.
func (c *Chat) said(messages []chat.Message) []chat.Message {
	list := slices.Clone(messages)
	for i := range list {
		list[i].Text = c.harmless.Replace(list[i].Text)
	}
	return list
}

// Probabilities says how probable each of some answers to the messages is among them;
// the shares sum to 1. A judge that takes the greatest gives no malformed answers
// (FollowIR-7B's true and false).
func (c *Chat) Probabilities(ctx context.Context, messages []chat.Message, answers []string) ([]float64, error) {
	prompt, continuations, err := c.continuations(messages, answers)
	if err != nil {
		return nil, c.fault(err)
	}
	list, err := c.g.Probabilities(ctx, prompt, continuations)
	return list, c.fault(err)
}

// Choose is the position of the most probable of some answers, the first of equals, and
// its share.
func (c *Chat) Choose(ctx context.Context, messages []chat.Message, answers []string) (best int, share float64, err error) {
	list, err := c.Probabilities(ctx, messages, answers)
	if err != nil {
		return 0, 0, err
	}
	for i, p := range list {
		if p > list[best] {
			best = i
		}
	}
	return best, list[best], nil
}

// continuations are the tokens of answers after a prompt. Tokens may span the place where
// they meet: what all of them have in common with the prompt alone is the prompt.
func (c *Chat) continuations(messages []chat.Message, answers []string) (prompt []int32, list [][]int32, err error) {
	text, err := c.prompt(messages)
	if err != nil {
		return nil, nil, err
	}
	prompt = c.tokens(text)
	common, said := len(prompt), c.said(messages)
	for _, answer := range answers {
		reply, err := c.g.folder.template.Reply(said, answer)
		if err != nil {
			return nil, nil, err
		}
		ids := c.tokens(text + reply)
		common = min(common, commonStart(prompt, ids))
		list = append(list, ids)
	}
	for i := range list {
		list[i] = list[i][common:]
	}
	return prompt[:common], list, nil
}
