package endpoint

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"infbench/internal/secret"
)

// Options describe an HTTP API and limit the requests to it.
type Options struct {
	Address   string // see Address
	Key       secret.Secret
	Authorize func(*http.Request, secret.Secret) // adds the key to a request; nil: as a bearer token

	Timeout   time.Duration // per attempt, until Send has its answer or that of Open begins; 0 means a minute
	Stall     time.Duration // maximum time without a byte of a started answer; 0 means 30 seconds
	Attempts  int           // per request; 0 means 8, which outlasts a limit per minute
	PerSecond float64       // requests started per second; 0 means no limit

	// RetryAfter reads the requested waiting time from a refusal without such a header; nil: there
	// is none.
	RetryAfter func(refusal []byte) time.Duration
	Transport  http.RoundTripper                                // nil means http.DefaultTransport
	Sleep      func(ctx context.Context, d time.Duration) error // nil sleeps; tests replace it
}

// Client sends requests to one HTTP API. All clients of this program share its rules. A request
// with a body goes only to the named scheme, host and port; a request without a body may be
// redirected, without the key. An answer is limited in bytes and in time. Errors show neither the
// key nor, if texts are private, the endpoint's message.
type Client struct {
	Options
	http    *http.Client
	limiter *rate.Limiter
}

// New returns a client of an API; it does not connect yet.
func New(o Options) (*Client, error) {
	trust()
	address, err := Address(o.Address)
	if err != nil {
		return nil, err
	}
	if o.Timeout < 0 || o.Stall < 0 || o.Attempts < 0 || !(o.PerSecond >= 0) {
		return nil, fmt.Errorf("%s: a limit is negative", address)
	}
	o.Key.WarnExposed(address)
	o.Address, o.Attempts = address, cmp.Or(o.Attempts, 8)
	o.Timeout, o.Stall = cmp.Or(o.Timeout, time.Minute), cmp.Or(o.Stall, 30*time.Second)
	if o.Authorize == nil {
		o.Authorize = func(req *http.Request, key secret.Secret) { key.Authorize(req) }
	}
	if o.Sleep == nil {
		o.Sleep = sleep
	}
	limit := rate.Inf
	if o.PerSecond > 0 {
		limit = rate.Limit(o.PerSecond)
	}
	c := &Client{Options: o, limiter: rate.NewLimiter(limit, 1)}
	c.http = &http.Client{Transport: o.Transport, CheckRedirect: c.redirect}
	return c, nil
}

// Request is one request of a Client.
type Request struct {
	Path   string // appended to the address
	Body   []byte // nil means no body, and GET instead of POST
	Kind   string // content type of the body; "" means application/json
	Header http.Header

	// Put opens the content of a PUT request, which replaces Body; nil: it is not one. The content has
	// Size bytes. Each piece that is read renews the time limit of the answer.
	Put  func() (io.ReadCloser, error)
	Size int64
}

// content is the content of a PUT request.
type content struct {
	io.ReadCloser
	moved func() // called for each piece that is read
}

func (c *content) Read(b []byte) (int, error) {
	c.moved()
	return c.ReadCloser.Read(b)
}

// Turn waits until the next request may be started.
func (c *Client) Turn(ctx context.Context) error { return c.limiter.Wait(ctx) }

// Send sends a request once and reads its answer of at most limit bytes. Its errors are
// those of Open and *TooLong.
func (c *Client) Send(ctx context.Context, r Request, limit int64) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.Timeout, &late{"no answer within", c.Timeout})
	defer cancel()
	resp, err := c.Open(ctx, r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = &TooLong{limit}
	}
	return text, err
}

// Open sends a request once and returns the response, for the caller to read and close. The errors,
// also of reading, are a *Lost or a *Status, within a *Passing if the same request may succeed
// later, or an *Elsewhere.
func (c *Client) Open(ctx context.Context, r Request) (*http.Response, error) {
	method := http.MethodGet
	if r.Body != nil {
		method = http.MethodPost
	}
	at := &route{}
	ctx, cancel := context.WithCancelCause(context.WithValue(ctx, route{}, at))
	req, err := http.NewRequestWithContext(ctx, method, c.Address+r.Path, bytes.NewReader(r.Body))
	if err != nil {
		cancel(nil)
		return nil, err
	}
	limit := time.AfterFunc(c.Timeout, func() { cancel(&late{"no answer within", c.Timeout}) })
	if r.Put != nil {
		opened, err := r.Put()
		if err != nil {
			limit.Stop()
			cancel(nil)
			return nil, err
		}
		req.Method, req.ContentLength, req.GetBody = http.MethodPut, r.Size, nil
		req.Body = &content{opened, func() {
			if limit.Stop() { // else the limit has passed, or there is an answer
				limit.Reset(c.Timeout)
			}
		}}
	}
	at.on = req.URL
	for name, values := range r.Header {
		req.Header[name] = values
	}
	if r.Body != nil {
		req.Header.Set("Content-Type", cmp.Or(r.Kind, "application/json"))
	}
	req.Header.Set("User-Agent", "infbench")
	c.Authorize(req, c.Key)
	b := &body{client: c, ctx: ctx, cancel: cancel}
	b.timer = limit
	resp, err := c.http.Do(req)
	if err != nil {
		b.end()
		return nil, c.lost(ctx, err)
	}
	b.timer.Stop()
	b.timer = time.AfterFunc(c.Stall, func() { cancel(&late{"nothing came for", c.Stall}) })
	b.ReadCloser, resp.Body = resp.Body, b
	if resp.StatusCode/100 == 2 {
		return resp, nil
	}
	defer b.Close()
	return nil, c.refusal(ctx, resp)
}

