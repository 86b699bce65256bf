package chat

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"infbench/internal/testkit/chattest"
)

// TestPrompts: a prompt is sent to the path for completions, as llama-server and vLLM take it, and
// both of their answers are read, with counts as floats and what came from the cache.
func TestPrompts(t *testing.T) {
	const usage = `"usage":{"prompt_tokens":912.0,"completion_tokens":"1","prompt_tokens_details":{"cached_tokens":890}}`
	for name, logprobs := range map[string]string{
		"llama-server": `{"content":[{"token":" true","logprob":-0.02,"top_logprobs":[{"token":" true","logprob":-0.02},{"token":" false","logprob":-4.1},{"token":" True","logprob":-6.0}]}]}`,
		"vLLM":         `{"text_offset":[0],"tokens":[" true"],"token_logprobs":[-0.02],"top_logprobs":[{" true":-0.02," false":-4.1," True":-6.0}]}`,
	} {
		s := chattest.New(t, fine)
		s.Body = func(*chattest.Asked) string {
			return `{"choices":[{"text":" true","finish_reason":"length","logprobs":` + logprobs + `}],` + usage + `}`
		}
		r := Request{Model: "m", Prompt: "Determine\n<think>so</think>", MaxTokens: 1, Logprobs: 20, Seed: 1}
		asker := NewAsker(newClient(t, s.URL, nil), nil)
		a, err := asker.Ask(t.Context(), r)
		if err != nil || a.Text != " true" || len(a.Top) != 3 || a.Top[1] != (Token{" false", -4.1}) || a.Input != 912 || a.Output != 1 || a.Reused != 890 {
			t.Errorf("%s: %+v, %v", name, a, err)
		}
		if asked := s.Asked()[0]; asked.Prompt != r.Prompt || asked.Messages != nil || asked.MaxTokens != 1 || asked.TopLogprobs != 20 || asked.Seed != 1 || *asked.Temperature != 0 || asked.Stop != nil {
			t.Errorf("%s: asked %+v", name, asked)
		}
		if u := asker.Usage(); !strings.Contains(u.String(), "912 tokens in (890 from the endpoint's cache), 1 out") {
			t.Error(u.String())
		}
	}
}

// TestEndings: thoughts are a part of an answer: at the limit of tokens they are not an error, and may
// be empty, sent apart, or look like a refusal. An endpoint may report how they ended.
func TestEndings(t *testing.T) {
	for body, want := range map[string]Answer{
		`{"choices":[{"text":"so","finish_reason":"stop"}]}`:                                                               {Text: "so", Ended: AtStop},
		`{"choices":[{"text":"so","finish_reason":"stop","stop_reason":"</think>"}]}`:                                      {Text: "so", Ended: AtStop},
		`{"choices":[{"text":"so","finish_reason":"stop","stop_reason":null}]}`:                                            {Text: "so", Ended: AtEnd},
		`{"choices":[{"text":"I'm sorry, but","finish_reason":"length","stop_reason":null}]}`:                              {Text: "I'm sorry, but", Ended: AtLimit},
		`{"choices":[{"text":"","finish_reason":"stop"}]}`:                                                                 {Ended: AtStop},
		`{"choices":[{"message":{"content":"","reasoning_content":"as I think"},"finish_reason":"length"}]}`:               {Thoughts: "as I think", Ended: AtLimit},
		`{"choices":[{"message":{"content":null,"reasoning":"as I think"},"finish_reason":"stop"}]}`:                       {Thoughts: "as I think", Ended: AtStop},
		`{"choices":[{"message":{"content":"yes","reasoning_content":null},"finish_reason":"stop","stop_reason":151645}]}`: {Text: "yes", Ended: AtEnd},
	} {
		s := chattest.New(t, fine)
		s.Body = func(*chattest.Asked) string { return body }
		r := Request{Model: "m", Messages: []Message{{User, "q"}}, MaxTokens: 5, Stop: []string{"</think>"}}
		if strings.Contains(body, `"text"`) {
			r.Messages, r.Prompt = nil, "q"
		}
		dir, client := t.TempDir(), newClient(t, s.URL, nil)
		for range 2 { // thoughts are kept, and their hash is checked
			a, err := NewCached(client, NewStore(dir, client.Origin())).Ask(t.Context(), r)
			a.Input, a.Output, a.Cached = 0, 0, false
			if err != nil || a.Text != want.Text || a.Thoughts != want.Thoughts || a.Ended != want.Ended {
				t.Errorf("%s: %+v, %v", body, a, err)
			}
		}
		if asked := s.Asked(); len(asked) != 1 || len(asked[0].Stop) != 1 || asked[0].Stop[0] != "</think>" || asked[0].Continue {
			t.Errorf("asked %+v", asked)
		}
	}
}

