package endpoint

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	for header, want := range map[string]time.Duration{
		"30": 30 * time.Second, "0.5": time.Second / 2, "Mon, 23 Nov 2026 12:01:00 GMT": time.Minute,
		"Mon, 23 Nov 2026 11:00:00 GMT": 0, "-1": 0, "1e9": 0, "NaN": 0, "soon": 0, "": 0,
	} {
		if got := RetryAfter(header, now); got != want {
			t.Errorf("%q: %v, want %v", header, got, want)
		}
	}
}

func TestAddress(t *testing.T) {
	if got, err := Address("http://localhost:11434/v1/"); err != nil || got != "http://localhost:11434/v1" {
		t.Errorf("%q, %v", got, err)
	}
	for _, bad := range []string{"", "localhost", "ftp://h/", "https://me:pw@h/v1", "https://h/v1?key=pw", "http://"} {
		if _, err := Address(bad); err == nil || strings.Contains(err.Error(), "pw") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestReadBounded(t *testing.T) {
	if text, err := ReadBounded(strings.NewReader("1234"), 4); err != nil || string(text) != "1234" {
		t.Errorf("%q, %v", text, err)
	}
	var long *TooLong
	if _, err := ReadBounded(strings.NewReader("12345"), 4); !errors.As(err, &long) || long.Limit != 4 {
		t.Error(err)
	}
}

// What does not pass is tried once, what passes as often as may be and never beyond the
// deadline.
func TestRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wrong := errors.New("wrong")
		for name, c := range map[string]struct {
			err   error
			tries int
			said  string
		}{
			"for good": {wrong, 1, "wrong"},
			"passing":  {&Passing{Err: wrong}, 3, "gave up after 3 attempts: wrong"},
			"too long": {&Passing{Err: wrong, RetryAfter: time.Hour}, 1, "longer than is left: wrong"},
		} {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			tries := 0
			err := Retry(ctx, 3, func() error { tries++; return c.err })
			if cancel(); tries != c.tries || !errors.Is(err, wrong) || !strings.Contains(err.Error(), c.said) {
				t.Errorf("%s: %v after %d", name, err, tries)
			}
		}
	})
}
