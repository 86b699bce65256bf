package runners

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"infbench/internal/testkit"
)

// script is the list of answers that an endpoint gives before it answers correctly.
type script []func(*http.Request) (*http.Response, error)

// TestRemoteTruncated: an answer that breaks off anywhere is requested again.
func TestRemoteTruncated(t *testing.T) {
	eachAPI(t, func(t *testing.T, api fakeAPI) {
		whole := api.one("[1,2,3,4,5,6,7,8]")
		for n := range len(whole) {
			e := &fakeEndpoint{api: api, script: answers(1, 200, whole[:n])}
			r := newRemote(t, e, nil)
			synctest.Test(t, func(t *testing.T) {
				if _, err := encodeTexts(t.Context(), r, "a"); err != nil || len(e.times) != 2 {
					t.Errorf("%q: %d requests, error %v", whole[:n], len(e.times), err)
				}
			})
		}
	})
}

// TestRemoteRetryInfo: Google gives the time to wait in the body of a refusal.
func TestRemoteRetryInfo(t *testing.T) {
	body := `{"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "details": [{"@type": "type.googleapis.com/google.rpc.Help"},
		{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s"}]}}`
	eachAPI(t, func(t *testing.T, api fakeAPI) {
		least, most := 500*time.Millisecond, time.Second
		if api.name == "google" {
			least, most = 34500*time.Millisecond, 34500*time.Millisecond
		}
		e := &fakeEndpoint{api: api, script: answers(1, 429, body)}
		r := newRemote(t, e, nil)
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			if _, err := encodeTexts(t.Context(), r, "a"); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(start); took < least || took > most {
				t.Errorf("waited %v, want %v to %v", took, least, most)
			}
		})
	})
}

// TestRemoteWrongAnswers: a wrong answer is not requested again.
func TestRemoteWrongAnswers(t *testing.T) {
	eachAPI(t, func(t *testing.T, api fakeAPI) {
		cases := []wrongAnswer{
			{200, api.one("[1,2,3,4,5,6,7]"), "a vector of 7 values, want 8"},
			{200, api.one("[" + strings.Repeat("0.123456789012345678,", 3071) + "1]"), "a vector of 3072 values, want 8"},
			{200, api.one("[1,2,3,NaN,5,6,7,8]"), "invalid character 'N'"},
			{200, api.one(`[1,2,3,"NaN",5,6,7,8]`), "cannot unmarshal string"},
			{200, api.one("[1,2,3,null,5,6,7,8]"), "value 3 of a vector is null"},
			{200, api.one("[1,2,3,1e99,5,6,7,8]"), "1e99"},
			{200, api.one("null"), "a vector of 0 values, want 8"},
			{200, `{"error":"quota"}`, "0 vectors for 1 texts"},
			{200, `<html>`, "the answer is an HTML page, not JSON"},
			{200, strings.Repeat(" ", 1<<20), "read answer: more than"},
			{400, "no such\x1b[31m model", `status 400: "no such\x1b[31m model"`},
			{401, "wrong key " + testKey, `status 401: "wrong key (hidden)"`},
		}
		if api.name == "openai" {
			cases = append(cases,
				wrongAnswer{200, `{"data":[{"index":1,"embedding":[1,2,3,4,5,6,7,8]}]}`, "indices"},
				wrongAnswer{200, `{"data":[{"index":-1,"embedding":[1,2,3,4,5,6,7,8]}]}`, "indices"},
				wrongAnswer{200, `{"data":[{"embedding":[1,2,3,4,5,6,7,8]}]}`, "indices"})
		}
		for _, c := range cases {
			e := &fakeEndpoint{api: api, script: answers(1, c.status, c.body)}
			_, err := encodeTexts(t.Context(), newRemote(t, e, nil), "a")
			if err == nil || !strings.Contains(err.Error(), c.want) || len(e.times) != 1 {
				t.Errorf("%.90s: error %v in %d requests, want %q in 1", c.body, err, len(e.times), c.want)
			}
		}
	})
}

type wrongAnswer struct {
	status     int
	body, want string
}

