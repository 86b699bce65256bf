package runners

import (
	"bytes"
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

// embeddingAnswer is what an endpoint answers. The values are pointers since a
// null would otherwise pass for a zero.
type embeddingAnswer struct {
	Data []struct {
		Index     *int       `json:"index"`
		Embedding []*float32 `json:"embedding"`
	} `json:"data"`
	Usage struct {
		TotalTokens int64 `json:"total_tokens"`
	} `json:"usage"`
}

// passingError is a failure that the same request may not meet again.
type passingError struct {
	err        error
	retryAfter time.Duration // as the endpoint asks; 0 if it does not
}

func (e *passingError) Error() string { return e.err.Error() }
func (e *passingError) Unwrap() error { return e.err }

// post sends one batch and puts its vectors into dst, by their index: the
// answer may come in any order.
func (r *Remote) post(ctx context.Context, texts []string, dst []float32) error {
	if used := r.tokens.Load(); r.opts.MaxTokens > 0 && used >= r.opts.MaxTokens {
		return fmt.Errorf("%w: %d of %d", ErrBudget, used, r.opts.MaxTokens)
	}
	if err := r.limiter.Wait(ctx); err != nil {
		return err
	}
	body, err := json.Marshal(map[string]any{"model": r.opts.Model, "input": texts, "encoding_format": "float"})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, r.opts.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.opts.BaseURL+"/embeddings", bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "infbench")
	r.opts.Key.Authorize(req)
	resp, err := r.client.Do(req)
	if err != nil {
		return &passingError{err: err}
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return r.refusal(resp)
	}
	var answer embeddingAnswer
	// A value takes at most some 25 bytes of JSON, a text some hundred of frame.
	limit := int64(len(texts)) * int64(r.opts.Dim*32+1<<10)
	if err := json.NewDecoder(io.LimitReader(resp.Body, limit+1<<16)).Decode(&answer); err != nil {
		return undecodable(err)
	}
	r.tokens.Add(answer.tokens(texts))
	return answer.fill(len(texts), r.opts.Dim, dst)
}

// tokens is what the endpoint says it used, else a quarter of the bytes.
func (a *embeddingAnswer) tokens(texts []string) int64 {
	if a.Usage.TotalTokens > 0 {
		return a.Usage.TotalTokens
	}
	bytes := 0
	for _, text := range texts {
		bytes += len(text)
	}
	return int64(bytes+3) / 4
}

// undecodable tells an answer that broke off from one that is wrong.
func undecodable(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	err = fmt.Errorf("read answer: %w", err)
	if errors.As(err, &syntax) || errors.As(err, &kind) {
		return err
	}
	return &passingError{err: err}
}

// refusal is the error of an answer that is no success. Text of the endpoint is
// quoted, bounded and without the key.
func (r *Remote) refusal(resp *http.Response) error {
	text, _ := io.ReadAll(io.LimitReader(resp.Body, 300)) // what can be had of it
	err := fmt.Errorf("status %d: %q", resp.StatusCode, r.opts.Key.Redact(string(text)))
	switch {
	case resp.StatusCode == http.StatusTooManyRequests, resp.StatusCode == http.StatusRequestTimeout, resp.StatusCode >= 500:
		return &passingError{err, retryAfter(resp.Header.Get("Retry-After"), time.Now())}
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

// fill checks an answer of n vectors and copies them to dst.
func (a *embeddingAnswer) fill(n, dim int, dst []float32) error {
	if len(a.Data) != n {
		return fmt.Errorf("%d vectors for %d texts", len(a.Data), n)
	}
	seen := make([]bool, n)
	for _, d := range a.Data {
		if d.Index == nil || *d.Index < 0 || *d.Index >= n || seen[*d.Index] {
			return errors.New("the indices of the vectors are not those of the texts")
		}
		seen[*d.Index] = true
		if len(d.Embedding) != dim {
			return fmt.Errorf("a vector of %d values, want %d", len(d.Embedding), dim)
		}
		for i, v := range d.Embedding {
			if v == nil {
				return fmt.Errorf("value %d of a vector is null", i)
			}
			dst[*d.Index*dim+i] = *v
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
