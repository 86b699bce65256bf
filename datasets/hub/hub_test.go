package hub

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"infbench/internal/endpoint"
	"infbench/internal/testkit/tracer"
)

var testFiles = map[string]string{
	"README.md":                  "# a data set\n",
	"corpus/part-0.parquet":      strings.Repeat("0123456789abcdef", 40_000),
	"queries/train.jsonl":        `{"_id":"1"}` + "\n",
	"deep/er/name with space.md": "x",
}

func TestFetchLaysOutTheCacheAsPythonDoes(t *testing.T) {
	h := newFakeHub(t, testFiles)
	c, _ := h.client(t)
	dir, locked, err := fetchAll(c)
	if err != nil {
		t.Fatal(err)
	}
	base := filepath.Join(c.Cache, "datasets--org--name")
	if want := filepath.Join(base, "snapshots", testCommit); dir != want {
		t.Errorf("snapshot is %s, want %s", dir, want)
	}
	for name, want := range testFiles {
		path := filepath.Join(dir, filepath.FromSlash(name))
		got, err := os.ReadFile(path)
		if err != nil || string(got) != want {
			t.Errorf("%s: %d bytes, %v; want %d", name, len(got), err, len(want))
		}
		target, err := os.Readlink(path)
		if err != nil || !strings.Contains(target, filepath.Join("..", "..", "blobs")) {
			t.Errorf("%s links to %q, %v; want a relative link into blobs", name, target, err)
		}
	}
	if ref, err := os.ReadFile(filepath.Join(base, "refs", "main")); err != nil || string(ref) != testCommit {
		t.Errorf("refs/main = %q, %v", ref, err)
	}
	for _, f := range locked {
		sum := sha256.Sum256([]byte(testFiles[f.Path]))
		if f.SHA256 != hex.EncodeToString(sum[:]) || f.Size != int64(len(testFiles[f.Path])) {
			t.Errorf("locked %+v", f)
		}
	}

	before := len(h.requests)
	if _, _, err := fetchAll(c); err != nil {
		t.Fatal(err)
	}
	if again := h.requests[before:]; len(again) != 1 {
		t.Errorf("fetching again asked for %v, want only the file list", again)
	}
	c.Offline = true
	if local, commit, err := c.Local(testRepo); err != nil || local != dir || commit != testCommit {
		t.Errorf("Local = %s, %s, %v", local, commit, err)
	}
}

// The environment forbids connections as in the Python library (huggingface_hub 1.x, constants.py:
// _is_true of HF_HUB_OFFLINE or TRANSFORMERS_OFFLINE).
func TestOfflineByEnvironment(t *testing.T) {
	for _, c := range []struct{ hub, transformers, want string }{
		{"1", "", "HF_HUB_OFFLINE"}, {"ON", "", "HF_HUB_OFFLINE"}, {"yes", "", "HF_HUB_OFFLINE"}, {"True", "", "HF_HUB_OFFLINE"},
		{"", "", ""}, {"0", "", ""}, {"false", "", ""}, {"2", "", ""}, {" 1", "", ""}, {"y", "", ""},
		{"", "1", "TRANSFORMERS_OFFLINE"}, {"0", "1", ""}, {"1", "0", "HF_HUB_OFFLINE"}, {"", "0", ""},
	} {
		t.Setenv("HF_HUB_OFFLINE", c.hub)
		t.Setenv("TRANSFORMERS_OFFLINE", c.transformers)
		client, err := NewClient()
		if got := OfflineByEnvironment(); got != c.want || err != nil || client.Offline != (c.want != "") {
			t.Errorf("%+v: %q, %v", c, got, err)
		}
	}
}

func TestOfflineOpensNoSocket(t *testing.T) {
	h := newFakeHub(t, testFiles)
	c, _ := h.client(t)
	if _, _, err := fetchAll(c); err != nil {
		t.Fatal(err)
	}
	h.Close() // any connection would now fail
	c.Offline = true
	if _, _, err := c.Local(testRepo); err != nil {
		t.Errorf("Local: %v", err)
	}
	if _, err := c.Resolve(context.Background(), testRepo); !errors.Is(err, ErrOffline) {
		t.Errorf("Resolve: %v, want ErrOffline", err)
	}
	if _, _, err := c.Local(Repo{Kind: Dataset, ID: "org/other"}); err == nil || !strings.Contains(err.Error(), "fetch it first") {
		t.Errorf("Local of a repository never fetched: %v", err)
	}
}

