package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"infbench/internal/endpoint"
	"infbench/internal/secret"
	"infbench/internal/testkit"
	"infbench/internal/testkit/chattest"
)

const canary = "sk-canary-0123456789"

// choice is the JSON Schema of answers in these tests.
var choice = json.RawMessage(`{"type":"object","properties":{"id":{"type":"string"},"choice":{"type":"integer"}},"required":["id","choice"],"additionalProperties":false}`)

func question(text string) Request {
	return Request{Model: "m", Messages: []Message{{System, "You judge."}, {User, text}}, Schema: choice, MaxTokens: 50}
}

// fine gives correct answers.
func fine(asked *chattest.Asked) string { return answerTo(asked.Last()) }

func answerTo(id string) string { return fmt.Sprintf(`{"id": %q, "choice": 1}`, id) }

func newClient(t testing.TB, url string, change func(*Options)) *Client {
	t.Helper()
	o := Options{BaseURL: url, Key: secret.New(canary), Timeout: 10 * time.Second, Stall: 10 * time.Second, Deadline: 20 * time.Second}
	if change != nil {
		change(&o)
	}
	c, err := NewClient(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestFaults: each fault of an endpoint has its class and its number of attempts, and ends by the
// deadline. Time is that of a synctest bubble.
func TestFaults(t *testing.T) {
	inSeconds := func(w http.ResponseWriter, _ *http.Request, _ *chattest.Asked) {
		w.Header().Set("Retry-After", time.Now().Add(2*time.Second).UTC().Format(http.TimeFormat))
		w.WriteHeader(503)
	}
	for name, c := range map[string]struct {
		script   []chattest.Reply
		class    Class
		requests int // 0: any number
		least    time.Duration
	}{
		"429 with Retry-After":               {chattest.Repeated(1, chattest.Status(429, "", "Retry-After", "1")), "", 2, time.Second},
		"429 without":                        {chattest.Repeated(1, chattest.Status(429, "")), "", 2, 500 * time.Millisecond},
		"429 for ever":                       {chattest.Repeated(99, chattest.Status(429, "")), Limited, 0, 0},
		"429 for longer than there is":       {chattest.Repeated(99, chattest.Status(429, "", "Retry-After", "60")), Limited, 1, 0},
		"503 with a date":                    {chattest.Repeated(1, inSeconds), "", 2, 500 * time.Millisecond},
		"llama-server loads its model":       {chattest.Repeated(1, chattest.Loading), "", 2, 500 * time.Millisecond},
		"longer than llama-server's context": {chattest.Repeated(99, chattest.Exceeding), Rejected, 1, 0},
		"500 once":                           {chattest.Repeated(1, chattest.Status(500, "oops")), "", 2, 500 * time.Millisecond},
		"500 for ever":                       {chattest.Repeated(99, chattest.Status(500, "oops")), ServerFault, 0, 0},
		"a hang":                             {chattest.Repeated(99, chattest.Hang), TimedOut, 0, 0},
		"a slow drip":                        {chattest.Repeated(99, chattest.Drip(50*time.Millisecond)), TimedOut, 0, 0},
		"a stall":                            {chattest.Repeated(99, chattest.Stall), TimedOut, 0, 0},
		"a stall once":                       {chattest.Repeated(1, chattest.Stall), "", 2, 0},
		"truncated JSON":                     {chattest.Repeated(99, chattest.Broken), Malformed, 0, 0},
		"truncated JSON once":                {chattest.Repeated(1, chattest.Broken), "", 2, 0},
		"a refusal":                          {chattest.Repeated(1, chattest.Refuse("I will not.")), Refused, 1, 0},
		"a refusal as text":                  {chattest.Repeated(1, chattest.Say("I'm sorry, but I can't assist with that.")), Refused, 1, 0},
		"cut at the limit":                   {chattest.Repeated(1, chattest.Cut(`{"id": "q1", "ch`)), Truncated, 1, 0},
		"prose around the answer":            {chattest.Repeated(1, chattest.Say("Sure! Here it is:\n```json\n"+answerTo("q1")+"\n```\nAnything else?")), "", 1, 0},
		"prose only":                         {chattest.Repeated(1, chattest.Say("The first passage is right.")), Malformed, 1, 0},
		"another form":                       {chattest.Repeated(1, chattest.Say(`{"id": "q1", "choice": "first"}`)), Malformed, 1, 0},
		"half an answer":                     {chattest.Repeated(1, chattest.Say(`{"id": "q1", "choice": `)), Malformed, 1, 0},
		"nothing":                            {chattest.Repeated(1, chattest.Say("")), Malformed, 1, 0},
		"the answer to another record":       {chattest.Repeated(1, chattest.Say(answerTo("q2"))), WrongRecord, 1, 0},
		"200 with an error body":             {chattest.Repeated(1, chattest.Status(200, `{"error": {"message": "no credit", "code": "insufficient_quota"}}`)), ErrorBody, 1, 0},
		"200 with an error that passes":      {chattest.Repeated(1, chattest.Status(200, `{"error": {"code": 502}}`)), "", 2, 0},
		"200 with a page":                    {chattest.Repeated(1, chattest.Status(200, `<html>`)), Malformed, 1, 0},
		"no credit left":                     {chattest.Repeated(99, chattest.Status(429, `{"error": {"code": "insufficient_quota"}}`)), Rejected, 1, 0},
		"an error in quotes that passes":     {chattest.Repeated(1, chattest.Status(200, `{"error": {"code": "503"}}`)), "", 2, 0},
		"200 without a choice":               {chattest.Repeated(1, chattest.Status(200, `{"choices": []}`)), Malformed, 1, 0},
		"a redirect to another host":         {chattest.Repeated(99, chattest.Status(307, "", "Location", "http://elsewhere.test/v1/chat/completions")), Redirected, 1, 0},
		"an endless body":                    {chattest.Repeated(99, chattest.Endless), TooLong, 1, 0},
		"a reset connection":                 {chattest.Repeated(99, chattest.Reset), Unreachable, 0, 0},
		"a reset connection once":            {chattest.Repeated(1, chattest.Reset), "", 2, 0},
		"a wrong key":                        {chattest.Repeated(99, chattest.Echo(401)), Rejected, 1, 0},
		"an endpoint that repeats the key":   {chattest.Repeated(1, chattest.Status(400, "your key "+canary)), Rejected, 1, 0},
		"a refusal that repeats the key":     {chattest.Repeated(1, chattest.Refuse(strings.Repeat("x", 190)+canary)), Refused, 1, 0},
		"an error body with the key":         {chattest.Repeated(1, chattest.Status(200, `{"error": "`+strings.Repeat("x", 190)+canary+`"}`)), ErrorBody, 1, 0},
		"a server fault that tells the key":  {chattest.Repeated(99, chattest.Echo(500)), ServerFault, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := chattest.NewInBubble(t, fine, c.script...)
				asker := NewAsker(newClient(t, s.URL, func(o *Options) {
					o.Transport, o.Deadline = s.Transport, 2500*time.Millisecond
					if strings.HasPrefix(name, "a hang") || strings.HasPrefix(name, "a slow") || strings.HasPrefix(name, "a stall") {
						o.Timeout, o.Stall = time.Second, 500*time.Millisecond
					}
				}), nil)
				start := time.Now()
				answer, err := asker.AskChecked(t.Context(), question("q1"), OfRecord("id", "q1"))
				took := time.Since(start)
				if ClassOf(err) != c.class {
					t.Fatalf("class %q, want %q: %v", ClassOf(err), c.class, err)
				}
				if took > 2500*time.Millisecond || took < c.least {
					t.Errorf("took %v", took)
				}
				if n := len(s.Headers()); c.requests != 0 && n != c.requests {
					t.Errorf("%d requests, want %d", n, c.requests)
				}
				if err == nil && !strings.Contains(answer.Text, answerTo("q1")) {
					t.Errorf("answer %q", answer.Text)
				}
				if strings.Contains(fmt.Sprintf("%v %+v %#v", err, err, err), canary[:len(canary)/2]) {
					t.Errorf("the error holds the key: %v", err)
				}
				if u := asker.Usage(); u.Answered+u.Failed() != 1 || c.class != "" && u.Failures[c.class] != 1 {
					t.Errorf("counted %+v", u)
				}
			})
		})
	}
}

