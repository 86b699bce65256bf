package chat

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"infbench/internal/endpoint"
)

// send posts the body of a question and returns that of the answer.
func (c *Client) send(ctx context.Context, body []byte) ([]byte, error) {
	return c.exchange(ctx, c.post, http.MethodPost, "/chat/completions", "application/json", bytes.NewReader(body), maxAnswer)
}

// exchange sends one request and reads its answer, in the time of one attempt.
func (c *Client) exchange(ctx context.Context, by *http.Client, method, path, kind string, body io.Reader, limit int64) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, c.opts.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, c.opts.BaseURL+path, body)
	if err != nil {
		return nil, &Error{Rejected, err}
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	req.Header.Set("User-Agent", "infbench")
	c.opts.Key.Authorize(req)
	resp, err := by.Do(req)
	if err != nil {
		return nil, &endpoint.Passing{Err: &Error{lostClass(err), err}}
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, c.refusal(resp)
	}
	text, err := endpoint.ReadBounded(unstalled(resp.Body, c.opts.Stall, cancel), limit)
	var long *endpoint.TooLong
	switch {
	case errors.As(err, &long):
		return nil, &Error{TooLong, err}
	case err != nil:
		return nil, &endpoint.Passing{Err: &Error{lostClass(err), err}}
	}
	return text, nil
}

// lostClass is the class of a connection that gave no whole answer.
func lostClass(err error) Class {
	var timeout interface{ Timeout() bool }
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) || errors.Is(err, errStalled) || errors.As(err, &timeout) && timeout.Timeout() {
		return TimedOut
	}
	return Unreachable
}

// errStalled says that an answer began and did not go on.
var errStalled = errors.New("the answer stalled")

// stallReader gives up where no byte comes for a while.
type stallReader struct {
	from  io.Reader
	timer *time.Timer
	after time.Duration
}

// unstalled calls cancel where from gives no byte for the time after.
func unstalled(from io.Reader, after time.Duration, cancel func()) io.Reader {
	return &stallReader{from, time.AfterFunc(after, cancel), after}
}

func (s *stallReader) Read(p []byte) (int, error) {
	n, err := s.from.Read(p)
	if !s.timer.Reset(s.after) && err != nil && err != io.EOF {
		err = fmt.Errorf("%w for %v: %w", errStalled, s.after, err)
	}
	if err != nil {
		s.timer.Stop()
	}
	return n, err
}

// refusal is the error of an answer that is no success. What the endpoint says is
// without the key, bounded and quoted.
func (c *Client) refusal(resp *http.Response) error {
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		return &Error{Redirected, fmt.Errorf("status %d: the endpoint sends us to %s, where nothing was sent; if that is right, name it as the address", resp.StatusCode, hostOf(resp))}
	}
	body, _ := io.ReadAll(io.LimitReader(unstalled(resp.Body, c.opts.Stall, func() { resp.Body.Close() }), 1<<16)) // what can be had of it
	err := endpoint.NewStatus(resp.StatusCode, c.opts.Key.Redact(string(body)))
	class := Rejected
	switch {
	case resp.StatusCode == http.StatusTooManyRequests:
		class = Limited
	case resp.StatusCode == http.StatusRequestTimeout:
		class = TimedOut
	case resp.StatusCode >= 500:
		class = ServerFault
	}
	if endpoint.IsPassing(resp.StatusCode) {
		return &endpoint.Passing{Err: &Error{class, err}, RetryAfter: endpoint.RetryAfter(resp.Header.Get("Retry-After"), time.Now())}
	}
	return &Error{class, err}
}

// hostOf is the host that a redirect names: the rest of an address may hold anything.
func hostOf(resp *http.Response) string {
	to, err := resp.Location()
	if err != nil {
		return "an address that is none"
	}
	return (&url.URL{Scheme: to.Scheme, Host: to.Host}).String()
}