// TestFaults: each fault of a hub either gives the right error or is overcome. No partial file has
// a final name, and once the fault is over, fetching again completes.
func TestFaults(t *testing.T) {
	status := func(code int) func(http.ResponseWriter, *http.Request, int) bool {
		return func(w http.ResponseWriter, r *http.Request, _ int) bool {
			if !strings.Contains(r.URL.Path, "part-0") {
				return false
			}
			w.WriteHeader(code)
			return true
		}
	}
	// once applies a fault to the first request for the large file.
	once := func(fault func(w http.ResponseWriter, r *http.Request)) func(http.ResponseWriter, *http.Request, int) bool {
		return func(w http.ResponseWriter, r *http.Request, n int) bool {
			if n > 1 || !strings.Contains(r.URL.Path, "part-0") {
				return false
			}
			fault(w, r)
			return true
		}
	}
	half := testFiles["corpus/part-0.parquet"][:len(testFiles["corpus/part-0.parquet"])/2]
	whole := len(testFiles["corpus/part-0.parquet"])
	cutOff := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(whole))
		io.WriteString(w, half)
		panic(http.ErrAbortHandler)
	}
	for _, c := range []struct {
		name   string
		broken func(http.ResponseWriter, *http.Request, int) bool
		want   error  // nil: overcome
		text   string // in the error
	}{
		{"401", status(401), ErrUnauthorized, "401 Unauthorized"},
		{"403", status(403), ErrUnauthorized, "403"},
		{"404", status(404), ErrNotFound, "corpus/part-0.parquet"},
		{"5xx for ever", status(503), nil, "gave up after 6 attempts"},
		{"500 once", once(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }), nil, ""},
		{"429 with Retry-After", once(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(429)
		}), nil, ""},
		{"cut off in the middle", once(cutOff), nil, ""},
		{"flipped byte", func(w http.ResponseWriter, r *http.Request, _ int) bool {
			if !strings.Contains(r.URL.Path, "part-0") {
				return false
			}
			fmt.Fprint(w, "X"+testFiles["corpus/part-0.parquet"][1:])
			return true
		}, ErrDamaged, "corpus/part-0.parquet"},
		{"too long", func(w http.ResponseWriter, r *http.Request, _ int) bool {
			if !strings.Contains(r.URL.Path, "part-0") {
				return false
			}
			fmt.Fprint(w, testFiles["corpus/part-0.parquet"]+"more")
			return true
		}, ErrDamaged, "longer than"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newFakeHub(t, testFiles)
			h.broken = c.broken
			client, slept := h.client(t)
			_, _, err := fetchAll(client)
			if c.text == "" {
				if err != nil {
					t.Fatalf("not overcome: %v", err)
				}
				if c.name == "429 with Retry-After" && !slices.Contains(*slept, 7*time.Second) {
					t.Errorf("slept %v, want the 7 s that the hub asked for", *slept)
				}
				if c.name == "cut off in the middle" && !slices.ContainsFunc(h.requests, func(r string) bool {
					return strings.Contains(r, "part-0.parquet bytes=") && !strings.HasSuffix(r, "bytes=0-")
				}) {
					t.Errorf("requests %v: want the rest asked for, not the whole file", h.requests)
				}
				return
			}
			if err == nil || c.want != nil && !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
				t.Fatalf("error = %v, want %v with %q", err, c.want, c.text)
			}
			if strings.Contains(err.Error(), "hf_secret") {
				t.Errorf("the error shows the token: %v", err)
			}
			checkNothingHalf(t, client.Cache)
			h.mend()
			if _, _, err := fetchAll(client); err != nil {
				t.Errorf("fetching again: %v", err)
			}
		})
	}
}

// checkNothingHalf fails if the snapshot contains the large file or the branch points to an
// incomplete snapshot.
func checkNothingHalf(t *testing.T, cache string) {
	t.Helper()
	base := filepath.Join(cache, "datasets--org--name")
	for _, name := range []string{filepath.Join("snapshots", testCommit, "corpus", "part-0.parquet"), filepath.Join("refs", "main")} {
		if _, err := os.Lstat(filepath.Join(base, name)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s exists after a failed fetch", name)
		}
	}
}

func TestStalledConnection(t *testing.T) {
	h := newFakeHub(t, testFiles)
	release := make(chan struct{})
	defer close(release)
	h.broken = func(w http.ResponseWriter, r *http.Request, n int) bool {
		if n > 1 || !strings.Contains(r.URL.Path, "part-0") {
			return false
		}
		w.Header().Set("Content-Length", "640000")
		io.WriteString(w, testFiles["corpus/part-0.parquet"][:1000])
		w.(http.Flusher).Flush()
		select {
		case <-release:
		case <-r.Context().Done():
		}
		return true
	}
	c, _ := h.bounded(t, endpoint.Options{Stall: time.Second})
	if _, _, err := fetchAll(c); err != nil {
		t.Fatalf("a stalled connection was not given up and resumed: %v", err)
	}
}