// TestRecorded reads answers that the llama-server of make real-llm gave with SmolLM2-135M-Instruct:
// to thoughts, which ended at a stop text, at the limit or by themselves (the same as at a stop text),
// and to a verdict. In a conversation the server repeats the beginning of the message.
func TestRecorded(t *testing.T) {
	for file, want := range map[string]struct {
		Answer
		first, second Token
	}{
		"thoughts-stop.json":       {Answer: Answer{Text: " The passage is relevant to the query", Input: 43, Output: 8, Ended: AtStop}},
		"thoughts-length.json":     {Answer: Answer{Text: " The passage is relevant", Input: 43, Output: 4, Reused: 42, Ended: AtLimit}},
		"thoughts-eos.json":        {Answer: Answer{Text: "Hello there! I'm here to help with any kind of math or science project. What can I help you with?", Input: 33, Output: 25, Reused: 24, Ended: AtStop}},
		"verdict-completions.json": {Answer{Text: " The", Input: 56, Output: 1, Reused: 46}, Token{" The", -1.510990858078003}, Token{" No", -1.6217544078826904}},
		"verdict-chat.json":        {Answer{Text: "<think>\n\n</think>\n\n\n", Input: 48, Output: 1}, Token{"\n", -0.8227453231811523}, Token{"1", -1.7031755447387695}},
	} {
		body, err := os.ReadFile(filepath.Join("testdata", "llama-server", file))
		if err != nil {
			t.Fatal(err)
		}
		s := chattest.New(t, fine)
		s.Body = func(*chattest.Asked) string { return string(body) }
		r := Request{Model: "m", Prompt: "q"}
		if strings.HasSuffix(file, "chat.json") || strings.HasSuffix(file, "eos.json") {
			r = Request{Model: "m", Messages: []Message{{User, "q"}}}
		}
		if r.Logprobs = 20; want.Ended != "" {
			r.Logprobs, r.Stop = 0, []string{"."}
		}
		a, err := newClient(t, s.URL, nil).Ask(t.Context(), r)
		if err == nil && r.Logprobs > 0 && (len(a.Top) != 20 || a.Top[0] != want.first || a.Top[1] != want.second) {
			t.Errorf("%s: %v", file, a.Top)
		}
		if a.Top = nil; err != nil || !reflect.DeepEqual(a, want.Answer) {
			t.Errorf("%s: %+v, %v", file, a, err)
		}
	}
}

// TestContinue: the last message is the beginning of the answer.
func TestContinue(t *testing.T) {
	s := chattest.New(t, fine)
	r := Request{Model: "m", Messages: []Message{{User, "q"}, {Assistant, "<think>\n\n</think>\n\n"}}, Continue: true}
	if _, err := newClient(t, s.URL, nil).Ask(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if asked := s.Asked()[0]; !asked.Continue || asked.Last() != r.Messages[1].Text || asked.Messages[1].Role != Assistant {
		t.Errorf("asked %+v", asked)
	}
}

// TestFollow: a forecast counts the question that follows thoughts, with the longest thoughts in it.
func TestFollow(t *testing.T) {
	f := NewForecaster(nil, map[string]Price{"m": {1, 2}})
	r := Request{Model: "m", Prompt: strings.Repeat("four", 10), MaxTokens: 100, Stop: []string{"</think>"}, Follow: 1}
	for range 2 { // equal questions count once
		if _, err := f.Ask(t.Context(), r); err == nil {
			t.Error("answered")
		}
	}
	got := f.Forecast()
	got.Money, got.MoneyAtMost = 0, 0
	if want := (Forecast{Questions: 2, Input: 10 + 110, InputAtMost: 2*r.AtMost() + 100, OutputAtMost: 101}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestWithoutCompletions: an endpoint without completions is named as such.
func TestWithoutCompletions(t *testing.T) {
	s := chattest.New(t, fine, chattest.Status(404, `{"detail":"Not Found"}`))
	_, err := newClient(t, s.URL, nil).Ask(t.Context(), Request{Model: "m", Prompt: "q"})
	if ClassOf(err) != Rejected || !strings.Contains(err.Error(), "endpoint: completions in its recipe") {
		t.Error(err)
	}
}
