package endpoint

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
)

// private is the key of a context value.
type private struct{}

// Privately returns a context for requests with private texts. The endpoint's message may repeat
// these, so that errors must not quote it: they have only the status of a response, or the kind of
// connection failure.
func Privately(ctx context.Context) context.Context { return context.WithValue(ctx, private{}, true) }

// IsPrivate reports whether the requests of a context have private texts.
func IsPrivate(ctx context.Context) bool { return ctx.Value(private{}) != nil }

// Status is the error of an unsuccessful response.
type Status struct {
	Code    int
	Said    string // the answer without the key, at most 64 KiB, with any content; see Bare
	Header  http.Header
	TooMuch bool // the same texts may succeed in several requests
	// NamesLogprobs means that the answer is about log-probabilities: the same texts may succeed
	// without asking for them.
	NamesLogprobs bool
}

func (e *Status) Error() string {
	if e.Said == "" {
		return fmt.Sprintf("status %d", e.Code)
	}
	return fmt.Sprintf("status %d: %q", e.Code, e.Said[:min(len(e.Said), 300)])
}

// shownError returns an error that may be shown: for private texts, without the endpoint's message.
func shownError(ctx context.Context, err error) error {
	if !IsPrivate(ctx) {
		return err
	}
	return fmt.Errorf("%w; the endpoint's message is left out: the texts are private", Bare(err))
}

// Bare reduces the error of a failed request with private texts to its status, or to the reason why
// there was no answer. Errors that might quote an endpoint, such as for an answer that is not HTTP,
// become "no usable answer".
func Bare(err error) error {
	var status *Status
	var long *TooLong
	var network *net.OpError
	var slow *late
	var elsewhere *Elsewhere
	switch {
	case errors.As(err, &status):
		return &Status{Code: status.Code, TooMuch: status.TooMuch, NamesLogprobs: status.NamesLogprobs}
	case errors.As(err, &elsewhere):
		return &Elsewhere{}
	case errors.As(err, &long):
		return long
	case errors.As(err, &slow):
		return slow
	case errors.As(err, &network):
		return network
	}
	for _, known := range []error{context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, known) {
			return known
		}
	}
	return errors.New("no usable answer")
}
