// Package endpoint sends requests to HTTP APIs. Clients for vectors, answers, downloads and index
// servers share its rules: see Client. It knows no particular API.
package endpoint

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Address returns the base address of an API without a slash at its end.
func Address(base string) (string, error) {
	base = strings.TrimRight(base, "/")
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.RawQuery != "" {
		return "", errors.New("want an http or https address without a password or parameters, such as https://api.openai.com/v1")
	}
	return base, nil
}

// Passing is a temporary failure: the same request may succeed later.
type Passing struct {
	Err        error
	RetryAfter time.Duration // as the endpoint asks; 0 if it does not
}

func (e *Passing) Error() string { return e.Err.Error() }
func (e *Passing) Unwrap() error { return e.Err }

// IsPassing reports whether a request with this status may be repeated.
func IsPassing(status int) bool {
	return status == http.StatusTooManyRequests || status == http.StatusRequestTimeout || status >= 500
}

// retryAfter parses the header of that name: seconds or a date. It returns 0 for any other value.
func retryAfter(header string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseFloat(header, 64); err == nil && seconds > 0 && seconds < 1e6 {
		return time.Duration(seconds * float64(time.Second))
	}
	if date, err := http.ParseTime(header); err == nil {
		return max(0, date.Sub(now))
	}
	return 0
}

// Decode decodes a JSON answer, also after a byte order mark. The error of a truncated answer is
// temporary, that of a wrong one is not.
func Decode(answer []byte, into any) error {
	answer = bytes.TrimPrefix(answer, []byte("\ufeff"))
	err := json.NewDecoder(bytes.NewReader(answer)).Decode(into)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return &Passing{Err: fmt.Errorf("read answer: it breaks off: %w", err)}
	case err != nil && insteadOfJSON(answer) != "":
		return fmt.Errorf("read answer: the answer is %s, not JSON", insteadOfJSON(answer))
	case err != nil:
		return fmt.Errorf("read answer: %w", err)
	}
	return nil
}

// insteadOfJSON names the kind of an answer that some endpoints send in place of JSON: a page of a
// gateway or a login, or an unrequested stream. It returns "" for anything else.
func insteadOfJSON(answer []byte) string {
	kind, _, _ := strings.Cut(http.DetectContentType(answer), ";")
	text := bytes.TrimSpace(answer)
	switch {
	case kind == "text/html":
		return "an HTML page"
	case bytes.HasPrefix(text, []byte("<")):
		return "XML or an HTML page"
	case bytes.HasPrefix(text, []byte("data:")), bytes.HasPrefix(text, []byte("event:")):
		return "a stream of events"
	}
	return ""
}

// Count is a number of tokens in an answer. Some endpoints write it as a float or in quotes. Any
// value that is not a number of at least 0 becomes 0, which means unknown.
type Count int64

// UnmarshalJSON implements json.Unmarshaler. It never fails: a bad count must not cost the answer.
func (c *Count) UnmarshalJSON(text []byte) error {
	*c = 0
	if n, err := strconv.ParseFloat(strings.Trim(string(text), `"`), 64); err == nil && n >= 0 && n < 1<<53 {
		*c = Count(n)
	}
	return nil
}

// Lost is the error of a request without a complete answer.
type Lost struct {
	Err      error
	TimedOut bool // otherwise the connection failed
}

func (e *Lost) Error() string { return e.Err.Error() }
func (e *Lost) Unwrap() error { return e.Err }

// Elsewhere is the error for a redirect to another address, which is not followed.
type Elsewhere struct{ To string } // scheme, host and port; "" if it must not be shown

func (e *Elsewhere) Error() string {
	return fmt.Sprintf("the endpoint redirects to %s, where nothing was sent; if that is right, use it as the address", cmp.Or(e.To, "another address"))
}

// TooLong means that an answer is longer than any valid one.
type TooLong struct{ Limit int64 }

func (e *TooLong) Error() string { return fmt.Sprintf("read answer: more than %d bytes", e.Limit) }

// maxWait limits how long an endpoint can make a run wait at a time.
const maxWait = 5 * time.Minute

// Retry calls try until it succeeds, fails permanently (not with a Passing) or has been tried
// Attempts times. It waits as long as the endpoint asks, else 1, 2, 4, ... seconds, half of it
// random so that many clients do not return together. It does not wait if the context would end
// before. If the context was canceled, the error is the cause.
func (c *Client) Retry(ctx context.Context, try func() error) error {
	for attempt := 1; ; attempt++ {
		err := try()
		if err == nil {
			return nil
		}
		var passing *Passing
		switch {
		case !errors.As(err, &passing):
			return errors.Join(err, ctx.Err())
		case ctx.Err() != nil:
			return ended(ctx, err)
		}
		if attempt >= c.Attempts {
			return fmt.Errorf("gave up after %d attempts: %w", attempt, err)
		}
		if err := c.wait(ctx, err, passing.RetryAfter, attempt); err != nil {
			return err
		}
	}
}

// wait waits until the next attempt: the requested time, if any.
func (c *Client) wait(ctx context.Context, last error, asked time.Duration, attempt int) error {
	wait := time.Second << min(attempt-1, 6)
	wait = cmp.Or(asked, wait/2+rand.N(wait/2))
	if deadline, ok := ctx.Deadline(); wait > maxWait || ok && time.Until(deadline) < wait {
		return fmt.Errorf("the endpoint asks to wait %v, longer than is left: %w", wait.Round(time.Second), last)
	}
	if c.Sleep(ctx, wait) != nil {
		return ended(ctx, last)
	}
	return nil
}

// sleep waits for a time or until the context ends.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ended returns the error of a request whose context ended. If it was canceled, this is only the
// cause, without the connection's error. If it timed out, the last error comes first.
func ended(ctx context.Context, last error) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return context.Cause(ctx)
	}
	return errors.Join(last, ctx.Err())
}
