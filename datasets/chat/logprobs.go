package chat

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"infbench/internal/endpoint"
	"infbench/internal/secret"
)

// firstToken reads the candidates for the first token of an answer, the likeliest first. Endpoints
// write them in two forms: a list of tokens with their bytes (OpenAI's conversations, llama-server's
// and vLLM's), or a log-probability by token (the completions of OpenAI and vLLM). An answer without
// log-probabilities is an error of the class NoLogprobs, one in another form of the class Malformed,
// which names what came. A token may be a part of a character; its bytes are replaced, because a
// store of answers keeps only UTF-8.
func firstToken(data json.RawMessage, key secret.Secret) (top []Token, err error) {
	var sent struct {
		Content []json.RawMessage     `json:"content"`
		Top     []map[string]*float64 `json:"top_logprobs"`
	}
	if len(data) > 0 {
		err = json.Unmarshal(data, &sent)
	}
	switch {
	case err != nil:
		return nil, otherForm(err.Error(), data, key)
	case len(sent.Content) > 0:
		top, err = listedTokens(sent.Content[0], key)
	case len(sent.Top) > 0 && sent.Top[0] != nil:
		for text, logprob := range sent.Top[0] {
			if logprob == nil {
				return nil, otherForm("a token has none", data, key)
			}
			top = append(top, Token{shownToken(text, key), *logprob})
		}
	case sent.Content == nil && len(sent.Top) == 0 && sent.Top != nil, sent.Content != nil: // no token
	case unknownKeys(data, "content", "refusal", "top_logprobs", "tokens", "token_logprobs", "text_offset"):
		return nil, otherForm("neither content nor top_logprobs", data, key)
	default:
		return nil, &Error{NoLogprobs, errors.New("the answer has no logprobs with top_logprobs")}
	}
	slices.SortFunc(top, func(a, b Token) int {
		return cmp.Or(cmp.Compare(b.Logprob, a.Logprob), strings.Compare(a.Text, b.Text))
	})
	return top, err
}

// listedTokens reads the candidates of a token in the form of llama-server.
func listedTokens(data json.RawMessage, key secret.Secret) (top []Token, err error) {
	var sent struct {
		Top []struct {
			Token   string   `json:"token"`
			Bytes   []int    `json:"bytes"`
			Logprob *float64 `json:"logprob"`
		} `json:"top_logprobs"`
	}
	switch err := json.Unmarshal(data, &sent); {
	case err != nil:
		return nil, otherForm(err.Error(), data, key)
	case len(sent.Top) == 0 && unknownKeys(data, "id", "token", "bytes", "logprob", "top_logprobs"):
		return nil, otherForm("no top_logprobs", data, key)
	case len(sent.Top) == 0:
		return nil, &Error{NoLogprobs, errors.New("the answer has no logprobs with top_logprobs")}
	}
	for _, t := range sent.Top {
		if t.Logprob == nil {
			return nil, otherForm("a token has none", data, key)
		}
		top = append(top, Token{shownToken(textOf(t.Token, t.Bytes), key), *t.Logprob})
	}
	return top, nil
}

// otherForm is the error of log-probabilities that cannot be read.
func otherForm(why string, data json.RawMessage, key secret.Secret) error {
	return &Error{Malformed, fmt.Errorf("log-probabilities: %s: %s", why, shortened(key.Redact(string(data))))}
}

// unknownKeys reports whether an object has a key that is not a known one.
func unknownKeys(data json.RawMessage, known ...string) bool {
	var keys map[string]json.RawMessage
	_ = json.Unmarshal(data, &keys) // null has none
	for key := range keys {
		if !slices.Contains(known, key) {
			return true
		}
	}
	return false
}

// shownToken returns the text of a token without the key and in UTF-8.
func shownToken(text string, key secret.Secret) string {
	return strings.ToValidUTF8(key.Redact(text), "\ufffd")
}

// textOf returns the text of a token by its bytes, if they are given.
func textOf(text string, codes []int) string {
	if len(codes) == 0 {
		return text
	}
	b := make([]byte, len(codes))
	for i, c := range codes {
		b[i] = byte(c)
	}
	return string(b)
}

// withoutLogprobs gives the class NoLogprobs to the rejection of a request because it asks for
// log-probabilities.
func withoutLogprobs(r *Request, err error) error {
	var status *endpoint.Status
	if r.Logprobs > 0 && errors.As(err, &status) && status.NamesLogprobs && !endpoint.IsPassing(status.Code) {
		return &Error{NoLogprobs, err}
	}
	return err
}
