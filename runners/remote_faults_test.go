package runners

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// script is what an endpoint answers before it answers correctly.
type script []func(*http.Request) (*http.Response, error)

// Time is that of a synctest bubble, so waits are exact and take none.
func TestRemoteRetries(t *testing.T) {
	date := func(req *http.Request) (*http.Response, error) {
		return reply(503, "", "Retry-After", time.Now().Add(40*time.Second).UTC().Format(http.TimeFormat)), nil
	}
	for _, c := range []struct {
		name          string
		script        script
		least, most   time.Duration // until the last request
		requests      int
		err           string
		timeout, full time.Duration
	}{
		{name: "429 with Retry-After", script: answers(2, 429, "", "Retry-After", "30"), least: 60 * time.Second, most: 60 * time.Second, requests: 3},
		{name: "429 without", script: answers(3, 429, ""), least: 3500 * time.Millisecond, most: 7 * time.Second, requests: 4},
		{name: "429 for a minute", script: answers(7, 429, ""), least: time.Minute, most: 127 * time.Second, requests: 8},
		{name: "503 with a date", script: script{date}, least: 39 * time.Second, most: 40 * time.Second, requests: 2},
		{name: "500 once", script: answers(1, 500, "oops"), least: 500 * time.Millisecond, most: time.Second, requests: 2},
		{name: "500 for ever", script: answers(99, 500, "oops"), most: 127 * time.Second, requests: 8, err: `gave up after 8 attempts: status 500: "oops"`},
		{name: "hang once", script: script{hang}, timeout: 10 * time.Second, least: 10500 * time.Millisecond, most: 11 * time.Second, requests: 2},
		{name: "hang for ever", script: slices.Repeat(script{hang}, 99), timeout: 10 * time.Second, most: 200 * time.Second, requests: 8, err: "deadline exceeded"},
		{name: "deadline before Retry-After", script: answers(1, 429, "", "Retry-After", "100"), full: 50 * time.Second, requests: 1, err: "longer than is left"},
		{name: "endless Retry-After", script: answers(1, 429, "", "Retry-After", "86400"), requests: 1, err: "asks to wait 24h0m0s"},
		{name: "no answer at all", script: answers(1, 200, ""), least: 500 * time.Millisecond, most: time.Second, requests: 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			eachAPI(t, func(t *testing.T, api fakeAPI) {
				e := &fakeEndpoint{api: api, script: c.script}
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
		})
	}
}

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

// No error shows the key, whatever the endpoint does with it, not even a part.
func TestRemoteKeyHidden(t *testing.T) {
	lost := func(req *http.Request) (*http.Response, error) {
		return nil, fmt.Errorf("no route to %s with %s", req.URL, testKey)
	}
	for name, does := range map[string]script{
		"refuses":         answers(1, 403, "key "+testKey),
		"refuses at full": answers(1, 403, strings.Repeat("x", 300-len(testKey)/2)+testKey),
		"fails":           answers(99, 500, testKey),
		"is limited":      answers(99, 429, testKey, "Retry-After", "1000"),
		"redirects":       append(answers(1, 307, "", "Location", "https://elsewhere.example/"+testKey), slices.Repeat(script{lost}, 99)...),
		"redirects wrong": answers(99, 307, "", "Location", "ftp://"+testKey),
		"answers oddly":   answers(1, 200, `{"data": "`+testKey+`", "embeddings": "`+testKey+`"}`),
	} {
		eachAPI(t, func(t *testing.T, api fakeAPI) {
			e := &fakeEndpoint{api: api, script: does}
			r := newRemote(t, e, nil)
			synctest.Test(t, func(t *testing.T) {
				_, err := encodeTexts(t.Context(), r, "a")
				if err == nil {
					t.Fatalf("an endpoint that %s: no error", name)
				}
				for _, shown := range []string{err.Error(), fmt.Sprintf("%+v %#v", err, r), r.Fingerprint()} {
					if strings.Contains(shown, testKey[:len(testKey)/2]) {
						t.Errorf("an endpoint that %s: %s", name, shown)
					}
				}
			})
		})
	}
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
