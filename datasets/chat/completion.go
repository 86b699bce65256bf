package chat

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"infbench/internal/endpoint"
	"infbench/internal/secret"
)

// body encodes a request for the API.
func (c *Client) body(r *Request) ([]byte, error) {
	messages := make([]map[string]string, len(r.Messages))
	for i, m := range r.Messages {
		messages[i] = map[string]string{"role": m.Role, "content": m.Text}
	}
	fields := map[string]any{"model": r.Model}
	if r.Prompt != "" {
		fields["prompt"] = r.Prompt
	} else {
		fields["messages"] = messages
	}
	if r.Continue { // the fields of llama-server and vLLM
		fields["continue_final_message"], fields["add_generation_prompt"] = true, false
	}
	if len(r.Stop) > 0 {
		fields["stop"] = r.Stop
	}
	if r.TopP != 0 {
		fields["top_p"] = r.TopP
	}
	if len(r.Schema) > 0 {
		c.askForm(fields, messages, r.Schema)
	}
	if !c.opts.Reasoning {
		fields["temperature"] = r.Temperature
	}
	if r.MaxTokens > 0 {
		name := "max_tokens"
		if c.opts.Reasoning {
			name = "max_completion_tokens"
		}
		fields[name] = r.MaxTokens
	}
	switch {
	case r.Logprobs > 0 && r.Prompt != "":
		fields["logprobs"] = r.Logprobs
	case r.Logprobs > 0:
		fields["logprobs"], fields["top_logprobs"] = true, r.Logprobs
	}
	if r.Seed != 0 {
		fields["seed"] = r.Seed
	}
	body, err := json.Marshal(fields)
	if err != nil {
		return nil, &Error{Rejected, fmt.Errorf("request: %w", err)}
	}
	return body, nil
}

// path returns the path of the API for a request.
func (r *Request) path() string {
	if r.Prompt != "" {
		return "/completions"
	}
	return "/chat/completions"
}

// askForm asks for a form of the answer in the way that the endpoint supports.
func (c *Client) askForm(fields map[string]any, messages []map[string]string, schema json.RawMessage) {
	switch c.opts.Structure {
	case BySchema:
		fields["response_format"] = map[string]any{"type": "json_schema", "json_schema": map[string]any{"name": "answer", "strict": true, "schema": schema}}
		return
	case AsObject:
		fields["response_format"] = map[string]any{"type": "json_object"}
	}
	if last := len(messages) - 1; last >= 0 {
		messages[last]["content"] += InstructionOfForm(schema)
	}
}

// InstructionOfForm returns the text that asks for a form of the answer, for models without a
// request field for that.
func InstructionOfForm(schema json.RawMessage) string {
	return "\n\nAnswer with JSON only, of this JSON Schema:\n" + string(schema)
}

