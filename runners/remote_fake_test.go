package runners

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"infbench/internal/secret"
)

const testKey = "sk-very-secret"

// fakeAPI is the server side of a dialect, written from the provider's reference.
type fakeAPI struct {
	name, path string
	key        func(h http.Header) string // the key of a request
	texts      func(body []byte) (texts []string, role string, err error)
	answer     func(texts []string, vectors []any, tokens int) any
	ordered    bool // an answer in another order cannot be recognised
}

func fakeAPIs() []fakeAPI {
	bearer := func(h http.Header) string { return strings.TrimPrefix(h.Get("Authorization"), "Bearer ") }
	type object = map[string]any
	return []fakeAPI{
		{
			name: "openai", path: "/embeddings", key: bearer,
			texts: func(body []byte) ([]string, string, error) {
				var sent struct{ Input []string }
				return sent.Input, "", json.Unmarshal(body, &sent)
			},
			answer: func(texts []string, vectors []any, tokens int) any {
				var data []object
				for i, v := range vectors {
					data = append(data, object{"index": i, "embedding": v})
				}
				return object{"data": data, "usage": object{"total_tokens": tokens}}
			},
		},
		{
			name: "cohere", path: "/embed", key: bearer,
			texts: func(body []byte) ([]string, string, error) {
				var sent struct {
					Texts []string
					Role  string   `json:"input_type"`
					Types []string `json:"embedding_types"`
				}
				err := json.Unmarshal(body, &sent)
				return sent.Texts, sent.Role + strings.Join(sent.Types, ","), err
			},
			answer: func(texts []string, vectors []any, tokens int) any {
				return object{"id": "1", "texts": texts, "embeddings": object{"float": vectors},
					"meta": object{"billed_units": object{"input_tokens": tokens}}}
			},
		},
		{
			name: "google", path: "/models/m:batchEmbedContents", ordered: true,
			key: func(h http.Header) string { return h.Get("x-goog-api-key") },
			texts: func(body []byte) ([]string, string, error) {
				var sent struct {
					Requests []struct {
						Model, TaskType      string
						OutputDimensionality int
						Content              struct{ Parts []struct{ Text string } }
					}
				}
				err := json.Unmarshal(body, &sent)
				var texts []string
				role := ""
				for _, r := range sent.Requests {
					texts, role = append(texts, r.Content.Parts[0].Text), r.Model+" "+r.TaskType
				}
				return texts, role, err
			},
			answer: func(_ []string, vectors []any, tokens int) any {
				var list []object
				for _, v := range vectors {
					list = append(list, object{"values": v})
				}
				return object{"embeddings": list, "usageMetadata": object{"promptTokenCount": tokens}}
			},
		},
	}
}

// one is an answer with one vector, its values given as JSON.
func (a *fakeAPI) one(values string) string {
	data, err := json.Marshal(a.answer([]string{"a"}, []any{"here"}, 0))
	if err != nil {
		panic(err)
	}
	return strings.Replace(string(data), `"here"`, values, 1)
}

// eachAPI runs a test once for every dialect.
func eachAPI(t *testing.T, test func(t *testing.T, api fakeAPI)) {
	apis := fakeAPIs()
	if len(apis) != len(RemoteAPIs()) {
		t.Fatalf("%d interfaces are tested of %q", len(apis), RemoteAPIs())
	}
	for _, api := range apis {
		t.Run(api.name, func(t *testing.T) { test(t, api) })
	}
}

// fakeEndpoint is a transport that acts as an endpoint for embeddings. It answers by its
// script, request by request, and correctly after the end of the script.
type fakeEndpoint struct {
	api fakeAPI

	mu       sync.Mutex
	script   []func(req *http.Request) (*http.Response, error)
	times    []time.Time
	paths    []string
	headers  []http.Header
	texts    []string // texts of correctly answered requests
	roles    []string // roles in these requests
	reversed bool
	usage    int
}

func (e *fakeEndpoint) RoundTrip(req *http.Request) (*http.Response, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.times = append(e.times, time.Now())
	e.paths = append(e.paths, req.URL.Path)
	e.headers = append(e.headers, req.Header.Clone())
	if len(e.script) > 0 {
		answer := e.script[0]
		e.script = e.script[1:]
		return answer(req)
	}
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	texts, role, err := e.api.texts(body)
	if err != nil {
		return nil, err
	}
	e.texts, e.roles = append(e.texts, texts...), append(e.roles, role)
	answered, err := json.Marshal(e.correct(texts))
	return reply(200, string(answered)), err
}

// correct is the correct answer; if reversed is set, with its parts in reverse order.
func (e *fakeEndpoint) correct(texts []string) any {
	vectors := make([]any, len(texts))
	for i, text := range texts {
		v := make([]float32, 8)
		letters{}.encode(text, v)
		vectors[i] = v
	}
	if !e.reversed {
		return e.api.answer(texts, vectors, e.usage)
	}
	if e.api.name == "openai" {
		answer := e.api.answer(texts, vectors, e.usage).(map[string]any)
		slices.Reverse(answer["data"].([]map[string]any))
		return answer
	}
	slices.Reverse(texts)
	slices.Reverse(vectors)
	return e.api.answer(texts, vectors, e.usage)
}

func reply(status int, body string, header ...string) *http.Response {
	r := &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader(body)), Header: http.Header{}}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return r
}

// answers is a script of the same answer, n times.
func answers(n, status int, body string, header ...string) []func(*http.Request) (*http.Response, error) {
	return slices.Repeat([]func(*http.Request) (*http.Response, error){
		func(*http.Request) (*http.Response, error) { return reply(status, body, header...), nil },
	}, n)
}

func hang(req *http.Request) (*http.Response, error) {
	<-req.Context().Done()
	return nil, req.Context().Err()
}

func newRemote(t *testing.T, e *fakeEndpoint, change func(o *RemoteOptions)) *Remote {
	t.Helper()
	t.Setenv("INFBENCH_TEST_KEY", testKey)
	key, err := secret.FromEnvironment("INFBENCH_TEST_KEY")
	if err != nil {
		t.Fatal(err)
	}
	opts := RemoteOptions{API: e.api.name, BaseURL: "https://api.example/v1/", Model: "m", Dim: 8, Key: key, BatchSize: 2, Parallel: 1, Transport: e}
	if change != nil {
		change(&opts)
	}
	r, err := NewRemote(opts)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
