package runners

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
	"strconv"
	"time"
)

// passingError is a failure that the same request may not meet again.
type passingError struct {
	err        error
	retryAfter time.Duration // as the endpoint asks; 0 if it does not
}

func (e *passingError) Error() string { return e.err.Error() }
func (e *passingError) Unwrap() error { return e.err }

// post sends one batch and puts its vectors into dst.
func (r *Remote) post(ctx context.Context, as role, texts []string, dst []float32) error {
	if used := r.tokens.Load(); r.opts.MaxTokens > 0 && used >= r.opts.MaxTokens {
		return fmt.Errorf("%w: %d of %d", ErrBudget, used, r.opts.MaxTokens)
	}
	if err := r.limiter.Wait(ctx); err != nil {
		return err
	}
	path, fields := r.dialect.request(&r.opts, as, texts)
	body, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, r.opts.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.opts.BaseURL+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "infbench")
	r.dialect.authorize(req, r.opts.Key)
	resp, err := r.client.Do(req)
	if err != nil {
		return &passingError{err: err}
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return r.refusal(resp)
	}
	text, err := readBounded(resp.Body, answerLimit(texts, r.opts.Dim))
	if err != nil {
		return err
	}
	a, err := r.dialect.read(text, texts)
	if err != nil {
		return err
	}
	r.tokens.Add(a.used(texts))
	return a.fill(r.opts.Dim, dst)
}

// answerLimit is more bytes than an answer has: a value takes some 25, a text
// that is repeated at most six times its own. Vectors of another size than was
// said shall still be read, to say so.
func answerLimit(texts []string, dim int) int64 {
	limit := int64(1 << 16)
	for _, text := range texts {
		limit += int64(6*len(text) + 32*max(dim, 1<<13))
	}
	return limit
}

// readBounded reads an answer of at most limit bytes.
func readBounded(body io.Reader, limit int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(body, limit+1))
	if err != nil {
		return nil, &passingError{err: fmt.Errorf("read answer: %w", err)}
	}
	if int64(len(text)) > limit {
		return nil, fmt.Errorf("read answer: more than %d bytes", limit)
	}
	return text, nil
}

// used is what the endpoint says it used, else a quarter of the bytes.
func (a *answer) used(texts []string) int64 {
	if a.tokens > 0 {
		return a.tokens
	}
	bytes := 0
	for _, text := range texts {
		bytes += len(text)
	}
	return int64(bytes+3) / 4
}

// decodeAnswer decodes the JSON of an answer. One that broke off may come whole
// another time, one that is wrong will not.
func decodeAnswer(body []byte, into any) error {
	err := json.NewDecoder(bytes.NewReader(body)).Decode(into)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return &passingError{err: fmt.Errorf("read answer: %w", err)}
	case err != nil:
		return fmt.Errorf("read answer: %w", err)
	}
	return nil
}

// refusal is the error of an answer that is no success. Text of the endpoint is
// without the key, bounded and quoted.
func (r *Remote) refusal(resp *http.Response) error {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<16)) // what can be had of it
	text := r.opts.Key.Redact(string(body))
	err := fmt.Errorf("status %d: %q", resp.StatusCode, text[:min(len(text), 300)])
	switch {
	case resp.StatusCode == http.StatusTooManyRequests, resp.StatusCode == http.StatusRequestTimeout, resp.StatusCode >= 500:
		wait := retryAfter(resp.Header.Get("Retry-After"), time.Now())
		return &passingError{err, cmp.Or(wait, r.dialect.wait(body))}
	}
	return err
}

// retryAfter reads the header of that name: seconds or a date.
func retryAfter(header string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseFloat(header, 64); err == nil && seconds > 0 && seconds < 1e6 {
		return time.Duration(seconds * float64(time.Second))
	}
	if date, err := http.ParseTime(header); err == nil {
		return max(0, date.Sub(now))
	}
	return 0
}

// fill checks the vectors and copies them to dst.
func (a *answer) fill(dim int, dst []float32) error {
	for row, vector := range a.vectors {
		if len(vector) != dim {
			return fmt.Errorf("a vector of %d values, want %d", len(vector), dim)
		}
		for i, v := range vector {
			if v == nil {
				return fmt.Errorf("value %d of a vector is null", i)
			}
			dst[row*dim+i] = *v
		}
	}
	return nil
}

// maxWait bounds how long an endpoint can make a run wait at a time.
const maxWait = 5 * time.Minute

// retry runs try until it succeeds, fails for good or has been tried often
// enough. It waits as long as the endpoint asks, else 1, 2, 4, ... seconds, half
// of it random so that many clients do not return together; and not at all
// where the context would end before.
func (r *Remote) retry(ctx context.Context, try func() error) error {
	for attempt := 1; ; attempt++ {
		err := try()
		if err == nil {
			return nil
		}
		var passing *passingError
		if !errors.As(err, &passing) || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		if attempt >= r.opts.Attempts {
			return fmt.Errorf("gave up after %d attempts: %w", attempt, err)
		}
		wait := time.Second << min(attempt-1, 6)
		wait = wait/2 + rand.N(wait/2)
		if passing.retryAfter > 0 {
			wait = passing.retryAfter
		}
		if deadline, ok := ctx.Deadline(); wait > maxWait || ok && time.Until(deadline) < wait {
			return fmt.Errorf("the endpoint asks to wait %v, longer than is left: %w", wait.Round(time.Second), err)
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return errors.Join(err, ctx.Err())
		}
	}
}
