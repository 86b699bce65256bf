package command

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"infbench/internal/usage"
	"infbench/runners"
)

// fakeEndpoint answers embeddings requests of every interface until it has answered limit of
// them (0: always), and leaves the others hanging.
type fakeEndpoint struct {
	mu      sync.Mutex
	limit   int
	hanging chan struct{} // closed when the first request is left hanging
	asked   map[string]int
	keys    map[string]bool
	texts   int // answered texts
}

func newFakeEndpoint(t *testing.T, limit int) (*fakeEndpoint, string) {
	e := &fakeEndpoint{limit: limit, hanging: make(chan struct{}), asked: map[string]int{}, keys: map[string]bool{}}
	server := httptest.NewServer(e)
	t.Cleanup(server.Close)
	return e, server.URL
}

func (e *fakeEndpoint) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	var sent struct {
		Input    []string // openai
		Texts    []string // cohere
		Requests []struct {
			Content struct{ Parts []struct{ Text string } }
		} // google
	}
	if err := json.NewDecoder(req.Body).Decode(&sent); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	texts := append(sent.Input, sent.Texts...)
	for _, r := range sent.Requests {
		texts = append(texts, r.Content.Parts[0].Text)
	}
	if !e.take(req, texts) {
		<-req.Context().Done()
		return
	}
	type object = map[string]any
	var vectors, data, values []any
	for i, text := range texts {
		v := []float32{1, 0, 0, 0}
		for _, c := range text {
			v[int(c)%4]++
		}
		vectors, data, values = append(vectors, v), append(data, object{"index": i, "embedding": v}), append(values, object{"values": v})
	}
	switch req.URL.Path {
	case "/embeddings":
		json.NewEncoder(w).Encode(object{"data": data})
	case "/embed":
		json.NewEncoder(w).Encode(object{"embeddings": object{"float": vectors}, "texts": texts})
	case "/models/m:batchEmbedContents":
		json.NewEncoder(w).Encode(object{"embeddings": values})
	default:
		http.NotFound(w, req)
	}
}

// take reports whether to answer a request, and records it.
func (e *fakeEndpoint) take(req *http.Request, texts []string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.keys[req.Header.Get("Authorization")+req.Header.Get("x-goog-api-key")] = true
	if e.limit == 0 {
		e.note(texts)
		return true
	}
	if e.limit--; e.limit > 0 {
		e.note(texts)
		return true
	}
	e.limit = 1 // from now on
	select {
	case <-e.hanging:
	default:
		close(e.hanging)
	}
	return false
}

func (e *fakeEndpoint) note(texts []string) {
	e.texts += len(texts)
	for _, text := range texts {
		e.asked[text]++
	}
}

// restart lets the endpoint answer everything and returns the texts it was asked for before.
func (e *fakeEndpoint) restart() (asked map[string]int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	asked = e.asked
	e.limit, e.asked, e.keys = 0, map[string]int{}, map[string]bool{}
	return asked
}

// answered is the number of texts answered.
func (e *fakeEndpoint) answered() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.texts
}

// storedVectors counts the complete vectors of a cache.
func storedVectors(t *testing.T, cache string) int {
	t.Helper()
	models, err := runners.ListCache(cache)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, m := range models {
		check, err := m.Verify()
		if err != nil {
			t.Fatal(err)
		}
		n += check.Vectors
	}
	return n
}

// manyDocuments is a collection of n documents and one query.
func manyDocuments(t *testing.T, n int) string {
	t.Helper()
	var corpus strings.Builder
	for i := range n {
		fmt.Fprintf(&corpus, "{\"_id\":\"d%d\",\"title\":\"\",\"text\":\"document %d\"}\n", i, i)
	}
	return writeFiles(t, map[string]string{
		"corpus.jsonl": corpus.String(), "queries.jsonl": `{"_id":"q1","text":"which document"}` + "\n",
		"qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td2\t1\n",
	})
}

func remoteArgs(api, url, data, cache, out string) []string {
	return []string{"evaluate", "--model", "remote", "--remote-api", api, "--url", url, "--remote-model", "m", "--dim", "4",
		"--key-env", "INFBENCH_TEST_KEY", "--data", data, "--cache", cache, "--out", out}
}

