package chat

import (
	"context"
	"errors"
	"fmt"
)

// Class is the reason why a question has no usable answer. Each is counted separately.
type Class string

// The classes of failures.
const (
	Limited       Class = "rate limited"              // status 429, until the deadline
	ServerFault   Class = "server fault"              // status 5xx, until the deadline
	TimedOut      Class = "timed out"                 // no answer, a stalled answer, or the deadline
	Unreachable   Class = "unreachable"               // no connection, or a broken connection
	Redirected    Class = "redirected"                // to another address, which is never followed
	Rejected      Class = "rejected"                  // any other status, such as 401: a wrong key, an unknown model
	ErrorBody     Class = "error as answer"           // status 200 with an error in the body
	TooLong       Class = "endless answer"            // more bytes than any valid answer has
	Refused       Class = "refused"                   // the model declined to answer
	Truncated     Class = "truncated"                 // the answer was cut at the token limit
	Malformed     Class = "malformed"                 // no valid response, or not in the requested form
	Unparsed      Class = "unparsed"                  // the pattern of a recipe finds nothing that counts
	WrongRecord   Class = "wrong record"              // an answer to another question
	WrongLanguage Class = "wrong language"            // in another script than requested
	NoLogprobs    Class = "without log-probabilities" // the endpoint does not give the requested log-probabilities
	NoVerdict     Class = "no verdict"                // no candidate for the answer's token is a verdict
	OverBudget    Class = "over budget"               // not sent: its worst case would exceed the budget
	NotRecorded   Class = "not recorded"              // not sent: the recording does not contain it
	Lost          Class = "missing from a batch"      // the batch ended without it
	Interrupted   Class = "interrupted"               // the caller stopped waiting
	Unclassed     Class = "of no class"               // the error of another model //plain:ok
)

// Classes lists the classes of failures, in a fixed order.
func Classes() []Class {
	return []Class{Limited, ServerFault, TimedOut, Unreachable, Redirected, Rejected, ErrorBody, TooLong, Refused, Truncated,
		Malformed, Unparsed, WrongRecord, WrongLanguage, NoLogprobs, NoVerdict, OverBudget, NotRecorded, Lost, Interrupted, Unclassed}
}

// ByClass formats numbers of failures, such as "4 refused", in the order of Classes.
func ByClass(failures map[Class]int) (all []string) {
	for _, c := range Classes() {
		if n := failures[c]; n > 0 {
			all = append(all, fmt.Sprintf("%d %s", n, c))
		}
	}
	return all
}

// Error is a failure of a class.
type Error struct {
	Class Class
	Err   error
}

func (e *Error) Error() string { return e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// ClassOf returns the class of a failure: Unclassed for an error without one, "" for nil.
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

// Said reports whether the model gave an answer that was paid: if asked again, the model most
// likely gives the same.
func (c Class) Said() bool {
	switch c {
	case Refused, Truncated, Malformed, Unparsed, WrongRecord, WrongLanguage, NoLogprobs, NoVerdict:
		return true
	}
	return false
}

// Fatal reports whether further questions must fail too. A caller with many questions should then
// stop instead of counting as many failures.
func (c Class) Fatal() bool {
	switch c {
	case Redirected, Rejected, OverBudget, Interrupted:
		return true
	}
	return false
}
