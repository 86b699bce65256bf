package endpoint

import (
	"context"
	"errors"
	"fmt"
	"net"
)

// private marks contexts.
type private struct{}

// Privately is a context of requests that hold private texts. What an endpoint says of one
// may repeat it, so that errors must not quote it: of an answer its status is told, of a
// lost connection which it was.
func Privately(ctx context.Context) context.Context { return context.WithValue(ctx, private{}, true) }

// IsPrivate says whether the requests of a context hold private texts.
func IsPrivate(ctx context.Context) bool { return ctx.Value(private{}) != nil }

// Status is an answer that is no success.
type Status struct {
	Code int
	Said string // the beginning of the answer, which may be anything; see Bare
}

// NewStatus is an answer of that status; of what it says, which has no key in it any more,
// the beginning is kept.
func NewStatus(code int, said string) *Status { return &Status{code, said[:min(len(said), 300)]} }

func (e *Status) Error() string { return fmt.Sprintf("status %d: %q", e.Code, e.Said) }

// Bare is what may be told of a request that failed where its texts are private: the status,
// or why there was no answer. Errors that are not known to quote nothing, such as of an
// answer that is no HTTP, become "no answer that can be used".
func Bare(err error) error {
	var status *Status
	var long *TooLong
	var network *net.OpError
	switch {
	case errors.As(err, &status):
		return fmt.Errorf("status %d", status.Code)
	case errors.As(err, &long):
		return long
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
