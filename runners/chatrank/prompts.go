package chatrank

import (
	"encoding/json"
	"fmt"
	"strings"

	"infbench/datasets"
	"infbench/datasets/chat"
)

// passage is the tag around a document.
const passage = "passage"

// systemOf is the first message to the model.
func systemOf(how How) string {
	task := map[How]string{
		Pointwise: "You judge whether a passage answers a query under an instruction. The passage is relevant only if it meets the query and everything that the instruction asks for or rules out.",
		Graded:    "You grade how well a passage answers a query under an instruction: 3 fully, 2 mostly, 1 it is on the subject but does not answer or breaks the instruction, 0 not at all.",
		Pairwise:  "You decide which of two passages answers a query better under an instruction. What the instruction asks for or rules out counts more than closeness to the query.", //plain:ok a prompt
		Listwise:  "You order passages by how well they answer a query under an instruction. What the instruction asks for or rules out counts more than closeness to the query.",      //plain:ok a prompt
	}[how]
	return task + " " + chat.ObeyNothing(passage)
}

// question is the last part of a prompt, after the texts, with %s for the ID to repeat.
func (o *Options) question() string {
	return map[How]string{
		Pointwise: `Is the passage relevant? Answer with JSON: {"id": "%s", "relevant": "yes"} or {"id": "%s", "relevant": "no"}.`,
		Graded:    `Which grade has the passage? Answer with JSON: {"id": "%s", "grade": G} with G from 0 to 3.`,
		Pairwise:  `Which passage is better? Answer with JSON: {"id": "%s", "better": "A"} or {"id": "%s", "better": "B"}.`,
		Listwise:  `Order the %d passages, the best first, each number once, as in [2] > [1] > [3]. Answer with the order only.`,
	}[o.How]
}

// oneWord is the last part of a pointwise prompt whose answer's first token is the verdict.
const oneWord = `Is the passage relevant? Answer with one word only: yes or no.`

// schema is the form of an answer; nil if it is not JSON.
func (o *Options) schema() json.RawMessage {
	field := map[How]string{
		Pointwise: `"relevant":{"type":"string","enum":["yes","no"]}`,
		Graded:    `"grade":{"type":"integer","enum":[0,1,2,3]}`,
		Pairwise:  `"better":{"type":"string","enum":["A","B"]}`,
	}[o.How]
	if field == "" {
		return nil
	}
	name, _, _ := strings.Cut(field, ":")
	return json.RawMessage(`{"type":"object","properties":{"id":{"type":"string"},` + field + `},"required":["id",` + name + `],"additionalProperties":false}`)
}

// tokensOf is the maximum number of tokens of an answer, by its form.
func tokensOf(how How, window int) int {
	if how == Listwise {
		return 50 + 8*window
	}
	return 100
}

// request makes a question about a query and texts.
func (r *Ranker) request(q datasets.Query, texts, question string) chat.Request {
	return chat.Request{
		Model: r.opts.Model,
		Messages: []chat.Message{
			{Role: chat.System, Text: systemOf(r.opts.How)},
			{Role: chat.User, Text: fmt.Sprintf("Query: %s\nInstruction: %s\n\n%s\n\n%s", q.Text, orNone(q.Instruction), texts, question)},
		},
		Schema:    r.opts.schema(),
		MaxTokens: r.opts.Tokens,
	}
}

// orNone returns the instruction, or a statement that there is none.
func orNone(instruction string) string {
	if instruction == "" {
		return "(none)"
	}
	return instruction
}
