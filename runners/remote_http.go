package runners

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"infbench/internal/endpoint"
)

// post sends one batch and writes its vectors to dst.
func (r *Remote) post(ctx context.Context, as role, texts []string, dst []float32) error {
	if used := r.tokens.Load(); r.opts.MaxTokens > 0 && used >= r.opts.MaxTokens {
		return fmt.Errorf("%w: %d of %d", ErrBudget, used, r.opts.MaxTokens)
	}
	if err := r.http.Turn(ctx); err != nil {
		return err
	}
	path, fields := r.dialect.request(&r.opts, as, texts)
	body, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	text, err := r.http.Send(ctx, endpoint.Request{Path: path, Body: body}, answerLimit(texts, r.opts.Dim))
	if err != nil {
		return err
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

// answerLimit is more bytes than any answer has: a value takes about 25, a repeated text at
// most six times its size. Vectors of an unexpected size must still be read, so that the error
// can report the size.
func answerLimit(texts []string, dim int) int64 {
	limit := int64(1 << 16)
	for _, text := range texts {
		limit += int64(6*len(text) + 32*max(dim, 1<<13))
	}
	return limit
}

// used is the endpoint's count of tokens, or else a quarter of the bytes.
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
