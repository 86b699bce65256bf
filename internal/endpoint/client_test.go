package endpoint

import (
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"infbench/internal/secret"
)

const testKey = "sk-very-secret"

// script is a scripted API: it gives its answers request by request, and then repeats the last one.
type script struct {
	answers []func(*http.Request) (*http.Response, error)
	seen    []*http.Request
	times   []time.Time
}

func (s *script) RoundTrip(req *http.Request) (*http.Response, error) {
	answer := s.answers[min(len(s.seen), len(s.answers)-1)]
	s.seen, s.times = append(s.seen, req), append(s.times, time.Now())
	return answer(req)
}

type answer = func(*http.Request) (*http.Response, error)

// reply returns an answer with a body and headers, by name and value.
func reply(status int, body string, header ...string) answer {
	return func(*http.Request) (*http.Response, error) {
		r := &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader(body)), Header: http.Header{}}
		for i := 0; i+1 < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		return r, nil
	}
}

// streamed returns an answer whose body is read with read.
func streamed(read func(ctx context.Context, p []byte) (int, error)) answer {
	return func(req *http.Request) (*http.Response, error) {
		body := reading(func(p []byte) (int, error) { return read(req.Context(), p) })
		return &http.Response{StatusCode: 200, Body: io.NopCloser(body)}, nil
	}
}

type reading func(p []byte) (int, error)

func (r reading) Read(p []byte) (int, error) { return r(p) }

// hang waits for the end of a request.
func hang(ctx context.Context) (int, error) {
	<-ctx.Done()
	return 0, ctx.Err()
}

