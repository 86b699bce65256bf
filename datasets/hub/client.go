package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"infbench/internal/endpoint"
	"infbench/internal/secret"
)

// DefaultEndpoint is the public hub; $HF_ENDPOINT names another.
const DefaultEndpoint = "https://huggingface.co"

// Client talks to a hub and keeps what it fetches in a cache folder. Make one
// with NewClient.
type Client struct {
	Endpoint string
	Token    secret.Secret
	Cache    string
	Parallel int           // files at a time
	Attempts int           // tries of one request before giving up
	Stall    time.Duration // how long a connection may send nothing
	Offline  bool          // open no socket: every request is an error
	// Progress, where set, is told of bytes as they are written; calls may come
	// from several goroutines.
	Progress func(file string, written, size int64)

	http  *http.Client
	sleep func(ctx context.Context, d time.Duration) error
}

// NewClient returns a client with the environment's endpoint, token and cache.
func NewClient() (*Client, error) {
	cache, err := DefaultCache()
	if err != nil {
		return nil, err
	}
	endpoint := strings.TrimRight(os.Getenv("HF_ENDPOINT"), "/")
	if endpoint == "" {
		endpoint = DefaultEndpoint
	}
	token := TokenFromEnvironment()
	token.WarnExposed(endpoint)
	return &Client{
		Endpoint: endpoint,
		Token:    token,
		Cache:    cache,
		Parallel: 4,
		Attempts: 6,
		Stall:    30 * time.Second,
		http:     &http.Client{Transport: newTransport(), CheckRedirect: secret.SameHostOnly},
		sleep:    sleep,
	}, nil
}

// newTransport bounds every phase before the body, which is watched as it is read.
func newTransport() http.RoundTripper {
	endpoint.Trust()
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 20 * time.Second}).DialContext,
		TLSHandshakeTimeout:   20 * time.Second,
		ResponseHeaderTimeout: 60 * time.Second,
		ForceAttemptHTTP2:     true,
	}
}

// Errors that a caller may want to tell apart.
var (
	ErrOffline      = errors.New("offline: no connection is opened")
	ErrNotFound     = errors.New("not found on the hub")
	ErrUnauthorized = errors.New("access refused by the hub")
)

// statusError is an answer that is no success.
type statusError struct {
	status     int
	code       string // why, in the hub's words: "GatedRepo"
	retryAfter time.Duration
}

func (e *statusError) Error() string {
	return fmt.Sprintf("the hub answered %d %s", e.status, http.StatusText(e.status))
}

// Unwrap gives the kinds of refusal a name.
func (e *statusError) Unwrap() error {
	switch e.status {
	case http.StatusNotFound:
		return ErrNotFound
	case http.StatusUnauthorized, http.StatusForbidden:
		return ErrUnauthorized
	}
	return nil
}

// passing says whether the same request may succeed later.
func passing(err error) bool {
	var s *statusError
	if errors.As(err, &s) {
		return s.status == http.StatusTooManyRequests || s.status == http.StatusRequestTimeout || s.status >= 500
	}
	var local *localError
	return !errors.As(err, &local) && !errors.Is(err, ErrOffline) && !errors.Is(err, context.Canceled) && !errors.Is(err, ErrDamaged)
}

// localError is a failure of this machine's disk, which no retry mends.
type localError struct{ err error }

func (e *localError) Error() string { return e.err.Error() }
func (e *localError) Unwrap() error { return e.err }

// retry runs try until it succeeds, fails for good or has been tried often
// enough, waiting longer each time, or as long as the hub asks.
func (c *Client) retry(ctx context.Context, what string, try func() error) error {
	for attempt := 1; ; attempt++ {
		err := try()
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("%s: %w", what, ctx.Err())
		}
		if !passing(err) {
			return fmt.Errorf("%s: %w", what, err)
		}
		if attempt >= c.Attempts {
			return fmt.Errorf("%s: gave up after %d attempts: %w", what, attempt, err)
		}
		if err := c.sleep(ctx, backoff(attempt, err)); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
	}
}

// maxRetryAfter bounds how long a hub can make us wait.
const maxRetryAfter = 5 * time.Minute

// backoff is how long to wait after a failed attempt: what the hub asks for, or
// 1, 2, 4, ... seconds with a random half, so that many clients do not return
// together.
func backoff(attempt int, err error) time.Duration {
	var s *statusError
	if errors.As(err, &s) && s.retryAfter > 0 {
		return min(s.retryAfter, maxRetryAfter)
	}
	base := time.Second << min(attempt-1, 6)
	return base/2 + rand.N(base/2)
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// get sends one request and returns a successful answer with its body open.
func (c *Client) get(ctx context.Context, url string, header http.Header) (*http.Response, error) {
	if c.Offline {
		return nil, ErrOffline
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	for name, values := range header {
		req.Header[name] = values
	}
	req.Header.Set("User-Agent", "infbench")
	c.Token.Authorize(req)
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusPartialContent {
		resp.Body.Close()
		return nil, &statusError{status: resp.StatusCode, code: resp.Header.Get("X-Error-Code"), retryAfter: retryAfter(resp.Header.Get("Retry-After"))}
	}
	return resp, nil
}

// retryAfter reads the header's two forms, seconds and a date; 0 if neither.
func retryAfter(value string) time.Duration {
	if seconds, err := strconv.ParseFloat(value, 64); err == nil && seconds >= 0 {
		return time.Duration(min(seconds, maxRetryAfter.Seconds()) * float64(time.Second))
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}

// Resolve asks the hub for the commit of a repository's revision and its files.
func (c *Client) Resolve(ctx context.Context, repo Repo) (*Snapshot, error) {
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
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		resp, err := c.get(ctx, repo.infoURL(c.Endpoint), nil)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		body := c.watch(ctx, cancel, resp.Body)
		defer body.stop()
		const largest = 64 << 20
		return json.NewDecoder(io.LimitReader(body, largest)).Decode(&info)
	})
	if err != nil {
		return nil, c.explain(repo, err)
	}
	if !isHex(info.SHA, 40) {
		return nil, fmt.Errorf("resolve %s: the hub named no commit", repo)
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

// isHex says whether s is n lower-case hexadecimal digits.
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
