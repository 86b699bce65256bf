// Package secret holds tokens and API keys. They cannot be printed, formatted or marshalled by
// accident, and are kept from other hosts. The package uses no network.
package secret

import (
	"fmt"
	"log"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"unicode"
)

// Secret is a token or key. Its zero value is empty. The text is behind a pointer, since fmt prints
// unexported fields without calling their methods.
type Secret struct{ value *string }

// New wraps a text; an empty text gives the empty secret.
func New(text string) Secret {
	if text = strings.TrimSpace(text); text == "" {
		return Secret{}
	}
	return Secret{&text}
}

// FromEnvironment reads the environment variable of that name, which must be
// set.
func FromEnvironment(variable string) (Secret, error) {
	s := New(os.Getenv(variable))
	if s.value == nil {
		return s, fmt.Errorf("the environment variable %s, which should hold a key, is not set", variable)
	}
	return s, nil
}

// FromFile reads a file that contains only the key.
func FromFile(path string) (Secret, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Secret{}, fmt.Errorf("read a key: %w", err)
	}
	s := New(string(text))
	if s.value == nil || strings.ContainsFunc(*s.value, unicode.IsSpace) {
		return Secret{}, fmt.Errorf("%s, which should hold a key on one line, does not", path)
	}
	return s, nil
}

// String hides the text.
func (s Secret) String() string {
	if s.value == nil {
		return "(none)"
	}
	return "(hidden)"
}

// Format hides the text from every verb.
func (s Secret) Format(f fmt.State, _ rune) { fmt.Fprint(f, s.String()) }

// MarshalText hides the text from JSON, YAML and logs.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Authorize puts the secret on a request as a bearer token.
func (s Secret) Authorize(req *http.Request) {
	if s.value != nil {
		req.Header.Set("Authorization", "Bearer "+*s.value)
	}
}

// WarnExposed logs a warning if requests to an address would send the secret unencrypted to another
// machine, over plain http.
func (s Secret) WarnExposed(address string) {
	u, err := url.Parse(address)
	if s.value == nil || err != nil || u.Scheme != "http" || isLoopback(u.Hostname()) {
		return
	}
	log.Printf("warning: the key goes to %s unencrypted, and so do the texts; use an address with https", u.Host)
}

// isLoopback reports whether a host is this machine.
func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || err == nil && ip.Unmap().IsLoopback()
}

// googleHeader is the header in which Google's APIs expect a key.
const googleHeader = "X-Goog-Api-Key"

// AuthorizeGoogle adds the secret to a request as a Google API key: in a header, since addresses
// end up in logs.
func (s Secret) AuthorizeGoogle(req *http.Request) {
	if s.value != nil {
		req.Header.Set(googleHeader, *s.value)
	}
}

// Withdraw removes a secret from a request that goes to another host.
func Withdraw(req *http.Request) {
	req.Header.Del("Authorization")
	req.Header.Del(googleHeader)
}
