package hub

import (
	"os"
	"path/filepath"

	"infbench/internal/secret"
)

// TokenFromEnvironment finds the hub token in the same places as the Python library: $HF_TOKEN,
// then the file written by its login. A missing token is not an error.
func TokenFromEnvironment() secret.Secret {
	if token, err := secret.FromEnvironment("HF_TOKEN"); err == nil {
		return token
	}
	home := os.Getenv("HF_HOME")
	if home == "" {
		user, err := os.UserHomeDir()
		if err != nil {
			return secret.Secret{}
		}
		home = filepath.Join(user, ".cache", "huggingface")
	}
	data, err := os.ReadFile(filepath.Join(home, "token"))
	if err != nil {
		return secret.Secret{}
	}
	return secret.New(string(data))
}
