package runners

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"infbench/internal/endpoint"
	"infbench/internal/nearest"
	"infbench/internal/secret"
)

// RemoteOptions select an endpoint for embeddings and limit its use.
type RemoteOptions struct {
	API     string // one of RemoteAPIs; "" is openai
	BaseURL string // address up to and including the version: "https://api.openai.com/v1"; "" means the provider's own, which openai does not have
	Model   string
	Dim     int // values of a vector; an answer with another number is an error
	Key     secret.Secret
	// QueryTemplate makes the text of a query with an instruction from {query} and
	// {instruction}; "" means "{query} {instruction}".
	QueryTemplate string

	BatchSize int           // texts in a request; 0 means the usual number for the interface
	Parallel  int           // requests at a time; 0 means 4
	PerSecond float64       // requests started per second; 0 means no limit
	Timeout   time.Duration // timeout of one attempt; 0 means a minute. The context limits the complete run
	Attempts  int           // attempts of one request; 0 means 8, which outlast a limit per minute
	// MaxTokens is the budget: when that many tokens are used, no more requests are sent. The
	// endpoint counts tokens; if it does not, a quarter of the bytes counts. 0 means no limit.
	MaxTokens int64

	Transport http.RoundTripper // nil means http.DefaultTransport
}

// Remote is an encoder behind an endpoint for embeddings. Use it inside a Cached: a run that is
// killed, fails or spends its budget then continues where it stopped, and no answered text is
// sent again.
type Remote struct {
	opts    RemoteOptions
	dialect dialect
	http    *endpoint.Client
	tokens  atomic.Int64
	most    atomic.Int64 // texts in a request: BatchSize, or fewer after the endpoint has refused as many
}

var (
	_ Encoder   = (*Remote)(nil)
	_ requester = (*Remote)(nil)
)

// ErrBudget is the error if the token budget of a Remote is used up.
var ErrBudget = errors.New("token budget used up")

// NewRemote returns an encoder for an endpoint. It opens no connection yet.
func NewRemote(opts RemoteOptions) (*Remote, error) {
	opts.API = cmp.Or(opts.API, apiOpenAI)
	speak, ok := dialects()[opts.API]
	if !ok {
		return nil, nearest.Unknown("interface for embeddings", opts.API, RemoteAPIs())
	}
	sender, err := endpoint.New(endpoint.Options{Address: cmp.Or(opts.BaseURL, speak.address()), Key: opts.Key, Authorize: speak.authorize,
		Timeout: opts.Timeout, Attempts: opts.Attempts, PerSecond: opts.PerSecond, RetryAfter: speak.wait, Transport: opts.Transport})
	if err != nil {
		return nil, fmt.Errorf("embedding endpoint: %w", err)
	}
	usual, most := speak.texts()
	opts.BaseURL = sender.Address
	opts.QueryTemplate = cmp.Or(opts.QueryTemplate, "{query} {instruction}")
	opts.BatchSize = cmp.Or(opts.BatchSize, usual)
	opts.Parallel = cmp.Or(opts.Parallel, 4)
	if err := opts.check(most); err != nil {
		return nil, fmt.Errorf("embedding endpoint %s: %w", opts.BaseURL, err)
	}
	r := &Remote{opts: opts, dialect: speak, http: sender}
	r.most.Store(int64(opts.BatchSize))
	return r, nil
}

// check returns an error if a value is missing or out of range; most is the maximum number of
// texts in a request of the interface.
func (o *RemoteOptions) check(most int) error {
	switch {
	case o.Model == "":
		return errors.New("no model")
	case o.Dim < 1:
		return fmt.Errorf("vectors of %d values", o.Dim)
	case o.BatchSize < 0 || o.Parallel < 0 || o.MaxTokens < 0:
		return errors.New("a limit is negative")
	case o.BatchSize > most:
		return fmt.Errorf("%d texts in a request, more than the %d that interface %s takes", o.BatchSize, most, o.API)
	case !strings.Contains(o.QueryTemplate, "{query}") || !strings.Contains(o.QueryTemplate, "{instruction}"):
		return fmt.Errorf("query template %q lacks {query} or {instruction}", o.QueryTemplate)
	}
	return nil
}

// Fingerprint contains everything that determines the vectors, for NewCached.
func (r *Remote) Fingerprint() string {
	return strings.Join([]string{"remote", r.opts.API, r.opts.BaseURL, r.opts.Model, fmt.Sprint(r.opts.Dim), r.opts.QueryTemplate}, "\n")
}

// Dim returns the number of values given to NewRemote.
func (r *Remote) Dim() int { return r.opts.Dim }

// Requests returns the number of texts in a request and of requests at a time.
func (r *Remote) Requests() (texts, parallel int) { return r.opts.BatchSize, r.opts.Parallel }

// Tokens returns the number of tokens used so far.
func (r *Remote) Tokens() int64 { return r.tokens.Load() }

// EncodeQueries joins each query with its instruction by the template.
func (r *Remote) EncodeQueries(ctx context.Context, queries, instructions []string, dst []float32) error {
	texts := make([]string, len(queries))
	for i, query := range queries {
		if texts[i] = query; instructions[i] != "" {
			texts[i] = strings.NewReplacer("{query}", query, "{instruction}", instructions[i]).Replace(r.opts.QueryTemplate)
		}
	}
	return r.encode(ctx, asQueries, texts, dst)
}

// EncodeDocuments joins each title and text with a space.
func (r *Remote) EncodeDocuments(ctx context.Context, titles, texts []string, dst []float32) error {
	joined := make([]string, len(texts))
	for i := range texts {
		joined[i] = joinTexts(titles[i], texts[i])
	}
	return r.encode(ctx, asDocuments, joined, dst)
}

// encode sends the texts in batches. It sends an empty text as one space, since endpoints
// refuse a batch with an empty text.
func (r *Remote) encode(ctx context.Context, as role, texts []string, dst []float32) error {
	for i, text := range texts {
		if text == "" {
			texts[i] = " "
		}
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(r.opts.Parallel)
	for lo := 0; lo < len(texts); lo += r.opts.BatchSize {
		hi := min(lo+r.opts.BatchSize, len(texts))
		group.Go(func() error { return r.send(ctx, as, texts[lo:hi], dst[lo*r.opts.Dim:hi*r.opts.Dim]) })
	}
	err := group.Wait()
	if err == nil {
		return nil
	}
	if text := err.Error(); r.opts.Key.Redact(text) != text {
		err = errors.New(r.opts.Key.Redact(text)) // the body of an unexpected answer may repeat the key
	}
	return fmt.Errorf("embedding endpoint %s: %w", r.opts.BaseURL, err)
}

// send sends a batch in one request, or in several if the endpoint accepts fewer texts per
// request. It halves requests until one is accepted and remembers its size.
func (r *Remote) send(ctx context.Context, as role, texts []string, dst []float32) error {
	most := int(r.most.Load())
	for len(texts) > 0 {
		n := min(most, len(texts))
		err := r.http.Retry(ctx, func() error { return r.post(ctx, as, texts[:n], dst[:n*r.opts.Dim]) })
		var refused *endpoint.Status
		switch {
		case n > 1 && errors.As(err, &refused) && refused.TooMuch:
			most = n / 2
			continue
		case err != nil:
			return err
		}
		if known := r.most.Load(); int64(most) < known {
			r.most.CompareAndSwap(known, int64(most))
		}
		texts, dst = texts[n:], dst[n*r.opts.Dim:]
	}
	return nil
}
