package endpoint

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
)

// private marks contexts.
type private struct{}

// Privately is a context of requests that hold private texts. What an endpoint says of one
// may repeat it, so that errors must not quote it: of an answer its status is told, of a
// lost connection which it was.
func Privately(ctx context.Context) context.Context { return context.WithValue(ctx, private{}, true) }

// IsPrivate says whether the requests of a context hold private texts.
func IsPrivate(ctx context.Context) bool { return ctx.Value(private{}) != nil }

// Status is an answer that is not a success.
type Status struct {
	Code    int
	Said    string // the answer without the key, at most 64 KiB, which may be anything; see Bare
	Header  http.Header
	TooMuch bool // the same texts may pass in several requests
}

func (e *Status) Error() string {
	if e.Said == "" {
		return fmt.Sprintf("status %d", e.Code)
	}
	return fmt.Sprintf("status %d: %q", e.Code, e.Said[:min(len(e.Said), 300)])
}

// told is an error as it may be told: for private texts, without what the endpoint said.
func told(ctx context.Context, err error) error {
	if !IsPrivate(ctx) {
		return err
	}
	return fmt.Errorf("%w; what the endpoint said is left out: the texts are private", Bare(err))
}

// Bare is what may be told of a request that failed where its texts are private: the status,
// or why there was no answer. Errors that are not known to quote nothing, such as of an
// answer that is no HTTP, become "no answer that can be used".
func Bare(err error) error {
	var status *Status
	var long *TooLong
	var network *net.OpError
	var slow *late
	var elsewhere *Elsewhere
	switch {
	case errors.As(err, &status):
		return &Status{Code: status.Code, TooMuch: status.TooMuch}
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
	return errors.New("no answer that can be used")
}
