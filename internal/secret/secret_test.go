package secret

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const text = "s3cr3t-t0ken"

// TestNothingPrintsIt: no way of printing shows the text, not even for values with an unexported
// secret.
func TestNothingPrintsIt(t *testing.T) {
	s := New(text + "\n")
	hidden := struct{ s Secret }{s}
	var printed strings.Builder
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		for _, value := range []any{s, &s, hidden, &hidden, []Secret{s}, map[string]Secret{"k": s}} {
			fmt.Fprintf(&printed, verb, value)
		}
	}
	slog.New(slog.NewTextHandler(&printed, nil)).Info("x", "key", s, "in", hidden)
	slog.New(slog.NewJSONHandler(&printed, nil)).Info("x", "key", s, "in", struct{ S Secret }{s})
	asJSON, err := json.Marshal(map[string]any{"s": s, "p": &s})
	if err != nil {
		t.Fatal(err)
	}
	printed.Write(asJSON)
	for _, form := range []string{text, fmt.Sprintf("%x", text)} {
		if strings.Contains(printed.String(), form) {
			t.Errorf("printed: %s", printed.String())
		}
	}
}

func TestAuthorizeAndRedact(t *testing.T) {
	for _, c := range []struct{ in, header, redacted string }{
		{text, "Bearer " + text, "said (hidden)"},
		{" ", "", "said " + text},
	} {
		s := New(c.in)
		req, err := http.NewRequest(http.MethodGet, "http://localhost/", nil)
		if err != nil {
			t.Fatal(err)
		}
		s.Authorize(req)
		if got := req.Header.Get("Authorization"); got != c.header {
			t.Errorf("header %q, want %q", got, c.header)
		}
		s.AuthorizeGoogle(req)
		if got := req.Header.Get("x-goog-api-key"); got != strings.TrimPrefix(c.header, "Bearer ") {
			t.Errorf("Google's header %q, want %q", got, c.in)
		}
		if got := s.Redact("said " + text); got != c.redacted {
			t.Errorf("redacted %q, want %q", got, c.redacted)
		}
	}
}

func TestFromEnvironment(t *testing.T) {
	t.Setenv("INFBENCH_TEST_KEY", " ")
	if _, err := FromEnvironment("INFBENCH_TEST_KEY"); err == nil || !strings.Contains(err.Error(), "INFBENCH_TEST_KEY") {
		t.Errorf("unset: error %v", err)
	}
}

func TestFromFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	for content, want := range map[string]string{text + "\n": "said (hidden)", "": "", "two words": "", "two\nlines": ""} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := FromFile(path)
		if (err != nil) != (want == "") || err == nil && s.Redact("said "+text) != want || err != nil && strings.Contains(err.Error(), "two") {
			t.Errorf("%q: %v, %v", content, s, err)
		}
	}
	if _, err := FromFile(path + "s"); err == nil {
		t.Error("a file that is not there")
	}
}

// TestWarnExposed: there is a warning if the key would cross a network unencrypted.
func TestWarnExposed(t *testing.T) {
	for address, want := range map[string]bool{
		"http://api.example/v1": true, "http://10.0.0.7:8000/v1": true, "http://localhost.example": true, "http://[2001:db8::1]/v1": true,
		"https://api.example/v1": false, "http://localhost:11434/v1": false, "http://127.0.0.1:8000": false, "http://[::1]:1/v1": false,
		"http://[::ffff:127.0.0.1]/v1": false, "http://a.localhost/v1": false,
	} {
		var said bytes.Buffer
		log.SetOutput(&said)
		New("key").WarnExposed(address)
		New("").WarnExposed("http://api.example")
		log.SetOutput(os.Stderr)
		if got := strings.Contains(said.String(), "unencrypted"); got != want {
			t.Errorf("%s: %q, want a warning: %v", address, &said, want)
		}
	}
}
