package endpoint

import (
	"encoding/json"
	"fmt"
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

// TestDecode: each kind of answer that is not JSON is named; a truncated one is a temporary
// failure.
func TestDecode(t *testing.T) {
	for body, want := range map[string]string{
		`{"n": 3}`:                               "",
		"\ufeff{\"n\": 3}":                       "",
		"\n\n  {\"n\": 3}\n":                     "",
		"<html><body>Sign in</body></html>":      "read answer: the answer is an HTML page, not JSON",
		"\n<!DOCTYPE html>\n<html lang=\"en\">":  "read answer: the answer is an HTML page, not JSON",
		"<!-- gateway --><p>no":                  "read answer: the answer is an HTML page, not JSON",
		`<?xml version="1.0"?><Error>no</Error>`: "read answer: the answer is XML or an HTML page, not JSON",
		"data: {\"n\": 3}\n\ndata: [DONE]\n\n":   "read answer: the answer is a stream of events, not JSON",
		"no healthy upstream":                    "read answer: invalid character 'o' in literal null (expecting 'u')",
		`{"n": 3`:                                "read answer: it breaks off: unexpected EOF",
		"":                                       "read answer: it breaks off: EOF",
	} {
		var into struct{ N int }
		err := Decode([]byte(body), &into)
		if got := fmt.Sprint(err); err == nil && (want != "" || into.N != 3) || err != nil && got != want {
			t.Errorf("%q: %v, %d; want %q", body, err, into.N, want)
		}
	}
}

func TestCount(t *testing.T) {
	for text, want := range map[string]Count{`12`: 12, `12.0`: 12, `"12"`: 12, `1.2e1`: 12, `null`: 0, `"many"`: 0, `-3`: 0, `{"a": 1}`: 0, `[12]`: 0, `1e300`: 0, `""`: 0} {
		got := Count(7)
		if err := json.Unmarshal([]byte(text), &got); err != nil || text != "null" && got != want {
			t.Errorf("%s: %d, %v; want %d", text, got, err, want)
		}
	}
}

// TestTooMuch uses messages of real servers.
func TestTooMuch(t *testing.T) {
	for _, c := range []struct {
		status int
		said   string
		want   bool
	}{
		{400, "Value error, batch size is invalid, it should not be larger than 10.: input.contents", true},                                    // DashScope
		{422, "batch size 33 > maximum allowed batch size 32", true},                                                                           // Text Embeddings Inference
		{400, "Invalid 'input': array too long. Expected an array with maximum length 2048, but got an array with length 3000 instead.", true}, // OpenAI
		{400, "Requested 400000 tokens, max 300000 tokens per request", true},                                                                  // OpenAI
		{400, "Too many inputs. The max number of inputs is 16.", true},                                                                        // Azure
		{400, "invalid request: total number of texts must be at most 96 - received 97", true},                                                 // Cohere
		{400, "* BatchEmbedContentsRequest.requests: at most 100 requests can be in one batch", true},                                          // Google
		{413, "", true},
		{400, "no such model", false},
		{401, "batch", false},
		{404, "batch size", false},
		{500, "batch too large", false},
	} {
		if got := isTooMuch(c.status, []byte(c.said)); got != c.want {
			t.Errorf("%d %q: %t", c.status, c.said, got)
		}
	}
}
