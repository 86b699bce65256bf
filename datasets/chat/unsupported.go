package chat

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"infbench/internal/endpoint"
)

var (
	formWords    = regexp.MustCompile(`(?i)response_?format|json_schema|json_object|json mode|structured output|guided`)
	longQuestion = regexp.MustCompile(`(?i)exceed_context_size|context_length_exceeded|maximum context length|(exceeds?|larger than|longer than)[^.]{0,40}context`)
	unknownField = regexp.MustCompile(`(?i)not (be )?(support|permit|allow|accept|recogni|implement)|(un|non.?)(support|known|recogni|expect)|does ?n.t support|invalid (field|param|arg)|extra|deprecated|instead|only the default`)
)

// withoutCompletions adds a hint to the refusal of an endpoint that has only conversations.
func withoutCompletions(r *Request, err error) error {
	var status *endpoint.Status
	if r.Prompt != "" && errors.As(err, &status) && (status.Code == 404 || status.Code == 405) {
		return fmt.Errorf("%w; the question is a text that goes on (endpoint: completions in its recipe), which some endpoints do not take at /completions", err)
	}
	return err
}

// withoutField adds a hint to a server's rejection of a request field: the option that omits the
// field. Servers differ in the fields they support. A rejection of a long question gets a hint, too.
func (c *Client) withoutField(err error) error {
	var status *endpoint.Status
	if !errors.As(err, &status) || status.Code != 400 && status.Code != 422 && status.Code != 501 {
		return err
	}
	said := status.Said
	names := func(field string) bool { return strings.Contains(said, field) && unknownField.MatchString(said) }
	switch o := &c.opts; {
	case longQuestion.MatchString(said):
		return fmt.Errorf("%w; the question and its answer do not fit the server's context: give it a larger one (of llama-server, --ctx-size / --parallel), or send less (--document-bytes, --window, --answer-tokens)", err)
	case o.Structure == BySchema && formWords.MatchString(said):
		return fmt.Errorf("%w; structure object or words (--structure) asks for JSON without a schema", err)
	case o.Structure == AsObject && formWords.MatchString(said):
		return fmt.Errorf("%w; structure words (--structure) asks for JSON without response_format", err)
	case !o.Reasoning && names("max_tokens"):
		return fmt.Errorf("%w; reasoning (--reasoning) sends max_completion_tokens in place of max_tokens, and no temperature", err)
	case !o.Reasoning && names("temperature"):
		return fmt.Errorf("%w; reasoning (--reasoning) sends no temperature, and max_completion_tokens in place of max_tokens", err)
	case o.Reasoning && names("max_completion_tokens"):
		return fmt.Errorf("%w; without reasoning (--reasoning) max_tokens is sent in its place", err)
	}
	return err
}
