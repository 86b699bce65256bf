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
// write them in two forms: a list of tokens with their bytes (OpenAI's conversations, llama-server,
// vLLM), or a log-probability by token (the older completions of OpenAI and vLLM). An answer without
// log-probabilities is an error of the class NoLogprobs, one in another form of the class Malformed.
// A token may be a part of a character; its bytes are replaced, because a store of answers keeps
// only UTF-8.
func firstToken(data json.RawMessage, key secret.Secret) (top []Token, err error) {
	var sent struct {
		Content []struct {
			Top []struct {
				Token   string  `json:"token"`
				Bytes   []int   `json:"bytes"`
				Logprob float64 `json:"logprob"`
			} `json:"top_logprobs"`
		} `json:"content"`
		Top []map[string]float64 `json:"top_logprobs"`
	}
	if len(data) > 0 {
		err = json.Unmarshal(data, &sent)
	}
	shownText := func(text string) string { return strings.ToValidUTF8(key.Redact(text), "\ufffd") }
	switch {
	case err != nil:
		return nil, &Error{Malformed, fmt.Errorf("log-probabilities: %w: %s", err, shortened(key.Redact(string(data))))}
	case sent.Content == nil && sent.Top == nil, len(sent.Content) > 0 && len(sent.Content[0].Top) == 0:
		return nil, &Error{NoLogprobs, errors.New("the answer has no logprobs with top_logprobs")}
	case len(sent.Content) > 0:
		for _, t := range sent.Content[0].Top {
			top = append(top, Token{shownText(textOf(t.Token, t.Bytes)), t.Logprob})
		}
	case len(sent.Top) > 0:
		for text, logprob := range sent.Top[0] {
			top = append(top, Token{shownText(text), logprob})
		}
	}
	slices.SortFunc(top, func(a, b Token) int {
		return cmp.Or(cmp.Compare(b.Logprob, a.Logprob), strings.Compare(a.Text, b.Text))
	})
	return top, nil
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
