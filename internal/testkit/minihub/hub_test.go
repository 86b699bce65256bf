package minihub

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"infbench/datasets"
	"infbench/datasets/hub"
	"infbench/datasets/mixture"
	"infbench/training/tokenizer"
)

// testHub starts the hub and points the environment at it and at an empty cache.
func testHub(t *testing.T) (h *Hub, address string) {
	t.Helper()
	h = NewHub("hf_right", Everything()...)
	return h, serve(t, h, "")
}

// serve starts a hub and points the environment at it, with a token, and at an empty
// cache.
func serve(t *testing.T, h *Hub, token string) (address string) {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	t.Setenv("HF_ENDPOINT", server.URL)
	t.Setenv("HF_HOME", t.TempDir())
	t.Setenv("HF_HUB_CACHE", "")
	t.Setenv("HF_TOKEN", token)
	return server.URL
}

// fetch downloads a repository into the cache.
func fetch(t *testing.T, repo hub.Repo) error {
	t.Helper()
	c, err := hub.NewClient()
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.Resolve(t.Context(), repo)
	if err == nil {
		_, _, err = c.Fetch(t.Context(), s, nil)
	}
	return err
}

// trainingSets and benchmarks are the hub's data, by infbench's names; benchmarks with their
// numbers of tasks.
var (
	trainingSets = []string{"inf-ir", "inf-ir-unfiltered", "inf-ir-metamath", "inf-ir-release", "promptriever", "msmarco"}
	benchmarks   = map[string]int{"followir": 3, "followir-v1": 3, "followir-mteb1": 3, "mair": 8, "bright": 12, "bright-long": 8, "bright-gpt4_reason": 12,
		"r2med": 8, "bright-pro": 7, "browsecomp-plus": 2, "obliq-bench": 5, "limit": 1, "limit-small": 1, "beir-scifact": 1, "beir-msmarco": 1, "beir-nfcorpus": 1, "beir-cqadupstack": 12}
)

