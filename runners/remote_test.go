package runners

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"infbench/datasets/secret"
)

const testKey = "sk-very-secret"

// endpoint is a transport that plays an /embeddings endpoint: it answers as its
// script says, request by request, and beyond it correctly.
type endpoint struct {
	mu       sync.Mutex
	script   []func(req *http.Request) (*http.Response, error)
	times    []time.Time
	hosts    []string
	keys     []string
	texts    []string // of requests answered correctly
	reversed bool
	usage    int
}

func (e *endpoint) RoundTrip(req *http.Request) (*http.Response, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.times = append(e.times, time.Now())
	e.hosts = append(e.hosts, req.URL.Host)
	e.keys = append(e.keys, req.Header.Get("Authorization"))
	if len(e.script) > 0 {
		answer := e.script[0]
		e.script = e.script[1:]
		return answer(req)
	}
	var sent struct{ Input []string }
	if err := json.NewDecoder(req.Body).Decode(&sent); err != nil {
		return nil, err
	}
	e.texts = append(e.texts, sent.Input...)
	var data []map[string]any
	for i, text := range sent.Input {
		v := make([]float32, 8)
		letters{}.encode(text, v)
		data = append(data, map[string]any{"index": i, "embedding": v})
	}
	if e.reversed {
		slices.Reverse(data)
	}
	body, err := json.Marshal(map[string]any{"data": data, "usage": map[string]int{"total_tokens": e.usage}})
	return reply(200, string(body)), err
}

func reply(status int, body string, header ...string) *http.Response {
	r := &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader(body)), Header: http.Header{}}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return r
}

// answers is a script of one answer, n times.
func answers(n, status int, body string, header ...string) []func(*http.Request) (*http.Response, error) {
	return slices.Repeat([]func(*http.Request) (*http.Response, error){
		func(*http.Request) (*http.Response, error) { return reply(status, body, header...), nil },
	}, n)
}

func hang(req *http.Request) (*http.Response, error) {
	<-req.Context().Done()
	return nil, req.Context().Err()
}