// FuzzRemoteAnswer: no answer makes a dialect panic, and an accepted answer has a vector for
// every text.
func FuzzRemoteAnswer(f *testing.F) {
	for _, api := range fakeAPIs() {
		f.Add([]byte(api.one("[1,2,3,4,5,6,7,8]")))
		f.Add([]byte(api.one("null")))
	}
	f.Add([]byte(`{"error": {"details": [{"retryDelay": "-1s"}]}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		testkit.Small.Within(t, len(body), func() {
			for name, d := range dialects() {
				for _, texts := range [][]string{{"a"}, {"a", "A"}} {
					a, err := d.read(body, texts)
					if err == nil && len(a.vectors) != len(texts) {
						t.Errorf("%s: %d vectors", name, len(a.vectors))
					}
				}
				if d.wait(body) < 0 {
					t.Errorf("%s: a wait of %v", name, d.wait(body))
				}
			}
		})
	})
}

// TestRemoteStopped: if the encoding is stopped, the error has the reason and nothing about
// connections.
func TestRemoteStopped(t *testing.T) {
	why := errors.New("stopped by signal")
	eachAPI(t, func(t *testing.T, api fakeAPI) {
		e := &fakeEndpoint{api: api, script: slices.Repeat(script{hang}, 99)}
		r := newRemote(t, e, nil)
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(time.Second, func() { cancel(why) })
			if _, err := encodeTexts(ctx, r, "a"); !errors.Is(err, why) || !strings.HasSuffix(err.Error(), ": stopped by signal") {
				t.Errorf("%v, want only %v", err, why)
			}
		})
	})
}

// TestRemoteSmallerBatches: an endpoint that accepts fewer texts per request gets fewer, in
// this batch and in the next, with the same vectors. A single text that is refused ends the
// run.
func TestRemoteSmallerBatches(t *testing.T) {
	texts := strings.Split("a bad cab dad ebb fad gab had jab lab mad nab", " ")
	eachAPI(t, func(t *testing.T, api fakeAPI) {
		want, err := encodeTexts(t.Context(), newRemote(t, &fakeEndpoint{api: api}, nil), texts...)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			status, most int
			said         string
			sizes        []int
		}{
			{400, 3, "batch size is invalid, it should not be larger than 3", append([]int{8, 4}, slices.Repeat([]int{2}, 12)...)},
			{413, 5, "", []int{8, 4, 4, 4, 4, 4, 4}},
			{422, 1, "batch size 8 > maximum allowed batch size 1", append([]int{8, 4, 2}, slices.Repeat([]int{1}, 24)...)},
		} {
			e := &capped{fakeEndpoint: fakeEndpoint{api: api}, most: c.most, status: c.status, said: c.said}
			r := newRemote(t, &e.fakeEndpoint, func(o *RemoteOptions) { o.BatchSize, o.Transport = 8, e })
			for range 2 {
				got, err := encodeTexts(t.Context(), r, texts...)
				if err != nil || !slices.Equal(got, want) {
					t.Fatalf("at most %d: %v, %v", c.most, err, got)
				}
			}
			// 12 texts are two batches of 8 and 4.
			if !slices.Equal(e.sizes, c.sizes) {
				t.Errorf("at most %d: requests of %v, want %v", c.most, e.sizes, c.sizes)
			}
		}
		e := &capped{fakeEndpoint: fakeEndpoint{api: api}, most: 0, status: 413}
		r := newRemote(t, &e.fakeEndpoint, func(o *RemoteOptions) { o.BatchSize, o.Transport = 4, e })
		if _, err := encodeTexts(t.Context(), r, texts[:4]...); err == nil || !strings.Contains(err.Error(), "status 413") || !slices.Equal(e.sizes, []int{4, 2, 1}) {
			t.Errorf("%v after requests of %v", err, e.sizes)
		}
	})
}

// capped is an endpoint that accepts a limited number of texts at a time.
type capped struct {
	fakeEndpoint
	most, status int
	said         string
	sizes        []int
}

func (c *capped) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	texts, _, err := c.api.texts(body)
	if c.sizes = append(c.sizes, len(texts)); len(texts) > c.most {
		return reply(c.status, c.said), err
	}
	req.Body = io.NopCloser(bytes.NewReader(body))
	return c.fakeEndpoint.RoundTrip(req)
}
