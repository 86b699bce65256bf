package hub

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"infbench/internal/endpoint"
)

const testCommit = "0123456789abcdef0123456789abcdef01234567"

// fakeHub serves one data set like the hub: files ending in .parquet as LFS, others by git hash.
type fakeHub struct {
	*httptest.Server
	files map[string]string

	mu       sync.Mutex
	requests []string // "GET path" with the Range, if any
	// broken, if set, may answer a request itself; n counts the requests for that path from 1.
	broken func(w http.ResponseWriter, r *http.Request, n int) (answered bool)
	counts map[string]int
}

func newFakeHub(t *testing.T, files map[string]string) *fakeHub {
	h := &fakeHub{files: files, counts: map[string]int{}}
	h.Server = httptest.NewServer(http.HandlerFunc(h.serve))
	t.Cleanup(h.Close)
	return h
}

// mend ends the fault, while requests may still be open.
func (h *fakeHub) mend() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.broken = nil
}

func (h *fakeHub) serve(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	h.counts[r.URL.Path]++
	n := h.counts[r.URL.Path]
	h.requests = append(h.requests, strings.TrimSpace(r.URL.Path+" "+r.Header.Get("Range")))
	broken := h.broken
	h.mu.Unlock()
	if broken != nil && broken(w, r, n) {
		return
	}
	if strings.HasPrefix(r.URL.Path, "/api/datasets/org/name/revision/") {
		h.info(w)
		return
	}
	name, ok := strings.CutPrefix(r.URL.Path, "/datasets/org/name/resolve/"+testCommit+"/")
	content, found := h.files[name]
	if !ok || !found {
		http.NotFound(w, r)
		return
	}
	http.ServeContent(w, r, "", time.Time{}, strings.NewReader(content))
}

func (h *fakeHub) info(w http.ResponseWriter) {
	type lfs struct {
		SHA256 string `json:"sha256"`
		Size   int    `json:"size"`
	}
	type sibling struct {
		Name string `json:"rfilename"`
		Size int    `json:"size"`
		Blob string `json:"blobId"`
		LFS  *lfs   `json:"lfs,omitempty"`
	}
	var siblings []sibling
	for name, content := range h.files {
		git := sha1.Sum([]byte(fmt.Sprintf("blob %d\x00%s", len(content), content)))
		s := sibling{Name: name, Size: len(content), Blob: hex.EncodeToString(git[:])}
		if strings.HasSuffix(name, ".parquet") {
			sum := sha256.Sum256([]byte(content))
			s.LFS = &lfs{hex.EncodeToString(sum[:]), len(content)}
		}
		siblings = append(siblings, s)
	}
	json.NewEncoder(w).Encode(map[string]any{"sha": testCommit, "siblings": siblings})
}

// client returns a client of the fake hub with an empty cache. It records its sleeps instead of
// sleeping.
func (h *fakeHub) client(t *testing.T) (c *Client, slept *[]time.Duration) {
	t.Setenv("HF_TOKEN", "hf_secret")
	return h.bounded(t, endpoint.Options{Stall: time.Minute, Attempts: 6})
}

// bounded is like client with the token of the environment and other limits of requests.
func (h *fakeHub) bounded(t *testing.T, o endpoint.Options) (c *Client, slept *[]time.Duration) {
	t.Setenv("HF_ENDPOINT", h.URL)
	t.Setenv("HF_HUB_CACHE", t.TempDir())
	slept = new([]time.Duration)
	var mu sync.Mutex
	o.Sleep = func(_ context.Context, d time.Duration) error {
		mu.Lock()
		defer mu.Unlock()
		*slept = append(*slept, d)
		return nil
	}
	c, err := clientWithin(o)
	if err != nil {
		t.Fatal(err)
	}
	return c, slept
}

var testRepo = Repo{Kind: Dataset, ID: "org/name"}

// fetchAll resolves and fetches the entire test repository.
func fetchAll(c *Client) (dir string, locked []LockedFile, err error) {
	s, err := c.Resolve(context.Background(), testRepo)
	if err != nil {
		return "", nil, err
	}
	return c.Fetch(context.Background(), s, nil)
}
