package chat

import (
	"errors"
	"fmt"

	"infbench/internal/endpoint"
)

// errBare ends an error that has only its class and status: more text could repeat the question,
// whose texts are private.
var errBare = errors.New("the details are left out: the texts are private")

// bare returns an error of a class without any text from an endpoint or a model.
func bare(c Class, err error) error {
	var status *endpoint.Status
	var long *endpoint.TooLong
	switch {
	case errors.Is(err, ErrBudget), errors.Is(err, errBare):
		return err // contains no text from an endpoint
	case errors.As(err, &status), errors.As(err, &long), c == Unreachable:
		return fmt.Errorf("%s, %w; %w", c, endpoint.Bare(err), errBare)
	}
	return fmt.Errorf("%s; %w", c, errBare)
}
