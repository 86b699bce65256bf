package chat

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"infbench/internal/endpoint"
	"infbench/internal/testkit/chattest"
)

// weighedQuestion asks for one token with log-probabilities.
func weighedQuestion() Request {
	return Request{Model: "m", Messages: []Message{{User, "q1"}}, MaxTokens: 1, Logprobs: 20}
}

// TestLogprobs: log-probabilities are asked for and read as llama-server gives them. The one token
// that was asked for is not a cut answer, and may be empty or look like a refusal.
func TestLogprobs(t *testing.T) {
	s := chattest.New(t, fine)
	s.Top = func(*chattest.Asked) []chattest.Token {
		return []chattest.Token{{Text: " yes", Logprob: -.5}, {Text: "no", Logprob: -1.5}, {Text: "\xe2\x96", Logprob: -3.4e38}}
	}
	dir, client := t.TempDir(), newClient(t, s.URL, nil)
	for range 2 {
		a, err := NewCached(client, NewStore(dir, client.Origin())).Ask(t.Context(), weighedQuestion())
		if err != nil || !slices.Equal(a.Top, []Token{{" yes", -.5}, {"no", -1.5}, {"\ufffd", -3.4e38}}) || a.Output != 2 {
			t.Errorf("%+v, %v", a, err)
		}
	}
	if asked := s.Asked()[0]; !asked.Logprobs || asked.TopLogprobs != 20 || asked.MaxTokens != 1 || *asked.Temperature != 0 || asked.Format != nil {
		t.Errorf("asked %+v", asked)
	}
}

