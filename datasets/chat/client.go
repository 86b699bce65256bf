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

// Structure is the way in which an endpoint is asked for a form of the answer.
type Structure string

// The ways of asking for a form. With each, the answer is parsed tolerantly (Extract) and checked
// against the schema.
const (
	BySchema Structure = "schema" // response_format json_schema: OpenAI, vLLM, Ollama, llama.cpp
	AsObject Structure = "object" // response_format json_object, and the schema as text
	InWords  Structure = "words"  // only the schema as text, at the end of the last message
)

// Options describe an endpoint and the limits of its use.
type Options struct {
	BaseURL   string // up to and including the version: "http://localhost:11434/v1" for Ollama
	Key       secret.Secret
	Structure Structure // "" means BySchema
	// Reasoning is for models that think before they answer (such as o3-mini): they accept
	// max_completion_tokens and no temperature.
	Reasoning bool

	Parallel  int           // concurrent requests; 0 means 4
	PerSecond float64       // requests started per second; 0 means no limit
	Timeout   time.Duration // per attempt, including reading the answer; 0 means 2 minutes
	Stall     time.Duration // maximum time without a byte of a started answer; 0 means 30 seconds
	Deadline  time.Duration // per question, including all attempts and waits; 0 means 10 minutes
	Attempts  int           // per question; 0 means 8
	Budget    *Budget       // nil means no budget

	Transport http.RoundTripper // nil means http.DefaultTransport
}

// maxAnswer is a number of bytes that no valid answer exceeds.
const maxAnswer = 8 << 20

// Client asks an endpoint of the OpenAI API. It does not repeat a question that was answered, even
// badly: at temperature 0 the same answer would come back and be paid twice. It retries after 429,
// 5xx, timeouts and broken connections.
//
// The official library (github.com/openai/openai-go/v3, evaluated at v3.8.1) is not used. It reads
// bodies without a size limit, has no stall timer and no batch that survives a kill, retries by its
// own rules, and its errors contain the request with the key. It would add 64,000 lines and Azure's
// SDK for one POST and four batch calls.
type Client struct {
	opts  Options
	http  *endpoint.Client
	slots chan struct{}
}

var _ Model = (*Client)(nil)

// NewClient returns a model behind an endpoint; it does not connect yet.
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

// Origin names the settings outside of requests that influence answers: where and how requests are
// sent. It contains no secret.
func (c *Client) Origin() string {
	return strings.Join([]string{"openai", c.opts.BaseURL, string(c.opts.Structure), fmt.Sprint(c.opts.Reasoning)}, "\n")
}

// Parallel returns the number of concurrent questions.
func (c *Client) Parallel() int { return c.opts.Parallel }

// Ask sends the request until it is answered, or until the deadline, the attempts or the budget are
// used up. Errors are of type *Error. An unusable answer comes with its error.
func (c *Client) Ask(ctx context.Context, r Request) (Answer, error) {
	answer, err := c.ask(ctx, r)
	if err == nil {
		return answer, nil
	}
	return answer, c.clean(ctx, fmt.Sprintf("ask %s at %s", r.Model, c.opts.BaseURL), classOfAsking(ctx, err), err)
}

// clean returns an error that may be shown: without the key and, if texts are private, without the
// endpoint's message.
func (c *Client) clean(ctx context.Context, done string, class Class, err error) error {
	of := endOf(ctx, err)
	if endpoint.IsPrivate(ctx) {
		err = bare(class, err)
		of = errors.Join(err, of)
	}
	return &Error{class, &wrapped{c.opts.Key.Redact(fmt.Sprintf("%s: %v", done, err)), of}}
}

// wrapped is an error whose text was cleaned of keys; its inner error contains none.
type wrapped struct {
	text string
	of   error
}

func (e *wrapped) Error() string { return e.text }
func (e *wrapped) Unwrap() error { return e.of }

// endOf returns the reason why no further question is asked, so that errors.Is finds it: ErrBudget,
// or the cause of the context's end. Other errors may contain text of the endpoint.
func endOf(ctx context.Context, err error) error {
	if errors.Is(err, ErrBudget) {
		return ErrBudget
	}
	return context.Cause(ctx)
}

// classOfAsking returns the class of the last attempt, or Interrupted if the caller's context was
// canceled.
func classOfAsking(ctx context.Context, err error) Class {
	if errors.Is(ctx.Err(), context.Canceled) {
		return Interrupted
	}
	return ClassOf(err)
}

// ask waits for a free slot; the deadline starts after that.
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
	text, err := c.send(ctx, endpoint.Request{Path: r.path(), Body: body}, maxAnswer)
	if err != nil {
		err = withoutLogprobs(r, withoutCompletions(r, c.withoutField(err)))
		if mayBePaid(ClassOf(err)) {
			paid.all() // the request may have been processed
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

// mayBePaid reports whether an attempt with this failure may have cost something.
func mayBePaid(c Class) bool {
	return c == TimedOut || c == Unreachable || c == TooLong || c == Interrupted
}