// A process killed in the middle of a batch has stored every answered vector, and the next
// process asks only for the rest.
func TestRemoteKilled(t *testing.T) {
	t.Setenv("INFBENCH_TEST_KEY", "sk-test")
	for _, c := range []struct {
		api   string
		batch int // texts in a request
		key   string
	}{
		{"openai", 32, "Bearer sk-test"},
		{"cohere", 96, "Bearer sk-test"},
		{"google", 100, "sk-test"},
	} {
		t.Run(c.api, func(t *testing.T) { testRemoteKilled(t, c.api, c.batch, c.key) })
	}
}

func testRemoteKilled(t *testing.T, api string, batch int, key string) {
	documents := 5 * batch // requests arrive in any order, so all are full
	data, cache := manyDocuments(t, documents), t.TempDir()
	// One request of queries and three of documents are answered; one hangs.
	endpoint, url := newFakeEndpoint(t, 5)
	killed := exec.Command(os.Args[0], remoteArgs(api, url, data, cache, filepath.Join(t.TempDir(), "out"))...)
	if err := killed.Start(); err != nil {
		t.Fatal(err)
	}
	<-endpoint.hanging
	stored := 0
	for deadline := time.Now().Add(2 * time.Minute); stored < endpoint.answered() && time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		stored = storedVectors(t, cache)
	}
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	killed.Wait() // the error is that it was killed
	n := endpoint.answered()
	if n != 1+3*batch || stored != n {
		t.Fatalf("%d texts answered, %d kept; want %d of each", n, stored, 1+3*batch)
	}

	before := endpoint.restart()
	out := verbOutput(t, remoteArgs(api, url, data, cache, filepath.Join(t.TempDir(), "out"))...)
	for text := range endpoint.asked {
		if before[text] > 0 {
			t.Errorf("%q was asked for again", text)
		}
	}
	if len(endpoint.asked) != documents+1-n || !strings.Contains(out, fmt.Sprintf("%d texts found, %d encoded", n, documents+1-n)) {
		t.Errorf("%d texts asked for after the kill, want %d; output %q", len(endpoint.asked), documents+1-n, out)
	}
	if !endpoint.keys[key] || len(endpoint.keys) != 1 {
		t.Errorf("keys %v", endpoint.keys)
	}
}

// The error of a spent budget names the stored answers and how to go on.
func TestRemoteBudget(t *testing.T) {
	t.Setenv("INFBENCH_TEST_KEY", "sk-test")
	endpoint, url := newFakeEndpoint(t, 0)
	data, cache := manyDocuments(t, 400), t.TempDir()
	args := remoteArgs("openai", url, data, cache, filepath.Join(t.TempDir(), "out"))
	verbFails(t, exitFailure, "token budget used up", append(args, "--budget", "100")...)
	first := endpoint.restart()
	verbOutput(t, args...)
	if len(first) == 0 || len(first)+len(endpoint.asked) != 401 {
		t.Errorf("%d texts asked for, then %d; want 401 together", len(first), len(endpoint.asked))
	}
}

func TestRemoteFlags(t *testing.T) {
	data := writeFiles(t, zoo)
	for want, args := range map[string][]string{
		"needs --remote-model and --dim": {"--model", "remote", "--url", "https://api.example/v1"},
		"require --model remote":         {"--model", "bm25", "--rate", "2"},
		`did you mean "google"?`:         {"--model", "remote", "--remote-api", "googel", "--remote-model", "m", "--dim", "4"},
		"such as https://api.openai.com": {"--model", "remote", "--remote-model", "m", "--dim", "4"},
		"want an http or https address":  {"--model", "remote", "--url", "api.example", "--remote-model", "m", "--dim", "4"},
	} {
		verbFails(t, usage.ExitUsage, want, append([]string{"evaluate", "--data", data, "--out", filepath.Join(t.TempDir(), "out")}, args...)...)
	}
	verbFails(t, exitFailure, "INFBENCH_NO_SUCH_KEY", "evaluate", "--data", data, "--model", "remote", "--url", "https://api.example/v1",
		"--remote-model", "m", "--dim", "4", "--key-env", "INFBENCH_NO_SUCH_KEY")
}