// fetchTraining downloads training data into the cache.
func fetchTraining(t *testing.T, name string) {
	t.Helper()
	s, err := datasets.FindTraining(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := fetch(t, hub.Repo{Kind: hub.Dataset, ID: s.Repo.ID, Revision: s.Repo.Revision}); err != nil {
		t.Fatal(err)
	}
}

// fetchBenchmark downloads the repositories of a benchmark into the cache.
func fetchBenchmark(t *testing.T, name string) {
	t.Helper()
	s, err := datasets.FindSource(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range s.Repos {
		if err := fetch(t, hub.Repo{Kind: hub.Dataset, ID: r.ID, Revision: r.Revision}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAnswers sends the Python library's requests and compares the answers with those of
// huggingface.co.
func TestAnswers(t *testing.T) {
	_, address := testHub(t)
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for _, c := range []struct {
		path, token, want string
		status            int
		code              string
	}{
		{"/api/models/intfloat/e5-base-v2", "", `"sha":"1c644c92ad3ba1efdad3f1451a637716616a20e8"`, 200, ""},
		{"/api/models/intfloat/e5-base-v2/revision/1c644c9", "", `"rfilename":"onnx/tokenizer.json"`, 200, ""},
		{"/api/models/intfloat/e5-base-v2/revision/nope", "", "Invalid rev id", 404, "RevisionNotFound"},
		{"/api/models/intfloat/e5-base-v2/tree/main/onnx", "", `"path":"onnx/vocab.txt"`, 200, ""},
		{"/api/datasets/mteb/BRIGHT/refs", "", `"targetCommit":"c26703e6600d97c579ee2985f16cf307db13ed85"`, 200, ""},
		{"/api/models/meta-llama/Llama-3.2-1B", "", `"gated":"manual"`, 200, ""},
		{"/meta-llama/Llama-3.2-1B/resolve/main/config.json", "", "restricted", 401, "GatedRepo"},
		{"/meta-llama/Llama-3.2-1B/resolve/main/config.json", "hf_wrong", "restricted", 403, "GatedRepo"},
		{"/meta-llama/Llama-3.2-1B/resolve/main/config.json", "hf_right", `"model_type": "llama"`, 200, ""},
		{"/api/models/no/such", "", "Invalid username or password", 401, "RepoNotFound"},
		{"/api/models/no/such", "hf_right", "not found", 404, "RepoNotFound"},
		{"/intfloat/e5-base-v2/resolve/main/nope", "", "Entry not found", 404, "EntryNotFound"},
		{"/intfloat/e5-base-v2/resolve/main/model.safetensors", "", "", 302, ""},
		{"/datasets/mteb/BRIGHT/resolve/main/README.md", "", "config_name: long_documents", 200, ""},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if c.token != "" {
			req.Header.Set("Authorization", "Bearer "+c.token)
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != c.status || resp.Header.Get("X-Error-Code") != c.code || !strings.Contains(string(body), c.want) {
			t.Errorf("%s: %s, code %q, %.200s; want %d, %q, %q", c.path, resp.Status, resp.Header.Get("X-Error-Code"), body, c.status, c.code, c.want)
		}
	}
}

// TestData fetches every data set by its infbench names and counts: 60 records (twice as many
// in the unfiltered set), 12 to 24 documents per task.
func TestData(t *testing.T) {
	testHub(t)
	for _, name := range trainingSets {
		fetchTraining(t, name)
		all, err := datasets.LoadRecords(name, "")
		if err != nil {
			t.Fatal(err)
		}
		n, err := mixture.Stats(all.All())
		if want := map[bool]int{false: records, true: 2 * records}[name == "inf-ir-unfiltered"]; err != nil || n.Records != want {
			t.Errorf("%s: %+v, %v; want %d records", name, n, err, want)
		}
	}
	for name, want := range benchmarks {
		fetchBenchmark(t, name)
		b, err := datasets.Load(name, datasets.Options{})
		if err != nil || len(b.Tasks) != want {
			t.Fatalf("%s: %d tasks, %v; want %d", name, len(b.Tasks), err, want)
		}
		for _, task := range b.Tasks {
			docs := map[string]bool{}
			for d, err := range task.Corpus.Documents() {
				if err != nil {
					t.Fatal(err)
				}
				docs[d.ID] = true
			}
			if n := len(docs); n < 12 || n > 24 || len(task.Queries) < 4 {
				t.Errorf("%s/%s: %d documents, %d queries", name, task.Name, n, len(task.Queries))
			}
			for _, p := range task.Pairs {
				if len(p.Moved) == 0 {
					t.Errorf("%s/%s: pair %s moves nothing", name, task.Name, p.ID)
				}
			}
		}
	}
}

// TestSame makes the same bytes again: the generated data depend on nothing else.
func TestSame(t *testing.T) {
	one, other := NewHub("", Everything()...).Repositories(), NewHub("", Everything()...).Repositories()
	for i, r := range one {
		if r.hash() != other[i].hash() {
			t.Errorf("%s differs from itself", r.ID)
		}
	}
}

// TestConfigurations compares the keys of every config.json with those of real ones, which
// differ only in a network's sizes, and vocabularies with their readers.
func TestConfigurations(t *testing.T) {
	vocabularies := map[string]bool{}
	for _, r := range slices.Concat(Backbones(), Baselines()) {
		var config map[string]any
		if r.Files["config.json"] == nil {
			continue // an adapter, or a table of vectors
		}
		if err := json.Unmarshal(r.Files["config.json"], &config); err != nil {
			t.Fatal(err)
		}
		if config["model_type"] == "model2vec" {
			continue
		}
		for _, key := range []string{"architectures", "model_type", "transformers_version"} {
			if config[key] == nil {
				t.Errorf("%s: config.json has no %s", r.ID, key)
			}
		}
		if sizeOf(config) == 0 {
			t.Errorf("%s: config.json has no vocab_size", r.ID)
		}
		vocabularies[fmt.Sprint(config["model_type"])] = true
		if r.Files["tokenizer.json"] == nil {
			continue // published in an older form
		}
		tok, err := tokenizer.Read(r.Files["tokenizer.json"])
		if err != nil {
			t.Errorf("%s: %v", r.ID, err)
			continue
		}
		if got := sizeOf(config); got != tok.VocabSize() && (got != tok.VocabSize()+paddedRows || config["model_type"] != "t5") {
			t.Errorf("%s: vocabulary of %d, tokenizer of %d", r.ID, got, tok.VocabSize())
		}
		if ids := tok.Encode("Who can help me with vitamins, calories and diets?", 512); len(ids) < 8 || len(ids) > 40 {
			t.Errorf("%s: %d tokens", r.ID, len(ids))
		}
	}
	if want := []string{"bert", "llama", "mistral", "modernbert", "nvembed", "qwen2", "t5"}; len(vocabularies) != len(want) {
		t.Errorf("families %v, want %v", vocabularies, want)
	}
}

// sizeOf returns the vocab_size of a config.json, or of the network that it contains; 0 if
// missing.
func sizeOf(config map[string]any) int {
	if below, ok := config["text_config"].(map[string]any); ok {
		return sizeOf(below)
	}
	n, _ := config["vocab_size"].(float64)
	return int(n)
}
