package hub

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"infbench/internal/endpoint"
)

// TestRefusals answers as the hub does if a repository is gated, private or missing
// (huggingface_hub's utils/_http.py reads the same headers).
func TestRefusals(t *testing.T) {
	const files, info = "/datasets/org/name/resolve/", "/api/datasets/org/name/"
	for _, c := range []struct {
		name, path, token, code string
		status                  int
		want                    []string
		not                     string
	}{
		{"gated, no token", files, "", "GatedRepo", 401,
			[]string{"is gated", "/datasets/org/name", "accept its terms", "HF_TOKEN"}, "has no access"},
		{"gated, info too", info, "", "GatedRepo", 401, []string{"is gated", "HF_TOKEN"}, "has no access"},
		{"gated, terms not accepted", files, "hf_secret", "GatedRepo", 403,
			[]string{"is gated", "accept its terms", "the token of HF_TOKEN has no access"}, "hf_secret"},
		{"not there or private", info, "", "RepoNotFound", 401, []string{"no such repository, or it is private", "HF_TOKEN"}, "gated"},
		{"a token that is none", info, "hf_secret", "", 401, []string{"the hub refuses the token of HF_TOKEN"}, "gated"},
	} {
		h := newFakeHub(t, testFiles)
		h.broken = func(w http.ResponseWriter, r *http.Request, _ int) bool {
			if !strings.HasPrefix(r.URL.Path, c.path) {
				return false
			}
			w.Header().Set("X-Error-Code", c.code)
			w.WriteHeader(c.status)
			return true
		}
		t.Setenv("HF_TOKEN", c.token)
		t.Setenv("HF_HOME", t.TempDir())
		client, _ := h.bounded(t, endpoint.Options{})
		_, _, err := fetchAll(client)
		if !errors.Is(err, ErrUnauthorized) {
			t.Fatalf("%s: %v", c.name, err)
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v; want %q", c.name, err, want)
			}
		}
		if c.not != "" && strings.Contains(err.Error(), c.not) {
			t.Errorf("%s: %v; want no %q", c.name, err, c.not)
		}
	}
}
