package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"infbench/datasets/chat"
	"infbench/datasets/hub"
	"infbench/internal/secret"
	"infbench/runners"
	"infbench/runners/approximate"
)

const clientKey = "sk-canary-0123456789"

// client is an HTTP client of infbench.
type client struct {
	name   string
	open   func(t *testing.T, address string) (ask func(context.Context) error)
	answer string // a valid answer
	keyed  bool
	posts  bool // it sends texts or vectors, which must go to no other host
	tries  int
	limit  int // size limit of an answer in bytes; 0: too large for a test
}

// clients are all HTTP clients, each with one request.
func clients() []client {
	key := secret.New(clientKey)
	return []client{
		{"hub", func(t *testing.T, address string) func(context.Context) error {
			t.Setenv("HF_ENDPOINT", address)
			t.Setenv("HF_TOKEN", clientKey)
			t.Setenv("HF_HUB_CACHE", t.TempDir())
			c, err := hub.NewClient()
			fatal(t, err)
			return func(ctx context.Context) error {
				_, err := c.Resolve(ctx, hub.Repo{Kind: hub.Dataset, ID: "org/name"})
				return err
			}
		}, `{"sha": "` + strings.Repeat("0", 40) + `"}`, true, false, 6, 65 << 20},
		{"chat", func(t *testing.T, address string) func(context.Context) error {
			c, err := chat.NewClient(chat.Options{BaseURL: address, Key: key})
			fatal(t, err)
			return func(ctx context.Context) error {
				_, err := c.Ask(ctx, chat.Request{Model: "m", Messages: []chat.Message{{Role: chat.User, Text: "Why?"}}})
				return err
			}
		}, `{"choices": [{"message": {"content": "Because."}}]}`, true, true, 8, 9 << 20},
		{"embeddings", func(t *testing.T, address string) func(context.Context) error {
			r, err := runners.NewRemote(runners.RemoteOptions{BaseURL: address, Key: key, Model: "m", Dim: 1})
			fatal(t, err)
			return func(ctx context.Context) error {
				return r.EncodeDocuments(ctx, []string{""}, []string{"text"}, make([]float32, 1))
			}
		}, `{"data": [{"index": 0, "embedding": [1]}]}`, true, true, 8, 1 << 20},
		{"index server", func(t *testing.T, address string) func(context.Context) error {
			c, err := approximate.NewChroma(address)
			fatal(t, err)
			return func(ctx context.Context) error { _, err := c.Held(ctx, approximate.Opened{}, []int32{1}); return err }
		}, `{"ids": []}`, false, true, 8, 0},
	}
}

func fatal(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestClients: all clients follow the policy of endpoint.Client. The same faults end alike in
// each, and no error shows a key.
func TestClients(t *testing.T) {
	refuse := func(status int, header, value string) func(http.ResponseWriter, *client) {
		return func(w http.ResponseWriter, _ *client) {
			w.Header().Set(header, value)
			w.WriteHeader(status)
			fmt.Fprint(w, "wrong key "+clientKey)
		}
	}
	for name, fault := range map[string]struct {
		answer   func(w http.ResponseWriter, c *client)
		times    int    // how often this answer is given
		requests int    // 0: as many as the client tries
		want     string // part of the error; "": no error
	}{
		"refused":            {refuse(403, "", ""), 99, 1, "403"},
		"fails once":         {refuse(503, "Retry-After", "0.001"), 1, 2, ""},
		"fails for ever":     {refuse(503, "Retry-After", "0.001"), 99, 0, "gave up after "},
		"limited for longer": {refuse(429, "Retry-After", "3600"), 99, 1, "asks to wait 1h0m0s, longer than is left"},
		"not JSON":           {func(w http.ResponseWriter, _ *client) { fmt.Fprint(w, clientKey) }, 99, 1, "read answer: invalid character"},
		"too long":           {func(w http.ResponseWriter, c *client) { w.Write(bytes.Repeat([]byte(" "), c.limit)) }, 99, 1, "read answer: more than"},
	} {
		for _, c := range clients() {
			if name == "too long" && c.limit == 0 {
				continue
			}
			t.Run(name+"/"+c.name, func(t *testing.T) {
				requests := 0
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					requests++
					if r.UserAgent() != "infbench" || c.keyed != (r.Header.Get("Authorization") == "Bearer "+clientKey) || c.posts != (r.Method == http.MethodPost) {
						t.Errorf("%s %s", r.Method, r.Header)
					}
					if requests <= fault.times {
						fault.answer(w, &c)
						return
					}
					fmt.Fprint(w, c.answer)
				}))
				defer server.Close()
				err := c.open(t, server.URL)(t.Context())
				if (err == nil) != (fault.want == "") || err != nil && !strings.Contains(err.Error(), fault.want) || requests != cmp.Or(fault.requests, c.tries) {
					t.Errorf("%d requests, want %d: %v, want %q", requests, cmp.Or(fault.requests, c.tries), err, fault.want)
				}
				if c.keyed && strings.Contains(fmt.Sprintf("%v %+v %#v", err, err, err), clientKey[:len(clientKey)/2]) {
					t.Errorf("the error shows the key: %v", err)
				}
			})
		}
	}
}

// TestClientsRedirected: texts and vectors are sent to no other host. Downloads may come from
// another host, which does not get the key.
func TestClientsRedirected(t *testing.T) {
	for _, c := range clients() {
		t.Run(c.name, func(t *testing.T) {
			sent := 0
			other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				sent++
				if r.Header.Get("Authorization") != "" {
					t.Errorf("the other host is shown %s", r.Header)
				}
				fmt.Fprint(w, c.answer)
			}))
			defer other.Close()
			server := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
			defer server.Close()
			err := c.open(t, server.URL)(t.Context())
			if c.posts && (sent != 0 || err == nil || !strings.Contains(err.Error(), "redirects to "+other.URL+", where nothing was sent")) || !c.posts && (sent != 1 || err != nil) {
				t.Errorf("%d requests to another host: %v", sent, err)
			}
		})
	}
}
