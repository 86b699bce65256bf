package hub

import (
	"errors"
	"fmt"
	"net/http"

	"infbench/internal/secret"
)

// Error codes that the hub sends in the header X-Error-Code.
const (
	gatedRepo    = "GatedRepo"
	repoNotFound = "RepoNotFound"
)

// explain adds advice for the user to a refused request for reading.
func (c *Client) explain(repo Repo, err error) error {
	var s refusal
	if !errors.As(err, &s) || !errors.Is(err, ErrUnauthorized) {
		return err
	}
	const setToken = "set HF_TOKEN to a token of your account (%s/settings/tokens)"
	code, anonymous := s.Header.Get("X-Error-Code"), c.Token == (secret.Secret{})
	gated := "gated"
	if code != gatedRepo {
		gated = "gated or private"
	}
	switch {
	case code == repoNotFound && anonymous:
		return fmt.Errorf("%w: no such repository, or it is private and needs a token: "+setToken, err, c.Endpoint)
	case code == gatedRepo && !anonymous, s.Code == http.StatusForbidden && !anonymous:
		return fmt.Errorf("%w: %s is gated and the token of HF_TOKEN has no access: accept its terms at %s with that account",
			err, repo.ID, c.Endpoint+repo.path())
	case anonymous:
		return fmt.Errorf("%w: %s is %s: accept its terms at %s, then "+setToken,
			err, repo.ID, gated, c.Endpoint+repo.path(), c.Endpoint)
	}
	return fmt.Errorf("%w: the hub refuses the token of HF_TOKEN or of its login file, or the repository is not there", err)
}