// TestWrongLanguage: the caller's check finds an answer in another script.
func TestWrongLanguage(t *testing.T) {
	s := chattest.New(t, fine, chattest.Say("这是一个很好的答案。"), chattest.Say("Un été à Paris."))
	asker := NewAsker(newClient(t, s.URL, nil), nil)
	plain := question("Which city?")
	plain.Schema = nil
	if _, err := asker.AskChecked(t.Context(), plain, InScriptOf("Which city?")); ClassOf(err) != WrongLanguage {
		t.Errorf("Chinese: %v", err)
	}
	if _, err := asker.AskChecked(t.Context(), plain, InScriptOf("Which city?")); err != nil {
		t.Errorf("the same script: %v", err)
	}
}

// TestKeyInAnswer: a key that an endpoint puts into its answer is removed.
func TestKeyInAnswer(t *testing.T) {
	s := chattest.New(t, fine, chattest.EchoAnswer)
	plain := question("q")
	plain.Schema = nil
	answer, err := newClient(t, s.URL, nil).Ask(t.Context(), plain)
	if err != nil || strings.Contains(answer.Text, canary) || !strings.Contains(answer.Text, "(hidden)") {
		t.Errorf("%q, %v", answer.Text, err)
	}
}

// TestInterrupted: a caller can stop waiting and gets the cause; this is not a fault of the
// endpoint.
func TestInterrupted(t *testing.T) {
	why := errors.New("stopped by signal")
	for name, of := range map[string]context.Context{"public": t.Context(), "private": endpoint.Privately(t.Context())} {
		t.Run(name, func(t *testing.T) {
			s := chattest.New(t, fine, chattest.Hang)
			ctx, cancel := context.WithCancelCause(of)
			time.AfterFunc(100*time.Millisecond, func() { cancel(why) })
			if _, err := newClient(t, s.URL, nil).Ask(ctx, question("q")); ClassOf(err) != Interrupted || !errors.Is(err, why) || strings.Contains(err.Error(), "Post") {
				t.Errorf("class %q: %v", ClassOf(err), err)
			}
		})
	}
}