// TestLogprobForms: both forms of log-probabilities are read; an endpoint without them has its own
// class, and any other form is malformed.
func TestLogprobForms(t *testing.T) {
	for _, c := range []struct {
		name, logprobs string
		class          Class
		want           string // tokens
	}{
		{"llama-server, OpenAI", `{"content":[{"id":9,"token":"yes","bytes":[121,101,115],"logprob":-0.1,"top_logprobs":[{"id":9,"token":"yes","bytes":[121,101,115],"logprob":-0.1},{"id":3,"token":"no","bytes":[110,111],"logprob":-2.5}]}]}`, "", "yes -0.1, no -2.5"},
		{"the bytes count", `{"content":[{"top_logprobs":[{"token":"bytes:\\x20yes","bytes":[32,121,101,115],"logprob":-0.1}]}]}`, "", " yes -0.1"},
		{"no bytes, not sorted, more tokens", `{"content":[{"top_logprobs":[{"token":"no","bytes":null,"logprob":-3},{"token":"yes","logprob":-1}]},{"top_logprobs":[{"token":"x","logprob":0}]}],"refusal":null}`, "", "yes -1, no -3"},
		{"vLLM's completions", `{"text_offset":[0],"token_logprobs":[-0.1],"tokens":[" true"],"top_logprobs":[{" true":-0.1," false":-4.1}]}`, "", " true -0.1,  false -4.1"},
		{"no token", `{"content":[]}`, "", ""},
		{"absent", ``, NoLogprobs, ""},
		{"null", `null`, NoLogprobs, ""},
		{"of nothing", `{"content":null}`, NoLogprobs, ""},
		{"of the chosen token alone", `{"content":[{"token":"yes","logprob":-0.1,"top_logprobs":[]}]}`, NoLogprobs, ""},
		{"a list", `[-0.1]`, Malformed, "[-0.1]"},
		{"vLLM's conversation", `{"content":[{"token":"yes","logprob":-0.1,"bytes":[121,101,115],"top_logprobs":[{"token":"yes","logprob":-0.1,"bytes":[121,101,115]},{"token":"no","logprob":-9999.0,"bytes":[110,111]}]}]}`, "", "yes -0.1, no -9999"},
		{"part of a character", `{"content":[{"top_logprobs":[{"token":"\ufffd","bytes":[208],"logprob":-0.1},{"token":"да","bytes":[208,180,208,176],"logprob":-1}]}]}`, "", "\ufffd -0.1, да -1"},
		{"probability 0 of llama-server", `{"content":[{"top_logprobs":[{"token":"yes","bytes":[121,101,115],"logprob":-3.4028234663852886e+38}]}]}`, "", "yes -3.4028234663852886e+38"},
		{"a null number", `{"content":[{"top_logprobs":[{"token":"yes","logprob":null}]}]}`, Malformed, "a token has none"},
		{"a null number by token", `{"top_logprobs":[{"yes":null}]}`, Malformed, `{"top_logprobs":[{"yes":null}]}`},
		{"null for the token", `{"top_logprobs":[null],"tokens":["yes"]}`, NoLogprobs, ""},
		{"none but of the token", `{"tokens":[" true"],"token_logprobs":[-0.1],"top_logprobs":null,"text_offset":[0]}`, NoLogprobs, ""},
		{"llama-server's after sampling", `{"content":[{"token":"yes","bytes":[121,101,115],"prob":0.9,"top_probs":[{"token":"yes","prob":0.9}]}]}`, Malformed, `"top_probs"`},
		{"another form", `{"candidates":[{"token":"yes","logProbability":-0.1}]}`, Malformed, `neither content nor top_logprobs: {"candidates"`},
		{"texts for numbers", `{"content":[{"top_logprobs":[{"token":"yes","logprob":"-0.1"}]}]}`, Malformed, `"-0.1"`},
	} {
		logprobs := c.logprobs
		if logprobs != "" {
			logprobs = `,"logprobs":` + logprobs
		}
		body := `{"choices":[{"index":0,"message":{"role":"assistant","content":""},"finish_reason":"length"` + logprobs + `}],"usage":{"prompt_tokens":9,"completion_tokens":1}}`
		r := weighedQuestion()
		a, err := readCompletion(&r, []byte(body), newClient(t, "http://localhost/v1", nil).opts.Key)
		var got []string
		for _, token := range a.Top {
			got = append(got, fmt.Sprint(token.Text, " ", token.Logprob))
		}
		switch {
		case ClassOf(err) != c.class, a.Input != 9:
			t.Errorf("%s: %+v, %v", c.name, a, err)
		case err == nil && strings.Join(got, ", ") != c.want:
			t.Errorf("%s: %q", c.name, got)
		case err != nil && !strings.Contains(err.Error(), c.want):
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestNoLogprobs: an endpoint that does not give log-probabilities ignores the fields or refuses
// them, in words of several servers. That is kept, so that nothing is asked again, also with
// private texts, where no message is shown. Other rejections are not taken for it.
func TestNoLogprobs(t *testing.T) {
	for _, c := range []struct {
		name  string
		reply chattest.Reply
		class Class
	}{
		{"ignored", chattest.Say("yes"), NoLogprobs},
		{"OpenAI's reasoning models", chattest.Status(403, `{"error":{"message":"You are not allowed to request logprobs from this model","type":"invalid_request_error"}}`), NoLogprobs},
		{"Groq", chattest.Status(400, "{\"error\":{\"message\":\"`logprobs` is not supported with this model\"}}"), NoLogprobs},
		{"Mistral", chattest.Status(422, `{"detail":[{"type":"extra_forbidden","loc":["body","top_logprobs"],"msg":"Extra inputs are not permitted"}]}`), NoLogprobs},
		{"Gemini", chattest.Status(400, `[{"error":{"code":400,"message":"Logprobs is not enabled for models/gemini"}}]`), NoLogprobs},
		{"a refusal that repeats the request", chattest.Status(400, `{"error":"cannot read {\"logprobs\":true,\"top_logprobs\":20}","request":{"logprobs": true}}`), Rejected},
		{"a wrong key", chattest.Status(401, `{"error":{"message":"invalid key"}}`), Rejected},
		{"a context that is too long", chattest.Exceeding, Rejected},
	} {
		for _, private := range []bool{false, true} {
			s := chattest.New(t, fine, chattest.Repeated(9, c.reply)...)
			dir, client := t.TempDir(), newClient(t, s.URL, nil)
			ctx := t.Context()
			if private {
				ctx = endpoint.Privately(ctx)
			}
			for range 2 {
				a, err := NewCached(client, NewStore(dir, client.Origin())).Ask(ctx, weighedQuestion())
				if ClassOf(err) != c.class || len(a.Top) != 0 {
					t.Errorf("%s: %+v, %v", c.name, a, err)
				}
				if private && strings.Contains(err.Error(), "model") {
					t.Errorf("%s: private texts, but the error is %v", c.name, err)
				}
			}
			if want := map[Class]int{NoLogprobs: 1, Rejected: 2}[c.class]; len(s.Asked()) != want {
				t.Errorf("%s: %d questions, want %d", c.name, len(s.Asked()), want)
			}
		}
	}
}

// TestLogprobsHash: the hash of a question without log-probabilities is that of earlier versions, so
// that kept answers stay valid.
func TestLogprobsHash(t *testing.T) {
	r := question("q")
	if hash, err := r.Hash(); err != nil || hash != "4f70c00b2845a6d84482e5502accfc019d4be0f58ef29e9e4bb6c6c9110fe36a" {
		t.Errorf("%s, %v", hash, err)
	}
}
