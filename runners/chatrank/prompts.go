package chatrank

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"infbench/datasets/chat"
)

// passage is the tag around a document.
const passage = "passage"

// tokens is the maximum number of tokens of an answer with its thoughts.
func (r *Recipe) tokens(window int) int {
	answer := 100
	switch {
	case r.Answer > 0:
		answer = r.Answer
	case r.How == Judge && !r.former:
		answer = 1
	case r.How == Listwise:
		answer = 50 + 8*window
	}
	return r.Think.Budget + answer
}

// question makes the question of a template about some documents, given as indices.
func (a *asking) question(template string, docs ...int) chat.Request {
	r := a.opts.Recipe
	texts := a.texts(docs)
	user := fill(template, "{query}", a.asked(), "{document}", texts, "{documents}", texts, "{count}", strconv.Itoa(len(docs)), "{id}", a.name(docs...))
	q := chat.Request{Model: a.opts.Model, MaxTokens: a.opts.Tokens, Temperature: r.Warmth, TopP: r.Nucleus}
	if !r.former { // the hashes of kept answers to infbench's own questions must not change
		q.Seed = 1
	}
	if r.Endpoint == Completions {
		q.Prompt = user
		return q
	}
	if r.System != "" {
		q.Messages = append(q.Messages, chat.Message{Role: chat.System, Text: r.System})
	}
	q.Messages = append(q.Messages, chat.Message{Role: chat.User, Text: user})
	return q
}

// inJSON makes the question of a template whose answer is JSON.
func (a *asking) inJSON(template string, docs ...int) chat.Request {
	q := a.question(template, docs...)
	q.Schema = a.opts.Recipe.schema()
	return q
}

// asked is the query with its instruction. An instruction that repeats the query counts as none, as in
// Rank1's predict.
func (a *asking) asked() string {
	r := a.opts.Recipe
	query, instruction := a.guarded(a.query.Text), a.guarded(a.query.Instruction)
	template := cmp.Or(r.Query, "{query} {instruction}")
	if instruction == "" || !r.former && strings.TrimSpace(instruction) == strings.TrimSpace(query) {
		template = cmp.Or(r.Bare, "{query}")
	}
	text := fill(template, "{query}", query, "{instruction}", instruction)
	if !r.former {
		text = strings.TrimSpace(text)
	}
	return text
}

// texts are the documents of a question.
func (a *asking) texts(docs []int) string {
	r := a.opts.Recipe
	var all []string
	for i, doc := range docs {
		text := a.guarded(a.text(a.docs[doc]))
		if r.Guard == guardTags {
			text = chat.Fence(passage, text)
		}
		if r.Item != "" {
			text = fill(r.Item, "{n}", strconv.Itoa(i+1), "{letter}", string(rune('A'+i)), "{document}", text)
		}
		all = append(all, text)
	}
	return strings.Join(all, r.Between)
}

// labelled matches what looks like the label of a document.
var labelled = regexp.MustCompile(`\[(\d+)\]`)

// guarded writes [1] as (1) in a text, if the recipe's labels look like that.
func (a *asking) guarded(text string) string {
	if a.opts.Recipe.Guard == guardNumbers {
		return labelled.ReplaceAllString(text, "($1)")
	}
	return text
}

// split parts an answer into its thoughts and what follows their last end. Without an end, thoughts
// that begin are all that there is.
func (r *Recipe) split(a chat.Answer) (thoughts, answer string) {
	open, close := cmp.Or(r.Think.Open, chat.ThinkOpen), cmp.Or(r.Think.Close, chat.ThinkClose)
	answer = chat.Unthought(a.Text, open, close)
	thoughts = strings.TrimSuffix(strings.TrimSuffix(a.Text, answer), close)
	thoughts = strings.TrimPrefix(strings.TrimLeft(thoughts, " \t\r\n"), open)
	if a.Thoughts != "" {
		thoughts = a.Thoughts
	}
	return thoughts, answer
}

// told keeps the thoughts before an answer.
func (a *asking) told(docs []int, thoughts, answer string, odds *float64) {
	if a.opts.Recipe.Think.Budget == 0 || strings.TrimSpace(thoughts) == "" {
		return
	}
	t := Thought{Query: a.query.ID, Thoughts: thoughts, Answer: answer, Odds: odds}
	for _, doc := range docs {
		t.Documents = append(t.Documents, a.docs[doc].ID)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.thoughts = append(a.thoughts, t)
}

// unparsed is the error of an answer in which a pattern finds nothing that counts.
func unparsed(format string, args ...any) error {
	return &chat.Error{Class: chat.Unparsed, Err: fmt.Errorf(format, args...)}
}

// answered returns the group of the pattern in an answer.
func (r *Recipe) answered(text string) (string, error) {
	m := r.pattern.FindStringSubmatch(text)
	if m == nil {
		return "", unparsed("the answer does not match pattern %s of recipe %s: %q", strings.TrimPrefix(r.pattern.String(), "(?is)"), r.Name, beginning(text))
	}
	return strings.TrimSpace(m[1]), nil
}

// beginning is the first part of a long text.
func beginning(text string) string {
	if len(text) > 120 {
		return strings.ToValidUTF8(text[:120], "") + " ..."
	}
	return text
}