// TestRequestBody: the request follows the options.
func TestRequestBody(t *testing.T) {
	for structure, want := range map[Structure]string{BySchema: "json_schema", AsObject: "json_object", InWords: ""} {
		s := chattest.New(t, func(*chattest.Asked) string { return answerTo("q") })
		c := newClient(t, s.URL, func(o *Options) { o.Structure = structure; o.Reasoning = structure == AsObject })
		r := question("q")
		r.Seed = 7
		if _, err := c.Ask(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		asked := s.Asked()[0]
		format := ""
		if asked.Format != nil {
			format = asked.Format.Type
		}
		inWords := strings.Contains(asked.Last(), string(choice))
		if format != want || inWords != (structure != BySchema) || asked.Seed != 7 || asked.MaxTokens+asked.MaxCompletionTokens != 50 ||
			(asked.Temperature == nil) != (structure == AsObject) || (asked.MaxCompletionTokens == 50) != (structure == AsObject) {
			t.Errorf("%s: sent %+v", structure, asked)
		}
		if got := s.Headers()[0].Get("Authorization"); got != "Bearer "+canary {
			t.Errorf("key %q", got)
		}
		if r.Messages[1].Text != "q" {
			t.Error("the request was changed")
		}
	}
}

func TestRateAndParallel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := chattest.NewInBubble(t, fine)
		c := newClient(t, s.URL, func(o *Options) { o.Transport, o.PerSecond = s.Transport, 20 })
		var group sync.WaitGroup
		for i := range 5 {
			group.Go(func() {
				if _, err := c.Ask(t.Context(), question(fmt.Sprint(i))); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		if times := s.Times(); times[4].Sub(times[0]) != 200*time.Millisecond {
			t.Errorf("5 requests at 20 a second within %v", times[4].Sub(times[0]))
		}
	})
}

func TestOptions(t *testing.T) {
	for want, change := range map[string]func(*Options){
		"want an http or https address": func(o *Options) { o.BaseURL = "localhost" },
		"address without a password":    func(o *Options) { o.BaseURL = "https://me:pw@api.example" },
		"a limit is negative":           func(o *Options) { o.PerSecond = -1 },
		`did you mean "schema"?`:        func(o *Options) { o.Structure = "shema" },
	} {
		o := Options{BaseURL: "https://api.example/v1"}
		change(&o)
		if _, err := NewClient(o); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "pw") {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestExtract(t *testing.T) {
	for text, want := range map[string]string{
		`{"a": 1}`:                                    `{"a": 1}`,
		"  [1, 2]\n":                                  `[1, 2]`,
		"```json\n{\"a\": 1}\n```":                    `{"a": 1}`,
		"```\n{\"a\": 1}\n```":                        `{"a": 1}`,
		"```{\"a\": 1}```":                            `{"a": 1}`,
		"Here: {\"a\": {\"b\": [2]}} - done":          `{"a": {"b": [2]}}`,
		"See [1]: {\"a\": 1}":                         `{"a": 1}`,
		"<think>{\"a\": 0} or so</think>\n{\"a\": 1}": `{"a": 1}`,
		"{\"a\": 1} that is {\"a\": 1}":               `{"a": 1}`,
		"{\"a\": 0} or so</think>\n{\"a\": 1}":        `{"a": 1}`,
		`{"a": "it ends with </think>"}`:              `{"a": "it ends with </think>"}`,
		"<think>perhaps {\"a\": 1}":                   "",
		"perhaps {\"a\": 1}</think>I cannot tell":     "",
		"```{\"a\": 1}``` ```{\"a\": 2}```":           "",
		"The list is [3, 1].":                         `[3, 1]`,
		`{"a": 1} or {"a": 2}`:                        "",
		`{"a": 1,}`:                                   "",
		`{'a': 1}`:                                    "",
		`{"a": `:                                      "",
		"no":                                          "",
		"":                                            "",
		strings.Repeat("[", 100_000):                  "",
		strings.Repeat("{\"a\":", 20_000):             "",
	} {
		got, err := Extract(text)
		if string(got) != want || (err != nil) != (want == "") {
			t.Errorf("%.60q: %s, %v, want %s", text, got, err, want)
		}
	}
}

// FuzzExtract: no text causes a panic, and every found value is JSON.
func FuzzExtract(f *testing.F) {
	f.Add("Sure: ```json\n{\"a\": [1]}\n``` {")
	f.Fuzz(func(t *testing.T, text string) {
		testkit.Small.Within(t, len(text), func() {
			if value, err := Extract(text); err == nil && !json.Valid(value) {
				t.Errorf("%q", value)
			}
		})
	})
}

func TestRefusals(t *testing.T) {
	for text, want := range map[string]bool{
		"I’m sorry, but I can’t help with that.":                              true,
		"As an AI language model, I do not judge.":                            true,
		"As an airline pilot you fly at night.":                               false,
		"The man said: I cannot assist.":                                      false,
		"I'm sorry, but the train left. " + strings.Repeat("And so on. ", 60): false,
	} {
		err := CheckForm(&Request{}, text)
		if (ClassOf(err) == Refused) != want {
			t.Errorf("%.40q: %v", text, err)
		}
	}
}

func TestClasses(t *testing.T) {
	if ClassOf(nil) != "" || ClassOf(errors.New("x")) != Unclassed || ClassOf(context.Canceled) != Interrupted {
		t.Error("classes of other errors")
	}
	if c := Classes(); len(slices.Compact(slices.Sorted(slices.Values(c)))) != len(c) {
		t.Errorf("%q", c)
	}
}

// TestCompletions: the content of a message may be a text or a list of parts, and counts may be of
// other types.
func TestCompletions(t *testing.T) {
	r := question("q")
	right := strconv.Quote(answerTo("q"))
	for name, c := range map[string]struct {
		content, usage string
		text           string
		class          Class
		input, output  int // 0: as estimated
	}{
		"a text":              {content: right, usage: `{"prompt_tokens": 10, "completion_tokens": 2}`, text: answerTo("q"), input: 10, output: 2},
		"floats":              {content: right, usage: `{"prompt_tokens": 10.0, "completion_tokens": 2.0}`, text: answerTo("q"), input: 10, output: 2},
		"numbers in quotes":   {content: right, usage: `{"prompt_tokens": "10", "completion_tokens": "2"}`, text: answerTo("q"), input: 10, output: 2},
		"counts of no number": {content: right, usage: `{"prompt_tokens": [10], "completion_tokens": "few"}`, text: answerTo("q")},
		"one part":            {content: `[{"type": "text", "text": ` + right + `}]`, usage: `{"prompt_tokens": 10}`, text: answerTo("q"), input: 10},
		"thoughts before":     {content: `[{"type": "thinking", "thinking": [{"type": "text", "text": "no {}"}]}, {"type": "text", "text": ` + right + `}]`, usage: "null", text: answerTo("q")},
		"several texts":       {content: `[{"type": "text", "text": "{\"id\": \"q\","}, {"type": "reference", "reference_ids": [1]}, {"type": "output_text", "text": " \"choice\": 1}"}]`, usage: "null", text: answerTo("q")},
		"bare texts":          {content: `[` + right + `]`, usage: "null", text: answerTo("q")},
		"no part":             {content: `[]`, usage: "null", class: Malformed},
		"nothing":             {content: `null`, usage: "null", class: Malformed},
		"an object":           {content: `{"text": ` + right + `}`, usage: "null", class: Malformed},
		"a number as part":    {content: `[3]`, usage: "null", class: Malformed},
		"a refusal as part":   {content: `[{"type": "refusal", "refusal": "I will not."}]`, usage: "null", class: Refused},
	} {
		body := `{"choices": [{"message": {"content": ` + c.content + `}, "finish_reason": "stop"}], "usage": ` + c.usage + `}`
		answer, err := readCompletion(&r, []byte(body), secret.Secret{})
		if ClassOf(err) != c.class || answer.Text != c.text {
			t.Errorf("%s: %q, %v; want %q of class %q", name, answer.Text, err, c.text, c.class)
		}
		if c.input+c.output > 0 && (answer.Input != c.input || answer.Output != c.output) || c.class == "" && answer.Input+answer.Output == 0 {
			t.Errorf("%s: %d and %d tokens, want %d and %d", name, answer.Input, answer.Output, c.input, c.output)
		}
	}
}

// TestUnsupportedFields: if a server rejects a field, the error names the option that omits it, and if
// the question is too long, the options that shorten it. The messages are those of real servers.
func TestUnsupportedFields(t *testing.T) {
	for _, c := range []struct {
		said, want string
		change     func(*Options)
	}{
		{said: `{"error": {"message": "response_format json_schema is not supported"}}`, want: "--structure"},
		{said: `{"error": {"message": "This response_format type is unavailable now"}}`, want: "object or words (--structure)"},
		{said: `{"detail": [{"loc": ["body", "response_format"], "msg": "extra fields not permitted"}]}`, want: "--structure"},
		{said: `{"error": "json_object is not supported"}`, want: "words (--structure)", change: func(o *Options) { o.Structure = AsObject }},
		{said: `{"error": {"message": "response_format"}}`, change: func(o *Options) { o.Structure = InWords }},
		{said: `{"error": {"message": "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."}}`, want: "--reasoning"},
		{said: `{"error": {"message": "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported."}}`, want: "--reasoning"},
		{said: `{"error": {"message": "Unrecognized request argument supplied: max_completion_tokens"}}`, want: "without reasoning", change: func(o *Options) { o.Reasoning = true }},
		{said: `{"error": {"message": "max_tokens is too large: 50. This model supports at most 10 completion tokens"}}`},
		{said: `{"error": {"message": "no such model"}}`},
		{said: `{"error":{"code":400,"message":"request (611 tokens) exceeds the available context size (256 tokens), try increasing it","type":"exceed_context_size_error"}}`, want: "--document-bytes"}, // llama-server
		{said: `{"error": {"message": "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.", "code": "context_length_exceeded"}}`, want: "--document-bytes"},
	} {
		s := chattest.New(t, fine, chattest.Status(400, c.said))
		_, err := newClient(t, s.URL, c.change).Ask(t.Context(), question("q"))
		if got := fmt.Sprint(err); ClassOf(err) != Rejected || !strings.Contains(got, c.want) || c.want == "" && strings.Contains(got, "--") {
			t.Errorf("%s: %v; want %q", c.said, err, c.want)
		}
	}
}
