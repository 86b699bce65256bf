package endpoint

import (
	"strings"
	"testing"
	"time"
)

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	for header, want := range map[string]time.Duration{
		"30": 30 * time.Second, "0.5": time.Second / 2, "Mon, 23 Nov 2026 12:01:00 GMT": time.Minute,
		"Mon, 23 Nov 2026 11:00:00 GMT": 0, "-1": 0, "1e9": 0, "NaN": 0, "soon": 0, "": 0,
	} {
		if got := retryAfter(header, now); got != want {
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
