package endpoint

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"testing"
)

func TestPrivately(t *testing.T) {
	ctx := t.Context()
	if IsPrivate(ctx) {
		t.Error("requests are private unasked")
	}
	ctx, cancel := context.WithCancel(Privately(ctx))
	if cancel(); !IsPrivate(ctx) {
		t.Error("privacy is not inherited")
	}
}

// TestBare: the error of a failed request has no text that an endpoint can choose.
func TestBare(t *testing.T) {
	const secret = "which moon shines"
	for _, c := range []struct {
		err  error
		want string
	}{
		{&Passing{Err: &Status{Code: 429, Said: secret}}, "status 429"},
		{fmt.Errorf("gave up: %w", &Status{Code: 400, Said: secret}), "status 400"},
		{fmt.Errorf("%s: %w", secret, &Elsewhere{secret}), (&Elsewhere{}).Error()},
		{fmt.Errorf("%s: %w", secret, &late{"nothing came for", 2}), "nothing came for 2ns"},
		{errors.Join(&TooLong{10}, errors.New(secret)), "read answer: more than 10 bytes"},
		{&url.Error{Op: "Post", URL: "http://h/" + secret, Err: &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}}, "dial tcp: connection refused"},
		{fmt.Errorf("%s: %w", secret, context.DeadlineExceeded), "context deadline exceeded"},
		{fmt.Errorf("malformed HTTP response %q", secret), "no usable answer"},
	} {
		if got := Bare(c.err).Error(); got != c.want {
			t.Errorf("%v: %q, want %q", c.err, got, c.want)
		}
	}
}