func newRemote(t *testing.T, e *endpoint, change func(o *RemoteOptions)) *Remote {
	t.Helper()
	t.Setenv("INFBENCH_TEST_KEY", testKey)
	key, err := secret.FromEnvironment("INFBENCH_TEST_KEY")
	if err != nil {
		t.Fatal(err)
	}
	opts := RemoteOptions{BaseURL: "https://api.example/v1/", Model: "m", Dim: 8, Key: key, BatchSize: 2, Parallel: 1, Transport: e}
	if change != nil {
		change(&opts)
	}
	r, err := NewRemote(opts)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func encodeTexts(ctx context.Context, r Encoder, texts ...string) ([]float32, error) {
	dst := make([]float32, len(texts)*r.Dim())
	return dst, r.EncodeDocuments(ctx, make([]string, len(texts)), texts, dst)
}

func TestRemoteEncodes(t *testing.T) {
	for _, reversed := range []bool{false, true} {
		e := &endpoint{reversed: reversed}
		r := newRemote(t, e, func(o *RemoteOptions) { o.Parallel = 3 })
		texts := []string{"a", "bad", "cab", "dad", "ebb"}
		got, err := encodeTexts(t.Context(), r, texts...)
		if err != nil {
			t.Fatal(err)
		}
		want := make([]float32, 40)
		for i, text := range texts {
			letters{}.encode(text, want[i*8:])
		}
		if !slices.Equal(got, want) || len(e.times) != 3 || e.keys[0] != "Bearer "+testKey {
			t.Errorf("reversed %v: %v in %d requests with %q, want %v in 3", reversed, got, len(e.times), e.keys[0], want)
		}
	}
}

func TestRemoteTexts(t *testing.T) {
	e := &endpoint{}
	r := newRemote(t, e, func(o *RemoteOptions) { o.QueryTemplate = "Instruct: {instruction}\nQuery: {query}"; o.BatchSize = 9 })
	dst := make([]float32, 24)
	if err := r.EncodeQueries(t.Context(), []string{"q", "{instruction}", "plain"}, []string{"i", "{query}", ""}, dst); err != nil {
		t.Fatal(err)
	}
	if err := r.EncodeDocuments(t.Context(), []string{"title", "", ""}, []string{"text", "text", ""}, dst); err != nil {
		t.Fatal(err)
	}
	want := []string{"Instruct: i\nQuery: q", "Instruct: {query}\nQuery: {instruction}", "plain", "title text", "text", " "}
	if !slices.Equal(e.texts, want) {
		t.Errorf("sent %q, want %q", e.texts, want)
	}
}

// Time is that of a synctest bubble, so waits are exact and take none.
func TestRemoteRetries(t *testing.T) {
	date := func(req *http.Request) (*http.Response, error) {
		return reply(503, "", "Retry-After", time.Now().Add(40*time.Second).UTC().Format(http.TimeFormat)), nil
	}
	for _, c := range []struct {
		name          string
		script        []func(*http.Request) (*http.Response, error)
		least, most   time.Duration // until the last request
		requests      int
		err           string
		timeout, full time.Duration
	}{
		{name: "429 with Retry-After", script: answers(2, 429, "", "Retry-After", "30"), least: 60 * time.Second, most: 60 * time.Second, requests: 3},
		{name: "429 without", script: answers(3, 429, ""), least: 3500 * time.Millisecond, most: 7 * time.Second, requests: 4},
		{name: "503 with a date", script: []func(*http.Request) (*http.Response, error){date}, least: 39 * time.Second, most: 40 * time.Second, requests: 2},
		{name: "500 once", script: answers(1, 500, "oops"), least: 500 * time.Millisecond, most: time.Second, requests: 2},
		{name: "500 for ever", script: answers(99, 500, "oops"), most: 31 * time.Second, requests: 6, err: `gave up after 6 attempts: status 500: "oops"`},
		{name: "hang once", script: []func(*http.Request) (*http.Response, error){hang}, timeout: 10 * time.Second, least: 10500 * time.Millisecond, most: 11 * time.Second, requests: 2},
		{name: "hang for ever", script: slices.Repeat([]func(*http.Request) (*http.Response, error){hang}, 99), timeout: 10 * time.Second, most: 90 * time.Second, requests: 6, err: "deadline exceeded"},
		{name: "deadline before Retry-After", script: answers(1, 429, "", "Retry-After", "100"), full: 50 * time.Second, requests: 1, err: "longer than is left"},
		{name: "endless Retry-After", script: answers(1, 429, "", "Retry-After", "86400"), requests: 1, err: "asks to wait 24h0m0s"},
		{name: "truncated JSON", script: answers(1, 200, `{"data":[{"index":0,"embedd`), least: 500 * time.Millisecond, most: time.Second, requests: 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := &endpoint{script: c.script}
			r := newRemote(t, e, func(o *RemoteOptions) { o.Timeout = c.timeout })
			synctest.Test(t, func(t *testing.T) {
				ctx, start := t.Context(), time.Now()
				if c.full > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, c.full)
					defer cancel()
				}
				_, err := encodeTexts(ctx, r, "a")
				if fmt.Sprint(err) != "<nil>" && c.err == "" || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
					t.Errorf("error %v, want %q", err, c.err)
				}
				took := e.times[len(e.times)-1].Sub(start)
				if len(e.times) != c.requests || took < c.least || took > c.most {
					t.Errorf("%d requests over %v, want %d over %v to %v", len(e.times), took, c.requests, c.least, c.most)
				}
			})
		})
	}
}

// An answer that is wrong is not asked for again.
func TestRemoteWrongAnswers(t *testing.T) {
	vector := func(index string, n int) string {
		return `{"index":` + index + `,"embedding":[` + strings.Repeat("1,", n-1) + `1]}`
	}
	for _, c := range []struct {
		status     int
		body, want string
	}{
		{200, `{"data":[` + vector("0", 7) + `]}`, "a vector of 7 values, want 8"},
		{200, `{"data":[{"index":0,"embedding":[1,2,3,NaN,5,6,7,8]}]}`, "invalid character 'N'"},
		{200, `{"data":[{"index":0,"embedding":[1,2,3,null,5,6,7,8]}]}`, "value 3 of a vector is null"},
		{200, `{"data":[{"index":0,"embedding":[1,2,3,1e99,5,6,7,8]}]}`, "1e99"},
		{200, `{"data":[]}`, "0 vectors for 1 texts"},
		{200, `{"data":[` + vector("1", 8) + `]}`, "indices"},
		{200, `{"data":[` + vector("-1", 8) + `]}`, "indices"},
		{200, `{"data":[{"embedding":[1,2,3,4,5,6,7,8]}]}`, "indices"},
		{200, `{"error":"quota"}`, "0 vectors for 1 texts"},
		{400, "no such\x1b[31m model", `status 400: "no such\x1b[31m model"`},
		{401, "wrong key " + testKey, `status 401: "wrong key (hidden)"`},
	} {
		e := &endpoint{script: answers(1, c.status, c.body)}
		_, err := encodeTexts(t.Context(), newRemote(t, e, nil), "a")
		if err == nil || !strings.Contains(err.Error(), c.want) || len(e.times) != 1 {
			t.Errorf("%s: error %v in %d requests, want %q in 1", c.body, err, len(e.times), c.want)
		}
	}
}

