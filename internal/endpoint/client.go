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

// Options name an HTTP interface and bound the requests to it.
type Options struct {
	Address   string // see Address
	Key       secret.Secret
	Authorize func(*http.Request, secret.Secret) // puts the key on a request; nil: as a bearer token

	Timeout   time.Duration // of one attempt, until Send has its answer or that of Open begins; 0 is a minute
	Stall     time.Duration // without a byte of an answer that has begun; 0 is 30 seconds
	Attempts  int           // of one request; 0 is 8, which outlasts a limit by the minute
	PerSecond float64       // requests started in a second; 0 is no limit

	// RetryAfter reads how long a refusal that has no such header asks to wait; nil: it
	// does not say.
	RetryAfter func(refusal []byte) time.Duration
	Transport  http.RoundTripper                                // nil is http.DefaultTransport
	Sleep      func(ctx context.Context, d time.Duration) error // nil sleeps; tests pass another
}

// Client sends requests to one HTTP interface. All our clients share its rules: a request
// with a body goes to no other scheme, host or port than those that were named, and one
// without may be sent on, without the key; an answer is bounded in bytes and in time; errors
// show neither the key nor, where texts are private, what the endpoint said.
type Client struct {
	Options
	http    *http.Client
	limiter *rate.Limiter
}

// New returns a client of an interface; it opens no connection yet.
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
	Path   string // below the address
	Body   []byte // nil is none, and the method GET instead of POST
	Kind   string // of the body; "" is application/json
	Header http.Header
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

// Open sends a request once and returns the answer, for the caller to read and close. The
// errors, of reading too, are a *Lost or a *Status, in a *Passing if the same request may
// succeed later, or an *Elsewhere.
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
	b.timer = time.AfterFunc(c.Timeout, func() { cancel(&late{"no answer within", c.Timeout}) })
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

// redirect is the policy of redirects.
func (c *Client) redirect(req *http.Request, via []*http.Request) error {
	first := via[0]
	if r, ok := req.Context().Value(route{}).(*route); ok {
		r.on = req.URL
	}
	same := req.URL.Host == first.URL.Host && req.URL.Scheme == first.URL.Scheme
	switch {
	case first.Method != http.MethodGet && !(same && req.Method == first.Method):
		to := url.URL{Scheme: req.URL.Scheme, Host: req.URL.Host} // the rest of an address may hold anything
		return &Elsewhere{c.Key.Redact(to.String())}
	case len(via) >= 10:
		return errors.New("more than 10 redirects")
	case !same:
		secret.Withdraw(req)
	}
	return nil
}

// lost is the error of a request that has no complete answer.
func (c *Client) lost(ctx context.Context, err error) error {
	var elsewhere *Elsewhere
	if errors.As(err, &elsewhere) {
		return told(ctx, elsewhere)
	}
	var at *url.Error
	if errors.As(err, &at) {
		at.URL = c.shown(ctx)
		if strings.Contains(at.Err.Error(), "Location header") { // which net/http quotes
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
	return &Passing{Err: &Lost{told(ctx, err), timedOut}}
}

// route is the address that a request went to last, kept in its context.
type route struct{ on *url.URL }

// shown returns what errors show of the address that a request went to last: without its
// parameters and, on another host than the one that was named, without its path and user as
// well. Each may be the signature that allows a download.
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

// said returns what an answer says, without the key and without the signature in the address
// that the request was sent on to, which some stores repeat.
func (c *Client) said(resp *http.Response, text string) string {
	text = c.Key.Redact(text)
	if resp.Request == nil || resp.Request.Response == nil { // not sent on
		return text
	}
	at := resp.Request.URL
	var parts []string
	for _, values := range at.Query() {
		parts = append(parts, values...)
	}
	parts = append(append(parts, at.RawQuery, at.User.String()), strings.Split(at.Path, "/")...)
	slices.SortFunc(parts, func(a, b string) int { return len(b) - len(a) })
	const short = 8 // what is shorter is not a secret, and may be a word of the text
	for _, part := range parts {
		if len(part) >= short {
			for _, form := range []string{part, html.EscapeString(part), url.QueryEscape(part)} {
				text = strings.ReplaceAll(text, form, "***")
			}
		}
	}
	return text
}

// refusal is the error of an answer that is not a success.
func (c *Client) refusal(ctx context.Context, resp *http.Response) error {
	text, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<16)) // as much as there is
	err := told(ctx, &Status{Code: resp.StatusCode, Said: c.said(resp, string(text)), Header: resp.Header, TooMuch: isTooMuch(resp.StatusCode, text)})
	if !IsPassing(resp.StatusCode) || resp.StatusCode == http.StatusTooManyRequests && isSpent(text) {
		return err
	}
	wait := retryAfter(resp.Header.Get("Retry-After"), time.Now())
	if wait == 0 && c.RetryAfter != nil {
		wait = c.RetryAfter(text)
	}
	return &Passing{err, wait}
}

// late says that an endpoint took too long.
type late struct {
	what  string
	after time.Duration
}

func (e *late) Error() string { return fmt.Sprintf("%s %v", e.what, e.after) }

// Timeout reports that this is a timeout, as errors of package net do.
func (*late) Timeout() bool { return true }

// body is the body of an answer. It gives up on a connection that stalls.
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
