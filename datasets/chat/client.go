package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"infbench/internal/endpoint"
	"infbench/internal/nearest"
	"infbench/internal/secret"
)

// Structure is how an endpoint is told the form of an answer.
type Structure string

// The ways of asking for a form. With each the answer is read tolerantly (Extract) and
// held to the schema.
const (
	BySchema Structure = "schema" // response_format json_schema: OpenAI, vLLM, Ollama, llama.cpp
	AsObject Structure = "object" // response_format json_object, and the schema in words
	InWords  Structure = "words"  // the schema stands at the end of the last message, nothing else
)

// Options name an endpoint and bound its use.
type Options struct {
	BaseURL   string // up to and with the version: "http://localhost:11434/v1" is Ollama's
	Key       secret.Secret
	Structure Structure // "" is BySchema
	// Reasoning is for models that think before they answer (o3-mini and its like): they
	// take max_completion_tokens and no temperature.
	Reasoning bool

	Parallel  int           // requests at a time; 0 is 4
	PerSecond float64       // requests started in a second; 0 is no limit
	Timeout   time.Duration // of one attempt, its answer read; 0 is 2 minutes
	Stall     time.Duration // without a byte of an answer that has begun; 0 is 30 seconds
	Deadline  time.Duration // of one question, with all attempts and waits; 0 is 10 minutes
	Attempts  int           // of one question; 0 is 8
	Budget    *Budget       // nil is none

	Transport http.RoundTripper // nil is http.DefaultTransport
}

// maxAnswer is more bytes than an answer has.
const maxAnswer = 8 << 20

// Client asks an endpoint that speaks the OpenAI dialect. It sends no question again
// that was answered, however badly: at temperature 0 the same would come back and be
// paid twice. It asks again after 429, 5xx, time out and broken connections.
//
// The official library (github.com/openai/openai-go/v3, judged at v3.8.1) was left: it
// reads bodies without bound, has no stall timer and no batch that survives a kill,
// retries by its own rules, its errors hold the request with the key, and it brings
// 64,000 lines and Azure's SDK for one POST and four calls of batches.
type Client struct {
	opts  Options
	http  *endpoint.Client
	slots chan struct{}
}

var _ Model = (*Client)(nil)

// NewClient returns a model behind an endpoint; it opens no connection yet.
func NewClient(o Options) (*Client, error) {
	o.Structure = cmp.Or(o.Structure, BySchema)
	if err := nearest.OneOf("structure of answers", o.Structure, BySchema, AsObject, InWords); err != nil {
		return nil, err
	}
	sender, err := endpoint.New(endpoint.Options{Address: o.BaseURL, Key: o.Key, Timeout: cmp.Or(o.Timeout, 2*time.Minute), Stall: o.Stall,
		Attempts: o.Attempts, PerSecond: o.PerSecond, Transport: o.Transport})
	if err != nil {
		return nil, fmt.Errorf("chat endpoint: %w", err)
	}
	if o.Parallel < 0 || o.Deadline < 0 {
		return nil, fmt.Errorf("chat endpoint %s: a limit is negative", sender.Address)
	}
	o.BaseURL, o.Parallel, o.Deadline = sender.Address, cmp.Or(o.Parallel, 4), cmp.Or(o.Deadline, 10*time.Minute)
	return &Client{opts: o, http: sender, slots: make(chan struct{}, o.Parallel)}, nil
}

// Origin names what has a say in answers beside the requests: where and how they are
// sent. Nothing of it is secret.
func (c *Client) Origin() string {
	return strings.Join([]string{"openai", c.opts.BaseURL, string(c.opts.Structure), fmt.Sprint(c.opts.Reasoning)}, "\n")
}

// Parallel is how many questions are asked at a time.
func (c *Client) Parallel() int { return c.opts.Parallel }

// Ask sends the request until it is answered or the deadline, the attempts or the budget
// are used up. The errors are of type *Error. An answer that was given but is not as it
// should be comes with the error.
func (c *Client) Ask(ctx context.Context, r Request) (Answer, error) {
	answer, err := c.ask(ctx, r)
	if err == nil {
		return answer, nil
	}
	return answer, c.clean(ctx, fmt.Sprintf("ask %s at %s", r.Model, c.opts.BaseURL), classOfAsking(ctx, err), err)
}

// clean is the failure of what was done as it may be told: without the key, and of private
// texts without what was said of them.
func (c *Client) clean(ctx context.Context, done string, class Class, err error) error {
	of := endOf(ctx, err)
	if endpoint.IsPrivate(ctx) {
		err = bare(class, err)
		of = errors.Join(err, of)
	}
	return &Error{class, &wrapped{c.opts.Key.Redact(fmt.Sprintf("%s: %v", done, err)), of}}
}

// wrapped is an error whose text is clean of keys; what it wraps holds none.
type wrapped struct {
	text string
	of   error
}

func (e *wrapped) Error() string { return e.text }
func (e *wrapped) Unwrap() error { return e.of }

// endOf is why no further question is asked, so that errors.Is finds it: ErrBudget, or
// what ended the context of who asked. Other errors may hold what an endpoint sent.
func endOf(ctx context.Context, err error) error {
	if errors.Is(err, ErrBudget) {
		return ErrBudget
	}
	return context.Cause(ctx)
}

// classOfAsking is the class of the last attempt, unless it was whoever asked who ended it.
func classOfAsking(ctx context.Context, err error) Class {
	if errors.Is(ctx.Err(), context.Canceled) {
		return Interrupted
	}
	return ClassOf(err)
}

// ask takes one of the parallel places first, then has until the deadline.
func (c *Client) ask(ctx context.Context, r Request) (answer Answer, err error) {
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
		return answer, context.Cause(ctx)
	}
	body, err := c.body(&r)
	if err != nil {
		return answer, err
	}
	ctx, cancel := context.WithTimeout(ctx, c.opts.Deadline)
	defer cancel()
	err = c.http.Retry(ctx, func() (err error) {
		answer, err = c.attempt(ctx, &r, body)
		return err
	})
	return answer, err
}

// attempt sends a request once, if its worst case fits the budget.
func (c *Client) attempt(ctx context.Context, r *Request, body []byte) (Answer, error) {
	paid, err := c.opts.Budget.reserve(ctx, r)
	if err != nil {
		return Answer{}, err
	}
	if err := c.http.Turn(ctx); err != nil {
		paid.nothing()
		return Answer{}, &Error{TimedOut, err}
	}
	text, err := c.send(ctx, endpoint.Request{Path: "/chat/completions", Body: body}, maxAnswer)
	if err != nil {
		err = c.withoutField(err)
		if mayBePaid(ClassOf(err)) {
			paid.all() // the model may have worked
		} else {
			paid.nothing()
		}
		return Answer{}, err
	}
	answer, err := readCompletion(r, text, c.opts.Key)
	switch {
	case answer.Input+answer.Output > 0:
		paid.just(answer.Input, answer.Output)
	case err != nil && ClassOf(err) == ErrorBody:
		paid.nothing()
	default:
		paid.all()
	}
	return answer, err
}

// mayBePaid says whether an attempt that ended so may have cost something.
func mayBePaid(c Class) bool {
	return c == TimedOut || c == Unreachable || c == TooLong || c == Interrupted
}
