package runners

import (
	"fmt"
	"net/http"
	"os"
	"strings"
)

// APIKey is a key to an endpoint that cannot be printed, formatted or
// marshalled by accident. It lies behind a pointer, since fmt does not ask the
// methods of a value in an unexported field, but prints what it finds there.
type APIKey struct{ value *string }

// APIKeyFromEnvironment reads a key from the environment variable of that name.
func APIKeyFromEnvironment(variable string) (APIKey, error) {
	value := strings.TrimSpace(os.Getenv(variable))
	if value == "" {
		return APIKey{}, fmt.Errorf("the environment variable %s, which should hold an API key, is not set", variable)
	}
	return APIKey{&value}, nil
}

// String hides the key.
func (k APIKey) String() string {
	if k.value == nil {
		return "(none)"
	}
	return "(hidden)"
}

// Format hides the key from every verb.
func (k APIKey) Format(f fmt.State, _ rune) { fmt.Fprint(f, k.String()) }

// MarshalText hides the key from JSON, YAML and logs.
func (k APIKey) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// authorize puts the key on a request.
func (k APIKey) authorize(req *http.Request) {
	if k.value != nil {
		req.Header.Set("Authorization", "Bearer "+*k.value)
	}
}

// redact removes the key from a text, such as the error of a server that
// repeats what it was sent.
func (k APIKey) redact(text string) string {
	if k.value == nil {
		return text
	}
	return strings.ReplaceAll(text, *k.value, k.String())
}

// dropKeyAcrossHosts is a redirect policy under which no other host, nor the
// same one in the clear, is shown the key.
func dropKeyAcrossHosts(req *http.Request, via []*http.Request) error {
	if len(via) >= 5 {
		return fmt.Errorf("more than 5 redirects")
	}
	if req.URL.Host != via[0].URL.Host || req.URL.Scheme != via[0].URL.Scheme {
		req.Header.Del("Authorization")
	}
	return nil
}
