package hub

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

// Secret is a token that cannot be printed, formatted or marshalled by
// accident.
type Secret struct{ value string }

// NewSecret wraps a token.
func NewSecret(value string) Secret { return Secret{value} }

// String hides the token.
func (s Secret) String() string {
	if s.value == "" {
		return "(none)"
	}
	return "(hidden)"
}

// GoString hides the token from %#v.
func (s Secret) GoString() string { return s.String() }

// Format hides the token from every verb.
func (s Secret) Format(f fmt.State, _ rune) { fmt.Fprint(f, s.String()) }

// MarshalText hides the token from JSON and YAML.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// authorize puts the token on a request.
func (s Secret) authorize(req *http.Request) {
	if s.value != "" {
		req.Header.Set("Authorization", "Bearer "+s.value)
	}
}

// TokenFromEnvironment finds the hub token where the Python library looks:
// $HF_TOKEN, then the file that its login writes. No token is no error.
func TokenFromEnvironment() Secret {
	if token := strings.TrimSpace(os.Getenv("HF_TOKEN")); token != "" {
		return Secret{token}
	}
	home := os.Getenv("HF_HOME")
	if home == "" {
		user, err := os.UserHomeDir()
		if err != nil {
			return Secret{}
		}
		home = filepath.Join(user, ".cache", "huggingface")
	}
	data, err := os.ReadFile(filepath.Join(home, "token"))
	if err != nil {
		return Secret{}
	}
	return Secret{strings.TrimSpace(string(data))}
}