func TestRemoteRedirect(t *testing.T) {
	for location, key := range map[string]string{
		"https://elsewhere.example/v1/embeddings": "",
		"https://sub.api.example/v1/embeddings":   "",
		"http://api.example/v1/embeddings":        "",
		"https://api.example:8443/v1/embeddings":  "",
		"https://api.example/v2/embeddings":       "Bearer " + testKey,
	} {
		e := &endpoint{script: answers(1, 307, "", "Location", location)}
		if _, err := encodeTexts(t.Context(), newRemote(t, e, nil), "a"); err != nil {
			t.Fatal(err)
		}
		if len(e.keys) != 2 || e.keys[1] != key {
			t.Errorf("redirect to %s: keys %q, want %q at last", location, e.keys, key)
		}
	}
}

func TestRemoteRate(t *testing.T) {
	e := &endpoint{}
	r := newRemote(t, e, func(o *RemoteOptions) { o.PerSecond = 2; o.Parallel = 8; o.BatchSize = 1 })
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		if _, err := encodeTexts(t.Context(), r, "a", "b", "c", "d", "e"); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took != 2*time.Second {
			t.Errorf("5 requests at 2 a second took %v, want 2s", took)
		}
	})
}

// A run that fails half way goes on where it stopped, less a batch.
func TestRemoteResumes(t *testing.T) {
	task, folder := contractTask(), t.TempDir()
	want := retrieve(t, NewDense("letters", letters{}, DenseOptions{}), task, 5)
	first := &endpoint{usage: 10}
	r := newRemote(t, first, func(o *RemoteOptions) { o.BatchSize = 16; o.MaxTokens = 50 })
	cached, err := NewCached(r, folder, r.Fingerprint())
	if err != nil {
		t.Fatal(err)
	}
	dense := func(e Encoder) *Dense { return NewDense("remote", e, DenseOptions{BatchSize: 16}) }
	if _, err := dense(cached).Retrieve(t.Context(), task, 5); !errors.Is(err, ErrBudget) || len(first.times) != 5 || r.Tokens() != 50 {
		t.Errorf("error %v after %d requests and %d tokens, want ErrBudget after 5 and 50", err, len(first.times), r.Tokens())
	}
	if err := cached.Close(); err != nil {
		t.Fatal(err)
	}
	second := &endpoint{}
	again, err := NewCached(newRemote(t, second, nil), folder, r.Fingerprint())
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	run := retrieve(t, dense(again), task, 5)
	for query := range want {
		if !slices.Equal(run[query], want[query]) {
			t.Errorf("query %q: %v, want %v", query, run[query], want[query])
		}
	}
	for _, text := range second.texts {
		if slices.Contains(first.texts, text) {
			t.Errorf("%q was encoded twice", text)
		}
	}
}

// What was answered before a failure is kept, though Dense asked for everything
// in one batch.
func TestRemoteKeepsEveryAnswer(t *testing.T) {
	folder, texts := t.TempDir(), []string{"a", "bad", "cab", "dad", "ebb"}
	answer := func(req *http.Request) (*http.Response, error) { return (&endpoint{}).RoundTrip(req) }
	first := &endpoint{script: append([]func(*http.Request) (*http.Response, error){answer, answer}, answers(1, 400, "no")...)}
	r := newRemote(t, first, nil) // two texts in a request
	cached, err := NewCached(r, folder, r.Fingerprint())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := encodeTexts(t.Context(), cached, texts...); err == nil {
		t.Fatal("the third request succeeded")
	}
	// Not closed: a killed process does not close either.
	second := &endpoint{}
	again, err := NewCached(newRemote(t, second, nil), folder, r.Fingerprint())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { again.Close(); cached.Close() })
	if _, err := encodeTexts(t.Context(), again, texts...); err != nil {
		t.Fatal(err)
	}
	if want := []string{"ebb"}; !slices.Equal(second.texts, want) {
		t.Errorf("asked again for %q, want %q", second.texts, want)
	}
}

func TestRemoteOptions(t *testing.T) {
	for want, change := range map[string]func(o *RemoteOptions){
		"want an http or https address":  func(o *RemoteOptions) { o.BaseURL = "api.example" },
		"address without a password":     func(o *RemoteOptions) { o.BaseURL = "https://me:pw@api.example" },
		"no model":                       func(o *RemoteOptions) { o.Model = "" },
		"vectors of 0 values":            func(o *RemoteOptions) { o.Dim = 0 },
		"a limit is negative":            func(o *RemoteOptions) { o.PerSecond = -1 },
		"lacks {query} or {instruction}": func(o *RemoteOptions) { o.QueryTemplate = "query: {query}" },
	} {
		opts := RemoteOptions{BaseURL: "https://api.example/v1", Model: "m", Dim: 8}
		change(&opts)
		if _, err := NewRemote(opts); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "pw") {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
