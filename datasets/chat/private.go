package chat

import (
	"errors"
	"fmt"

	"infbench/internal/endpoint"
)

// errBare says that an error tells its class and status alone, since more could repeat the
// question, whose texts are private.
var errBare = errors.New("what was said is left out: the texts are private")

// bare is an error of a class without anything that an endpoint or a model chose.
func bare(c Class, err error) error {
	var status *endpoint.Status
	var long *endpoint.TooLong
	switch {
	case errors.Is(err, ErrBudget), errors.Is(err, errBare):
		return err // which no endpoint words
	case errors.As(err, &status), errors.As(err, &long), c == Unreachable:
		return fmt.Errorf("%s, %w; %w", c, endpoint.Bare(err), errBare)
	}
	return fmt.Errorf("%s; %w", c, errBare)
}
