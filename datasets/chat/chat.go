// Package chat asks language models. Model is a small interface with several implementations:
// Client and Batcher use endpoints of the OpenAI API, Cached stores answers, and Replay reads a
// recording. Users may add their own models. Code that asks depends on Model only. Asker counts
// usage and failures; Setup combines all of these. The package knows nothing of corpora or
// rankings, and contains no prompts for them.
package chat

import (
	"context"
	"encoding/json"
	"fmt"

	"infbench/internal/disk"
)

// Roles of messages.
const (
	System    = "system"
	User      = "user"
	Assistant = "assistant"
)

// Message is one turn of a conversation.
type Message struct {
	Role string `json:"role"`
	Text string `json:"text"`
}

// Request is one question to a model. It has all settings that influence the answer, and nothing
// else, so that its hash identifies the answer.
type Request struct {
	Model       string          `json:"model"`
	Messages    []Message       `json:"messages"`
	Schema      json.RawMessage `json:"schema,omitempty"` // JSON Schema of the answer; empty asks for plain text
	Temperature float64         `json:"temperature"`
	MaxTokens   int             `json:"max_tokens,omitempty"` // maximum of the answer; 0 means the model's default
	Seed        int64           `json:"seed,omitempty"`
	// Logprobs asks for the log-probabilities of so many candidates for the first token, the
	// likeliest first. The answer is not checked further: its text may be cut or empty.
	Logprobs int `json:"logprobs,omitempty"`

	// Prompt is a text that the model continues, in place of Messages: a request for completions.
	Prompt string `json:"prompt,omitempty"`
	// Stop ends the answer at one of these texts. Such an answer is a part of one, such as thoughts:
	// it is not checked further, and Answer.Ended is how it ended.
	Stop []string `json:"stop,omitempty"`
	// Continue means that the last message is the beginning of the answer, which goes on.
	Continue bool    `json:"continue,omitempty"`
	TopP     float64 `json:"top_p,omitempty"`

	// Follow is the maximum of tokens of the answer to one more question, which has this question and
	// its answer in it; 0 means that none follows. Only forecasts read it.
	Follow int `json:"-"`
}

// Hash returns the SHA-256 of the request, in hexadecimal.
func (r Request) Hash() (string, error) {
	text, err := json.Marshal(r)
	if err != nil {
		return "", fmt.Errorf("hash a request to %s: %w", r.Model, err)
	}
	return disk.Sum(text), nil
}

// Answer is the text of a model and its token counts.
type Answer struct {
	Text   string  `json:"text"`
	Input  int     `json:"input_tokens"`
	Output int     `json:"output_tokens"`
	Top    []Token `json:"top,omitempty"` // the likeliest first tokens, with Request.Logprobs

	Thoughts string `json:"thoughts,omitempty"`            // sent apart from the text (reasoning_content)
	Ended    Ending `json:"ended,omitempty"`               // with Request.Stop
	Reused   int    `json:"cached_input_tokens,omitempty"` // the part of Input that the endpoint had in its cache

	Cached bool `json:"-"` // nothing was sent or paid for it
}

// Ending is how an answer to a request with Stop ended.
type Ending string

// The endings.
const (
	AtStop  Ending = "stop"   // at a text of Stop. llama-server also says this of AtEnd
	AtLimit Ending = "length" // at the maximum of tokens
	AtEnd   Ending = "end"    // by itself, as far as the endpoint tells (stop_reason of vLLM)
)

// Token is a candidate for a token of an answer, with its natural log-probability.
type Token struct {
	Text    string  `json:"token"`
	Logprob float64 `json:"logprob"`
}

// Model answers requests. It may be used concurrently.
type Model interface {
	// Ask returns the answer, or an error with a class (see ClassOf). An unusable answer
	// (Class.Said) comes with the error.
	Ask(context.Context, Request) (Answer, error)
}