func newTestClient(t *testing.T, s *script, change func(*Options)) *Client {
	t.Helper()
	o := Options{Address: "https://api.example/v1/", Key: secret.New(testKey), Timeout: 10 * time.Second, Stall: 4 * time.Second, Transport: s}
	if change != nil {
		change(&o)
	}
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestRetry: temporary failures are retried up to the limits and never beyond the deadline;
// permanent ones are not. Time is that of a synctest bubble, so waits are exact and instant.
func TestRetry(t *testing.T) {
	fine := reply(200, "fine")
	date := func(req *http.Request) (*http.Response, error) {
		return reply(503, "", "Retry-After", time.Now().Add(40*time.Second).UTC().Format(http.TimeFormat))(req)
	}
	silent := func(req *http.Request) (*http.Response, error) {
		_, err := hang(req.Context())
		return nil, err
	}
	stalls := streamed(func(ctx context.Context, _ []byte) (int, error) { return hang(ctx) })
	drips := streamed(func(ctx context.Context, p []byte) (int, error) {
		time.Sleep(2 * time.Second)
		return copy(p, "x"), ctx.Err()
	})
	breaks := streamed(func(context.Context, []byte) (int, error) { return 0, io.ErrUnexpectedEOF })
	for _, c := range []struct {
		name        string
		answers     []answer
		least, most time.Duration // until the last request
		requests    int
		err         string
		full        time.Duration
	}{
		{name: "429 with Retry-After", answers: []answer{reply(429, "", "Retry-After", "30"), reply(429, "", "Retry-After", "30"), fine}, least: 60 * time.Second, most: 60 * time.Second, requests: 3},
		{name: "429 that says it in its body", answers: []answer{reply(429, "wait 7s"), fine}, least: 7 * time.Second, most: 7 * time.Second, requests: 2},
		{name: "429 without", answers: append(slices.Repeat([]answer{reply(429, "")}, 3), fine), least: 3500 * time.Millisecond, most: 7 * time.Second, requests: 4},
		{name: "429 for a minute", answers: append(slices.Repeat([]answer{reply(429, "")}, 7), fine), least: time.Minute, most: 127 * time.Second, requests: 8},
		{name: "503 with a date", answers: []answer{date, fine}, least: 39 * time.Second, most: 40 * time.Second, requests: 2},
		{name: "500 once", answers: []answer{reply(500, "oops"), fine}, least: 500 * time.Millisecond, most: time.Second, requests: 2},
		{name: "500 for ever", answers: []answer{reply(500, "oops")}, most: 127 * time.Second, requests: 8, err: `gave up after 8 attempts: status 500: "oops"`},
		{name: "silent once", answers: []answer{silent, fine}, least: 10500 * time.Millisecond, most: 11 * time.Second, requests: 2},
		{name: "silent for ever", answers: []answer{silent}, most: 200 * time.Second, requests: 8, err: "gave up after 8 attempts: no answer within 10s"},
		{name: "stalls once", answers: []answer{stalls, fine}, least: 4500 * time.Millisecond, most: 5 * time.Second, requests: 2},
		{name: "stalls for ever", answers: []answer{stalls}, most: 160 * time.Second, requests: 8, err: "nothing came for 4s"},
		{name: "drips for ever", answers: []answer{drips}, most: 210 * time.Second, requests: 8, err: "no answer within 10s"},
		{name: "breaks off once", answers: []answer{breaks, fine}, least: 500 * time.Millisecond, most: time.Second, requests: 2},
		{name: "deadline before Retry-After", answers: []answer{reply(429, "", "Retry-After", "100")}, full: 50 * time.Second, requests: 1, err: "longer than is left"},
		{name: "no credit", answers: []answer{reply(429, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}`)}, requests: 1, err: "insufficient_quota"},
		{name: "no credit, in the type", answers: []answer{reply(429, `{"error":{"type":"exceeded_current_quota_error"}}`, "Retry-After", "1")}, requests: 1, err: "exceeded_current_quota"},
		{name: "no credit, flat", answers: []answer{reply(429, `{"code":"billing_hard_limit_reached","message":"m"}`)}, requests: 1, err: "billing_hard_limit_reached"},
		{name: "a quota of a minute", answers: []answer{reply(429, `{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details.","status":"RESOURCE_EXHAUSTED"}}`), fine}, least: 500 * time.Millisecond, most: time.Second, requests: 2},
		{name: "a limit told as text", answers: []answer{reply(429, `{"error":"insufficient_quota is not the matter"}`), fine}, least: 500 * time.Millisecond, most: time.Second, requests: 2},
		{name: "endless Retry-After", answers: []answer{reply(429, "", "Retry-After", "86400")}, requests: 1, err: "asks to wait 24h0m0s"},
		{name: "wrong", answers: []answer{reply(400, "no such\x1b[31m model")}, requests: 1, err: `status 400: "no such\x1b[31m model"`},
		{name: "says much", answers: []answer{reply(400, strings.Repeat("x", 1000))}, requests: 1, err: fmt.Sprintf("status 400: %q", strings.Repeat("x", 300))},
		{name: "too long", answers: []answer{reply(200, strings.Repeat(" ", 100))}, requests: 1, err: "read answer: more than 10 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &script{answers: c.answers}
			client := newTestClient(t, s, func(o *Options) {
				o.RetryAfter = func(refusal []byte) time.Duration {
					wait, _ := time.ParseDuration(strings.TrimPrefix(string(refusal), "wait "))
					return wait
				}
			})
			synctest.Test(t, func(t *testing.T) {
				ctx, start := t.Context(), time.Now()
				if c.full > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, c.full)
					defer cancel()
				}
				err := client.Retry(ctx, func() error {
					text, err := client.Send(ctx, Request{Body: []byte("question")}, 10)
					if err == nil && string(text) != "fine" {
						t.Errorf("answer %q", text)
					}
					return err
				})
				if (err != nil) != (c.err != "") || err != nil && !strings.Contains(err.Error(), c.err) {
					t.Errorf("error %v, want %q", err, c.err)
				}
				took := s.times[len(s.times)-1].Sub(start)
				if len(s.times) != c.requests || took < c.least || took > c.most {
					t.Errorf("%d requests over %v, want %d over %v to %v", len(s.times), took, c.requests, c.least, c.most)
				}
			})
		})
	}
}

// TestRedirects: a request with a body is not redirected; another is redirected without the key.
func TestRedirects(t *testing.T) {
	for location, c := range map[string]struct{ key, elsewhere string }{
		"https://elsewhere.example/v1":     {"", "https://elsewhere.example"},
		"https://sub.api.example/v1":       {"", "https://sub.api.example"},
		"http://api.example/v1":            {"", "http://api.example"},
		"https://api.example:8443/v1":      {"", "https://api.example:8443"},
		"https://" + testKey + ".example/": {"", "https://(hidden).example"},
		"https://api.example/v2":           {testKey, ""},
	} {
		for _, body := range [][]byte{nil, []byte("question")} {
			for _, authorize := range []func(secret.Secret, *http.Request){secret.Secret.Authorize, secret.Secret.AuthorizeGoogle} {
				s := &script{answers: []answer{reply(307, "", "Location", location), reply(200, "fine")}}
				client := newTestClient(t, s, func(o *Options) { o.Authorize = func(req *http.Request, key secret.Secret) { authorize(key, req) } })
				_, err := client.Send(t.Context(), Request{Body: body}, 10)
				var elsewhere *Elsewhere
				if body != nil && c.elsewhere != "" {
					if len(s.seen) != 1 || !errors.As(err, &elsewhere) || elsewhere.To != c.elsewhere {
						t.Errorf("redirect to %s: %v after %d requests, want nothing sent there", location, err, len(s.seen))
					}
					continue
				}
				if err != nil || len(s.seen) != 2 {
					t.Fatalf("redirect to %s: %v after %d requests", location, err, len(s.seen))
				}
				if h := s.seen[1].Header; strings.TrimPrefix(h.Get("Authorization"), "Bearer ")+h.Get("X-Goog-Api-Key") != c.key {
					t.Errorf("redirect to %s: headers %q, want the key %q", location, h, c.key)
				}
			}
		}
	}
	s := &script{answers: []answer{reply(302, "", "Location", "/login"), reply(200, "fine")}}
	if _, err := newTestClient(t, s, nil).Send(t.Context(), Request{Body: []byte("question")}, 10); err == nil || len(s.seen) != 1 {
		t.Errorf("a redirect that drops the question: %v after %d requests", err, len(s.seen))
	}
	s = &script{answers: []answer{reply(307, "", "Location", "/v1")}}
	if _, err := newTestClient(t, s, nil).Send(t.Context(), Request{}, 10); err == nil || !strings.Contains(err.Error(), "more than 10 redirects") {
		t.Errorf("a redirect to itself: %v", err)
	}
}

// TestHidden: no error shows the key, whatever an endpoint does with it, or, if texts are private,
// the endpoint's message.
func TestHidden(t *testing.T) {
	lost := func(req *http.Request) (*http.Response, error) {
		return nil, fmt.Errorf("no route to %s with %s", req.URL, testKey)
	}
	for name, a := range map[string]answer{
		"refuses":         reply(403, "key "+testKey),
		"refuses at full": reply(403, strings.Repeat("x", 300-len(testKey)/2)+testKey),
		"fails":           reply(500, testKey),
		"is lost":         lost,
		"redirects":       reply(307, "", "Location", "https://elsewhere.example/"+testKey),
		"redirects wrong": reply(307, "", "Location", "ftp://"+testKey),
		"breaks off":      streamed(func(context.Context, []byte) (int, error) { return 0, errors.New(testKey) }),
	} {
		for _, ctx := range []context.Context{t.Context(), Privately(t.Context())} {
			client := newTestClient(t, &script{answers: []answer{a}}, nil)
			_, err := client.Send(ctx, Request{Body: []byte("question")}, 10)
			if err == nil {
				t.Fatalf("an endpoint that %s: no error", name)
			}
			shown := fmt.Sprintf("%v %+v %#v %#v", err, err, err, client)
			if strings.Contains(shown, testKey[:len(testKey)/2]) {
				t.Errorf("an endpoint that %s: %s", name, shown)
			}
			if private := err.Error(); IsPrivate(ctx) && (!strings.HasSuffix(private, "the texts are private") || strings.Contains(private, "(hidden)") || strings.Contains(private, "elsewhere")) {
				t.Errorf("an endpoint that %s, privately: %s", name, private)
			}
		}
	}
}

// TestSignedAddresses: the address of a download may be signed in any part. Errors show no part
// that may be a signature, even if the store repeats it.
func TestSignedAddresses(t *testing.T) {
	const token = "c2lnbmF0dXJl+secret/=="
	escaped := url.QueryEscape(token)
	lost := func(*http.Request) (*http.Response, error) { return nil, errors.New("no route") }
	repeated := func(req *http.Request) (*http.Response, error) {
		r, _ := reply(403, "<Error>no: <Signature>"+html.EscapeString(req.URL.Query().Get("sig"))+"</Signature> of "+req.URL.String()+"</Error>")(req)
		r.Request = req
		return r, nil
	}
	for name, c := range map[string]struct {
		to   string
		then answer
		want string
	}{
		"a parameter":       {"https://cdn.example/blob?sig=" + escaped, lost, `Get "https://cdn.example": no route`},
		"the path":          {"https://cdn.example/" + escaped + "/blob", lost, `Get "https://cdn.example": no route`},
		"the user":          {"https://" + escaped + ":" + escaped + "@cdn.example/blob", lost, `Get "https://cdn.example": no route`},
		"the fragment":      {"https://cdn.example/blob#" + escaped, lost, `Get "https://cdn.example": no route`},
		"our own host":      {"/blob?sig=" + escaped, lost, `Get "https://api.example/blob": no route`},
		"no address":        {"https://cdn.example/%zz?sig=" + escaped, lost, `the answer redirects to an address that cannot be read`},
		"no scheme of ours": {"s3://bucket/" + escaped, lost, `Get "s3://bucket"`},
		"what a store says": {"https://cdn.example/blob-of-the-model?sig=" + escaped, repeated, `status 403: "<Error>no: <Signature>***</Signature> of https://cdn.example/***?***</Error>"`},
	} {
		s := &script{answers: []answer{reply(302, "", "Location", c.to), c.then}}
		_, err := newTestClient(t, s, func(o *Options) { o.Address = "https://api.example" }).Send(t.Context(), Request{}, 10)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), token) || strings.Contains(err.Error(), escaped) || strings.Contains(err.Error(), html.EscapeString(token)) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

// TestPut sends pieces with pauses: a slow upload is not late, one that stands still is. Each attempt
// opens the content again.
func TestPut(t *testing.T) {
	for pause, want := range map[time.Duration]string{8 * time.Second: "", 12 * time.Second: "no answer within 10s"} {
		sent, opened, closed := "", 0, 0
		s := &script{answers: []answer{func(req *http.Request) (*http.Response, error) {
			sent = ""
			for b := make([]byte, 3); ; {
				n, err := req.Body.Read(b)
				if sent += string(b[:n]); err != nil {
					break
				}
				time.Sleep(pause)
				if err := req.Context().Err(); err != nil {
					return nil, errors.Join(err, req.Body.Close())
				}
			}
			if req.Method != http.MethodPut || req.ContentLength != 9 || req.Header.Get("Content-Type") != "" {
				t.Errorf("%s of %d bytes, %v", req.Method, req.ContentLength, req.Header)
			}
			return reply(200, "", "ETag", "tag")(req)
		}}}
		client := newTestClient(t, s, func(o *Options) { o.Attempts = 2 })
		synctest.Test(t, func(t *testing.T) {
			err := client.Retry(t.Context(), func() error {
				resp, err := client.Open(t.Context(), Request{Path: "/file", Size: 9, Put: func() (io.ReadCloser, error) {
					opened++
					return struct {
						io.Reader
						io.Closer
					}{strings.NewReader("123456789"), closer(func() { closed++ })}, nil
				}})
				if err != nil {
					return err
				}
				return resp.Body.Close()
			})
			switch {
			case want == "" && (err != nil || sent != "123456789" || opened != 1):
				t.Errorf("pauses of %v: sent %q, opened %d times, %v", pause, sent, opened, err)
			case want != "" && (err == nil || !strings.Contains(err.Error(), want) || opened != 2 || closed != 2):
				t.Errorf("pauses of %v: opened %d times, closed %d, %v", pause, opened, closed, err)
			}
		})
	}
}

type closer func()

func (c closer) Close() error {
	c()
	return nil
}
