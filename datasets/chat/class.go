package chat

import (
	"context"
	"errors"
)

// Class is why a question has no answer that can be used. Each is counted apart.
type Class string

// The classes of failures.
const (
	Limited       Class = "rate limited"         // status 429, for longer than there is time
	ServerFault   Class = "server fault"         // status 5xx, for longer than there is time
	TimedOut      Class = "timed out"            // no answer, one that stalled, or the deadline
	Unreachable   Class = "unreachable"          // no connection, or one that broke
	Redirected    Class = "redirected"           // to another address, which is never followed
	Rejected      Class = "rejected"             // any other status, such as 401: a wrong key, an unknown model
	ErrorBody     Class = "error as answer"      // status 200 with an error in the body
	TooLong       Class = "endless answer"       // more bytes than any answer has
	Refused       Class = "refused"              // the model would not answer
	Truncated     Class = "truncated"            // the model's answer was cut at the limit of tokens
	Malformed     Class = "malformed"            // no answer of the interface, or none of the form that was asked for
	WrongRecord   Class = "wrong record"         // an answer to another question
	WrongLanguage Class = "wrong language"       // in another script than may be
	OverBudget    Class = "over budget"          // not sent: its worst case would pass the budget
	NotRecorded   Class = "not recorded"         // not sent: a recording lacks it
	Lost          Class = "missing from a batch" // the batch ended without it
	Interrupted   Class = "interrupted"          // whoever asked waits no more
	Unclassed     Class = "of no class"          // the error of another model
)

// Classes lists the classes of failures, in a fixed order.
func Classes() []Class {
	return []Class{Limited, ServerFault, TimedOut, Unreachable, Redirected, Rejected, ErrorBody, TooLong, Refused, Truncated,
		Malformed, WrongRecord, WrongLanguage, OverBudget, NotRecorded, Lost, Interrupted, Unclassed}
}

// Error is a failure of a class.
type Error struct {
	Class Class
	Err   error
}

func (e *Error) Error() string { return e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// ClassOf is the class of a failure; Unclassed of an error that tells none, "" of nil.
func ClassOf(err error) Class {
	var e *Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &e):
		return e.Class
	case errors.Is(err, context.Canceled):
		return Interrupted
	case errors.Is(err, context.DeadlineExceeded):
		return TimedOut
	}
	return Unclassed
}

// Said reports whether the class is of an answer that the model gave and that was paid:
// asked again, the model most likely says the same.
func (c Class) Said() bool {
	switch c {
	case Refused, Truncated, Malformed, WrongRecord, WrongLanguage:
		return true
	}
	return false
}

// Fatal reports whether no further question can succeed either: whoever asks many
// should stop, and not count as many failures.
func (c Class) Fatal() bool {
	switch c {
	case Redirected, Rejected, OverBudget, Interrupted:
		return true
	}
	return false
}