// redirect is the policy for redirects.
func (c *Client) redirect(req *http.Request, via []*http.Request) error {
	first := via[0]
	if r, ok := req.Context().Value(route{}).(*route); ok {
		r.on = req.URL
	}
	same := req.URL.Host == first.URL.Host && req.URL.Scheme == first.URL.Scheme
	switch {
	case first.Method != http.MethodGet && !(same && req.Method == first.Method):
		to := url.URL{Scheme: req.URL.Scheme, Host: req.URL.Host} // the rest of an address may contain anything
		return &Elsewhere{c.Key.Redact(to.String())}
	case len(via) >= 10:
		return errors.New("more than 10 redirects")
	case !same:
		secret.Withdraw(req)
	}
	return nil
}

// lost returns the error of a request without a complete answer.
func (c *Client) lost(ctx context.Context, err error) error {
	var elsewhere *Elsewhere
	if errors.As(err, &elsewhere) {
		return shownError(ctx, elsewhere)
	}
	var at *url.Error
	if errors.As(err, &at) {
		at.URL = c.shown(ctx)
		if strings.Contains(at.Err.Error(), "Location header") { // quoted by net/http
			at.Err = errors.New("the answer redirects to an address that cannot be read")
		}
	}
	var slow *late
	if errors.As(context.Cause(ctx), &slow) {
		err = slow
	}
	var timeout interface{ Timeout() bool }
	timedOut := errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) || errors.As(err, &timeout) && timeout.Timeout()
	if text := c.Key.Redact(err.Error()); text != err.Error() {
		err = errors.New(text)
	}
	return &Passing{Err: &Lost{shownError(ctx, err), timedOut}}
}

// route is the last address of a request, kept in its context.
type route struct{ on *url.URL }

// shown returns the part of a request's last address that errors may show: without parameters and,
// on another host than the named one, also without path and user. Each of these may be the
// signature of a download.
func (c *Client) shown(ctx context.Context) string {
	own, err := url.Parse(c.Address)
	r, ok := ctx.Value(route{}).(*route)
	switch {
	case err != nil || !ok || r.on == nil:
		return c.Address
	case r.on.Scheme == own.Scheme && r.on.Host == own.Host:
		return (&url.URL{Scheme: own.Scheme, Host: own.Host, Path: r.on.Path}).String()
	}
	return (&url.URL{Scheme: r.on.Scheme, Host: r.on.Host}).String()
}

// answerText returns the text of an answer, without the key and without the signature in a redirected
// address, which some stores repeat.
func (c *Client) answerText(resp *http.Response, text string) string {
	text = c.Key.Redact(text)
	if resp.Request == nil || resp.Request.Response == nil { // not redirected
		return text
	}
	at := resp.Request.URL
	var parts []string
	for _, values := range at.Query() {
		parts = append(parts, values...)
	}
	parts = append(append(parts, at.RawQuery, at.User.String()), strings.Split(at.Path, "/")...)
	slices.SortFunc(parts, func(a, b string) int { return len(b) - len(a) })
	const short = 8 // a shorter part is not a secret, and may be a word of the text
	for _, part := range parts {
		if len(part) >= short {
			for _, form := range []string{part, html.EscapeString(part), url.QueryEscape(part)} {
				text = strings.ReplaceAll(text, form, "***")
			}
		}
	}
	return text
}

// refusal returns the error of an unsuccessful response.
func (c *Client) refusal(ctx context.Context, resp *http.Response) error {
	text, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<16)) // as much as there is
	err := shownError(ctx, &Status{Code: resp.StatusCode, Said: c.answerText(resp, string(text)), Header: resp.Header,
		TooMuch: isTooMuch(resp.StatusCode, text), NamesLogprobs: NamesLogprobs(string(text))})
	if !IsPassing(resp.StatusCode) || resp.StatusCode == http.StatusTooManyRequests && isSpent(text) {
		return err
	}
	wait := retryAfter(resp.Header.Get("Retry-After"), time.Now())
	if wait == 0 && c.RetryAfter != nil {
		wait = c.RetryAfter(text)
	}
	return &Passing{err, wait}
}

// late means that an endpoint took too long.
type late struct {
	what  string
	after time.Duration
}

func (e *late) Error() string { return fmt.Sprintf("%s %v", e.what, e.after) }

// Timeout reports that this is a timeout, like errors of package net.
func (*late) Timeout() bool { return true }

// body is the body of an answer. Reading it fails if the connection stalls.
type body struct {
	io.ReadCloser
	client *Client
	ctx    context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	switch {
	case err == nil:
		b.timer.Reset(b.client.Stall)
	case err != io.EOF:
		err = b.client.lost(b.ctx, fmt.Errorf("read answer: %w", err))
	}
	return n, err
}

// Close implements io.Closer.
func (b *body) Close() error {
	b.end()
	return b.ReadCloser.Close()
}

// end ends the request.
func (b *body) end() {
	b.timer.Stop()
	b.cancel(nil)
}
