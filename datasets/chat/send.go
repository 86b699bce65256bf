package chat

import (
	"context"
	"errors"
	"net/http"

	"infbench/internal/endpoint"
)

// send sends one request and reads its response. Its errors have a class.
func (c *Client) send(ctx context.Context, r endpoint.Request, limit int64) ([]byte, error) {
	text, err := c.http.Send(ctx, r, limit)
	if err != nil {
		return nil, &Error{classOfSending(err), err}
	}
	return text, nil
}

// classOfSending returns the class of a request without a valid response.
func classOfSending(err error) Class {
	var lost *endpoint.Lost
	var status *endpoint.Status
	var passing *endpoint.Passing
	var long *endpoint.TooLong
	var elsewhere *endpoint.Elsewhere
	switch {
	case errors.As(err, &lost) && lost.TimedOut:
		return TimedOut
	case errors.As(err, &lost):
		return Unreachable
	case errors.As(err, &long):
		return TooLong
	case errors.As(err, &elsewhere):
		return Redirected
	case errors.As(err, &status) && status.Code == http.StatusTooManyRequests && !errors.As(err, &passing):
		return Rejected // no credit is left
	case errors.As(err, &status):
		return classOfStatus(status.Code)
	}
	return Rejected
}

// classOfStatus returns the class of an unsuccessful status.
func classOfStatus(code int) Class {
	switch {
	case code == http.StatusTooManyRequests:
		return Limited
	case code == http.StatusRequestTimeout:
		return TimedOut
	case code >= 500:
		return ServerFault
	case code/100 == 3:
		return Redirected
	}
	return Rejected
}
