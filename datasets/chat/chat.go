// Package chat asks language models. One small interface, Model, stands before endpoints
// that speak the OpenAI dialect (Client, Batcher), a store of their answers (Cached), a
// recording (Replay) and models of one's own; what asks knows none of them. Asker counts
// what asking took and why it failed; Setup puts all of it together. It knows nothing of
// corpora or rankings, and holds no prompts.
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

// Request is one question to a model: all that has a say in the answer, and nothing
// else, so that its hash names the answer.
type Request struct {
	Model       string          `json:"model"`
	Messages    []Message       `json:"messages"`
	Schema      json.RawMessage `json:"schema,omitempty"` // JSON Schema of the answer; empty asks for plain text
	Temperature float64         `json:"temperature"`
	MaxTokens   int             `json:"max_tokens,omitempty"` // of the answer; 0 leaves it to the model
	Seed        int64           `json:"seed,omitempty"`
}

// Hash is the SHA-256 of the request, in hexadecimal digits.
func (r Request) Hash() (string, error) {
	text, err := json.Marshal(r)
	if err != nil {
		return "", fmt.Errorf("hash a request to %s: %w", r.Model, err)
	}
	return disk.Sum(text), nil
}

// Answer is what a model said.
type Answer struct {
	Text   string `json:"text"`
	Input  int    `json:"input_tokens"`
	Output int    `json:"output_tokens"`
	Cached bool   `json:"-"` // nothing was sent or paid for it
}

// Model answers requests, also many at the same time.
type Model interface {
	// Ask returns the answer, or an error that tells of which class it is (ClassOf).
	// What a model said that cannot be used (Class.Said) comes with the error.
	Ask(context.Context, Request) (Answer, error)
}
