package hub

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"

	"infbench/internal/endpoint"
	"infbench/internal/secret"
)

// DefaultEndpoint is the public hub; $HF_ENDPOINT overrides it.
const DefaultEndpoint = "https://huggingface.co"

// Client talks to a hub and stores downloads in a cache folder. Create it with NewClient.
type Client struct {
	Endpoint string
	Token    secret.Secret
	Cache    string
	Parallel int  // concurrent files
	Offline  bool // never connect: every request is an error; NewClient sets it as OfflineByEnvironment says
	// Notice, if set, is called with the failure of a request before another attempt.
	Notice func(text string)
	// Progress, if set, is called as bytes are written, possibly from several goroutines.
	Progress func(file string, written, size int64)

	http *endpoint.Client
}

// NewClient returns a client with the environment's endpoint, token and cache.
func NewClient() (*Client, error) {
	return clientWithin(endpoint.Options{Attempts: 6}) // half a minute: a person waits
}

// clientWithin is like NewClient with other limits of requests.
func clientWithin(o endpoint.Options) (*Client, error) {
	cache, err := DefaultCache()
	if err != nil {
		return nil, err
	}
	o.Address, o.Key = cmp.Or(os.Getenv("HF_ENDPOINT"), DefaultEndpoint), TokenFromEnvironment()
	sender, err := endpoint.New(o)
	if err != nil {
		return nil, fmt.Errorf("HF_ENDPOINT: %w", err)
	}
	return &Client{Endpoint: sender.Address, Token: o.Key, Cache: cache, Parallel: 4, Offline: OfflineByEnvironment() != "", http: sender}, nil
}

// OfflineByEnvironment returns the environment variable that forbids connections, "" if none does:
// HF_HUB_OFFLINE, or TRANSFORMERS_OFFLINE if that is empty, with the value 1, ON, YES or TRUE in any
// case, as the Python library reads them (huggingface_hub 1.x, constants.py).
func OfflineByEnvironment() string {
	for _, name := range []string{"HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"} {
		switch value := os.Getenv(name); strings.ToUpper(value) {
		case "":
		case "1", "ON", "YES", "TRUE":
			return name
		default:
			return ""
		}
	}
	return ""
}

// Errors that a caller may distinguish.
var (
	ErrOffline      = errors.New("offline: connections are disabled")
	ErrNotFound     = errors.New("not found on the hub")
	ErrUnauthorized = errors.New("access refused by the hub")
)

// refusal is an unsuccessful response of the hub.
type refusal struct{ *endpoint.Status }

func (e refusal) Error() string {
	return fmt.Sprintf("the hub answered %d %s", e.Code, http.StatusText(e.Code))
}

// Unwrap returns the error value for the kind of refusal.
func (e refusal) Unwrap() error {
	switch e.Code {
	case http.StatusNotFound:
		return ErrNotFound
	case http.StatusUnauthorized, http.StatusForbidden:
		return ErrUnauthorized
	}
	return nil
}

// refused returns a refusal as an error with the hub's message instead of a page for browsers.
func refused(err error) error {
	var status *endpoint.Status
	if !errors.As(err, &status) {
		return err
	}
	var passing *endpoint.Passing
	if errors.As(err, &passing) {
		return &endpoint.Passing{Err: refusal{status}, RetryAfter: passing.RetryAfter}
	}
	return refusal{status}
}

// retry calls try, which sends a request, again if that may help.
func (c *Client) retry(ctx context.Context, what string, try func() error) error {
	if c.Offline {
		return fmt.Errorf("%s: %w", what, ErrOffline)
	}
	attempt := 0
	err := c.http.Retry(ctx, func() error {
		err := refused(try())
		if attempt++; c.Notice != nil && ctx.Err() == nil && errors.As(err, new(*endpoint.Passing)) && attempt < c.http.Attempts {
			c.Notice(fmt.Sprintf("%s: %v; attempt %d of %d", what, err, attempt, c.http.Attempts))
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// Resolve asks the hub for the commit of a repository's revision and its files.
func (c *Client) Resolve(ctx context.Context, repo Repo) (*Snapshot, error) {
	s, err := c.resolve(ctx, repo)
	return s, c.explain(repo, err)
}

// resolve is Resolve without advice in its error.
func (c *Client) resolve(ctx context.Context, repo Repo) (*Snapshot, error) {
	if err := repo.Check(); err != nil {
		return nil, err
	}
	var info struct {
		SHA      string `json:"sha"`
		Siblings []struct {
			Name   string `json:"rfilename"`
			Size   int64  `json:"size"`
			BlobID string `json:"blobId"`
			LFS    *struct {
				SHA256 string `json:"sha256"`
				Size   int64  `json:"size"`
			} `json:"lfs"`
		} `json:"siblings"`
	}
	err := c.retry(ctx, "resolve "+repo.String(), func() error {
		const largest = 64 << 20
		answer, err := c.http.Send(ctx, endpoint.Request{Path: repo.infoPath()}, largest)
		if err != nil {
			return err
		}
		return endpoint.Decode(answer, &info)
	})
	if err != nil {
		return nil, err
	}
	if !isHex(info.SHA, 40) {
		return nil, fmt.Errorf("resolve %s: the hub returned no commit", repo)
	}
	s := &Snapshot{Repo: repo, Commit: info.SHA}
	for _, f := range info.Siblings {
		file := File{Path: f.Name, Size: f.Size, Blob: f.BlobID}
		want := 40
		if f.LFS != nil {
			file.Size, file.Blob, file.LFS, want = f.LFS.Size, f.LFS.SHA256, true, 64
		}
		if err := checkPath(file.Path); err != nil {
			return nil, fmt.Errorf("resolve %s: %w", repo, err)
		}
		if !isHex(file.Blob, want) || file.Size < 0 {
			return nil, fmt.Errorf("resolve %s: file %q has no usable hash or size", repo, file.Path)
		}
		s.Files = append(s.Files, file)
	}
	return s, nil
}

// isHex reports whether s consists of n lower-case hexadecimal digits.
func isHex(s string, n int) bool {
	if len(s) != n {
		return false
	}
	for _, r := range s {
		if !strings.ContainsRune("0123456789abcdef", r) {
			return false
		}
	}
	return true
}