// completion is a response of the API.
type completion struct {
	Choices []struct {
		Message struct {
			Content   content `json:"content"`
			Refusal   string  `json:"refusal"`
			Thoughts  string  `json:"reasoning_content"`
			Reasoning string  `json:"reasoning"` // vLLM's later name of reasoning_content
		} `json:"message"`
		Text         string          `json:"text"` // of completions
		FinishReason string          `json:"finish_reason"`
		StopReason   json.RawMessage `json:"stop_reason"` // vLLM's: the text of Stop; null or a token's ID at the end by itself
		Logprobs     json.RawMessage `json:"logprobs"`
	} `json:"choices"`
	Usage struct {
		Input   endpoint.Count `json:"prompt_tokens"`
		Output  endpoint.Count `json:"completion_tokens"`
		Details struct {
			Cached endpoint.Count `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
	} `json:"usage"`
	Error json.RawMessage `json:"error"`
}

// content is the content of a message: a text, or a list of parts, as Mistral's reasoning models
// and some gateways send it. Text parts are joined; other parts, such as thoughts and references,
// do not belong to the answer.
type content struct{ text, refusal string }

// UnmarshalJSON implements json.Unmarshaler.
func (c *content) UnmarshalJSON(data []byte) error {
	*c = content{}
	if !bytes.HasPrefix(data, []byte("[")) {
		return json.Unmarshal(data, &c.text)
	}
	var parts []json.RawMessage
	if err := json.Unmarshal(data, &parts); err != nil {
		return err
	}
	for _, part := range parts {
		var p struct {
			Type    string          `json:"type"`
			Text    json.RawMessage `json:"text"`
			Refusal string          `json:"refusal"`
		}
		var text string
		switch {
		case json.Unmarshal(part, &text) == nil: // a text without a type
		case json.Unmarshal(part, &p) != nil:
			return fmt.Errorf("a part of the answer's content is neither a text nor an object: %s", shortened(string(part)))
		case p.Type == "" || p.Type == "text" || p.Type == "output_text":
			if len(p.Text) > 0 && json.Unmarshal(p.Text, &text) != nil {
				return fmt.Errorf("a part of the answer's content has no text: %s", shortened(string(part)))
			}
		case p.Type == "refusal":
			c.refusal += p.Refusal
		}
		c.text += text
	}
	return nil
}

// readCompletion parses the response to a request. Its errors quote the endpoint. The key is
// removed from the quoted text before it is shortened.
func readCompletion(r *Request, body []byte, key secret.Secret) (Answer, error) {
	var c completion
	if err := endpoint.Decode(body, &c); err != nil {
		return Answer{}, &Error{Malformed, err}
	}
	if len(c.Error) > 0 && string(c.Error) != "null" {
		return Answer{}, bodyError(c.Error, key)
	}
	answer := Answer{Input: int(c.Usage.Input), Output: int(c.Usage.Output), Reused: int(c.Usage.Details.Cached)}
	if len(c.Choices) == 0 {
		return answer, &Error{Malformed, errors.New("the answer has no choice")}
	}
	first := c.Choices[0]
	answer.Text = key.Redact(first.Message.Content.text)
	if r.Prompt != "" {
		answer.Text = key.Redact(first.Text)
	}
	answer.Thoughts = key.Redact(cmp.Or(first.Message.Thoughts, first.Message.Reasoning))
	if answer.Input+answer.Output == 0 {
		answer.Input, answer.Output = r.Estimate(), Tokens(answer.Text)+Tokens(answer.Thoughts)
	}
	refusal := cmp.Or(first.Message.Refusal, first.Message.Content.refusal)
	switch {
	case refusal != "" || first.FinishReason == "content_filter":
		return answer, &Error{Refused, fmt.Errorf("the model refused: %q", shortened(key.Redact(cmp.Or(refusal, first.FinishReason))))}
	case r.Logprobs > 0:
		var err error
		answer.Top, err = firstToken(first.Logprobs, key)
		return answer, err
	case len(r.Stop) > 0:
		answer.Ended = AtStop
		switch {
		case first.FinishReason == "length":
			answer.Ended = AtLimit
		case len(first.StopReason) > 0 && first.StopReason[0] != '"':
			answer.Ended = AtEnd
		}
		return answer, nil
	case first.FinishReason == "length":
		return answer, &Error{Truncated, fmt.Errorf("the answer was cut after %d tokens: %q", answer.Output, shortened(answer.Text))}
	}
	return answer, CheckForm(r, answer.Text)
}

// bodyError returns the error in a body with status 200, as gateways send them. Errors with a code
// of a temporary failure are retried.
func bodyError(data json.RawMessage, key secret.Secret) error {
	err := &Error{ErrorBody, fmt.Errorf("status 200 with an error: %s", shortened(key.Redact(string(data))))}
	var coded struct {
		Code endpoint.Count `json:"code"`
	}
	if json.Unmarshal(data, &coded) == nil && endpoint.IsPassing(int(coded.Code)) {
		return &endpoint.Passing{Err: err}
	}
	return err
}

// shortened returns the beginning of a long text, on one line.
func shortened(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > 200 {
		return strings.ToValidUTF8(text[:200], "") + " ..."
	}
	return text
}