func TestRedirectToAnotherHostLosesTheToken(t *testing.T) {
	var cdnAuth []string
	cdn := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		cdnAuth = append(cdnAuth, r.Header.Get("Authorization"))
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(testFiles["corpus/part-0.parquet"]))
	}))
	defer cdn.Close()
	h := newFakeHub(t, testFiles)
	var hubAuth []string
	h.broken = func(w http.ResponseWriter, r *http.Request, _ int) bool {
		h.mu.Lock()
		hubAuth = append(hubAuth, r.Header.Get("Authorization"))
		h.mu.Unlock()
		if strings.Contains(r.URL.Path, "part-0") {
			http.Redirect(w, r, cdn.URL+"/blob", http.StatusFound)
			return true
		}
		return false
	}
	c, _ := h.client(t)
	if _, _, err := fetchAll(c); err != nil {
		t.Fatal(err)
	}
	if len(cdnAuth) != 1 || cdnAuth[0] != "" {
		t.Errorf("the other host saw %q, want one request without a token", cdnAuth)
	}
	for _, a := range hubAuth {
		if a != "Bearer hf_secret" {
			t.Errorf("the hub saw %q", a)
		}
	}
}

// TestFullDisk: a full disk is an error that is not retried, and no file has its final name. Once
// there is space again the fetch continues.
func TestFullDisk(t *testing.T) {
	full := tracer.Fault{Kinds: []tracer.Kind{tracer.Write}, At: 3, Damage: tracer.Damage{Error: syscall.ENOSPC, Stays: true}}
	cache := t.TempDir()
	out, said := tracer.Part(t, cache, full, func(dir string) {
		c, slept := newFakeHub(t, testFiles).client(t)
		c.Cache = dir
		_, _, err := fetchAll(c)
		fmt.Printf("no space left: %v, retried %d times", errors.Is(err, syscall.ENOSPC), len(*slept))
	})
	if said != "no space left: true, retried 0 times" || out.Broken == nil {
		t.Errorf("broke %+v: %q", out.Broken, said)
	}
	checkNothingHalf(t, cache)
	c, _ := newFakeHub(t, testFiles).client(t)
	c.Cache = cache
	if _, _, err := fetchAll(c); err != nil {
		t.Errorf("with space again: %v", err)
	}
}

// TestFetchChecksTheDiskFirst: a fetch that the disk has no space for does not begin.
func TestFetchChecksTheDiskFirst(t *testing.T) {
	h := newFakeHub(t, testFiles)
	c, _ := h.client(t)
	s, err := c.Resolve(context.Background(), testRepo)
	if err != nil {
		t.Fatal(err)
	}
	s.Files[0].Size = 1 << 60
	before := len(h.requests)
	if _, _, err := c.Fetch(context.Background(), s, nil); err == nil || !strings.Contains(err.Error(), "MiB free") {
		t.Errorf("error = %v, want the free space named", err)
	}
	if len(h.requests) != before {
		t.Errorf("it asked for %v first", h.requests[before:])
	}
}

func TestHostileNames(t *testing.T) {
	for _, name := range []string{
		"../x", "/etc/passwd", "a/../../x", "a\x00b", strings.Repeat("n", 300), "", "a//b", `..\x`, "./x", "a/.",
	} {
		h := newFakeHub(t, map[string]string{name: "evil"})
		c, _ := h.client(t)
		if _, _, err := fetchAll(c); !errors.Is(err, ErrUnsafeName) {
			t.Errorf("name %.20q: error = %v, want ErrUnsafeName", name, err)
		}
	}
	for _, repo := range []Repo{
		{Dataset, "../x", ""}, {Dataset, "a/b/c", ""}, {Dataset, "a/", ""}, {Dataset, "a/b", "../../x"},
		{Dataset, "a/b", "x?y"}, {"space", "a/b", ""}, {Dataset, "a/b--c/d", ""},
	} {
		if repo.Check() == nil {
			t.Errorf("%v passed", repo)
		}
	}
}

func TestWrongRevision(t *testing.T) {
	h := newFakeHub(t, testFiles)
	h.broken = func(w http.ResponseWriter, r *http.Request, _ int) bool {
		if strings.HasSuffix(r.URL.Path, "/revision/nope") {
			http.NotFound(w, r)
			return true
		}
		return false
	}
	c, _ := h.client(t)
	_, err := c.Resolve(context.Background(), Repo{Dataset, "org/name", "nope"})
	if !errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), "org/name@nope") {
		t.Errorf("error = %v, want not found, naming the revision", err)
	}
}

// TestEqualFiles fetches a repository that contains the same file several times, as an exported
// model repeats its vocabulary: each content once, under every name.
func TestEqualFiles(t *testing.T) {
	files := map[string]string{}
	for i := range 12 {
		files[fmt.Sprintf("onnx%d/tokenizer.json", i)] = "the same"
	}
	h := newFakeHub(t, files)
	h.broken = func(http.ResponseWriter, *http.Request, int) bool {
		time.Sleep(5 * time.Millisecond)
		return false
	}
	c, _ := h.client(t)
	dir, locked, err := fetchAll(c)
	if err != nil || len(locked) != len(files) {
		t.Fatalf("%d files, %v", len(locked), err)
	}
	for name := range files {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != "the same" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if n := len(h.requests); n != 2 {
		t.Errorf("%d requests, want one for the list and one for the content", n)
	}
}
