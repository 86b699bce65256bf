package hub

import (
	"os"
	"path/filepath"

	"infbench/internal/secret"
)

// TokenFromEnvironment finds the hub token where the Python library looks:
// $HF_TOKEN, then the file that its login writes. No token is no error.
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
