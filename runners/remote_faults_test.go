package runners

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// script is what an endpoint answers before it answers correctly.
type script []func(*http.Request) (*http.Response, error)

// An answer that breaks off anywhere is asked for again.
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

// Google says how long to wait in the body of a refusal.
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

// An answer that is wrong is not asked for again.
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
			{200, `<html>`, "invalid character '<'"},
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

// FuzzRemoteAnswer: no answer makes a dialect panic, and one that is taken has a
// vector for every text.
func FuzzRemoteAnswer(f *testing.F) {
	for _, api := range fakeAPIs() {
		f.Add([]byte(api.one("[1,2,3,4,5,6,7,8]")))
		f.Add([]byte(api.one("null")))
	}
	f.Add([]byte(`{"error": {"details": [{"retryDelay": "-1s"}]}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
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
}

// Whoever stopped the encoding finds why, and nothing of connections, in the error.
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
