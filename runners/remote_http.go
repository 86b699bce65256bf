package runners

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"infbench/internal/endpoint"
	"infbench/internal/secret"
)

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
	if errors.Is(err, secret.ErrElsewhere) {
		return secret.ErrElsewhere
	}
	if err != nil {
		return &endpoint.Passing{Err: told(ctx, err)}
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return r.refusal(ctx, resp)
	}
	text, err := endpoint.ReadBounded(resp.Body, answerLimit(texts, r.opts.Dim))
	if err != nil {
		return err // of the connection: it quotes nothing
	}
	a, err := r.dialect.read(text, texts)
	if err != nil {
		return err
	}
	r.tokens.Add(a.used(texts))
	if err := a.fill(r.opts.Dim, dst); err != nil {
		return err
	}
	for i, text := range texts {
		v := dst[i*r.opts.Dim : (i+1)*r.opts.Dim]
		if strings.TrimSpace(text) != "" && !slices.ContainsFunc(v, func(v float32) bool { return v != 0 }) {
			begins := fmt.Sprintf("%.40q", text)
			if endpoint.IsPrivate(ctx) {
				begins = "private"
			}
			return fmt.Errorf("the vector of text %d of %d (%s) is zero in every value", i+1, len(texts), begins)
		}
	}
	return nil
}

// told is an error as it may be told: of texts that are private without what the endpoint
// said.
func told(ctx context.Context, err error) error {
	if !endpoint.IsPrivate(ctx) {
		return err
	}
	return fmt.Errorf("%w; what the endpoint said is left out: the texts are private", endpoint.Bare(err))
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
		return &endpoint.Passing{Err: fmt.Errorf("read answer: %w", err)}
	case err != nil:
		return fmt.Errorf("read answer: %w", err)
	}
	return nil
}

// refusal is the error of an answer that is no success. Text of the endpoint is
// without the key, bounded and quoted.
func (r *Remote) refusal(ctx context.Context, resp *http.Response) error {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<16)) // what can be had of it
	err := told(ctx, endpoint.NewStatus(resp.StatusCode, r.opts.Key.Redact(string(body))))
	if endpoint.IsPassing(resp.StatusCode) {
		wait := endpoint.RetryAfter(resp.Header.Get("Retry-After"), time.Now())
		return &endpoint.Passing{Err: err, RetryAfter: cmp.Or(wait, r.dialect.wait(body))}
	}
	return err
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
