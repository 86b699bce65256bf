package command

import (
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"infbench/internal/usage"
	"infbench/runners/runs"
)

// instructIRFiles is a miniature of mteb/InstructIR-mteb.
var instructIRFiles = map[string]string{
	"corpus.jsonl":      `{"_id":"d1","title":"","text":"bread for bakers"}` + "\n" + `{"_id":"d2","title":"","text":"bread for children"}` + "\n",
	"queries.jsonl":     `{"_id":"q1_1","text":"bread"}` + "\n" + `{"_id":"q1_2","text":"bread"}` + "\n",
	"instruction.jsonl": `{"query-id":"q1_1","instruction":"I am a baker"}` + "\n" + `{"query-id":"q1_2","instruction":"I have children"}` + "\n",
	"default.jsonl":     `{"query-id":"q1_1","corpus-id":"d1","score":1}` + "\n" + `{"query-id":"q1_2","corpus-id":"d2","score":1}` + "\n",
}

// fakeHub serves instructIRFiles as every data set at every commit, and points
// the environment at itself and at an empty cache.
func fakeHub(t *testing.T) *httptest.Server { return fakeHubOf(t, instructIRFiles) }

// fakeHubOf serves files whose paths differ in the last elements.
func fakeHubOf(t *testing.T, files map[string]string) *httptest.Server {
	const commit = "42c3afabe480643b755a7099dbf0f9ebeedaf6ca"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/api/datasets/") {
			var siblings []map[string]any
			for name, content := range files {
				sum := sha1.Sum([]byte(fmt.Sprintf("blob %d\x00%s", len(content), content)))
				siblings = append(siblings, map[string]any{"rfilename": name, "size": len(content), "blobId": hex.EncodeToString(sum[:])})
			}
			json.NewEncoder(w).Encode(map[string]any{"sha": commit, "siblings": siblings})
			return
		}
		content, ok := files[filepath.Base(r.URL.Path)]
		if !ok {
			http.NotFound(w, r)
			return
		}
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(content))
	}))
	t.Cleanup(server.Close)
	t.Setenv("HF_ENDPOINT", server.URL)
	t.Setenv("HF_HUB_CACHE", t.TempDir())
	return server
}

func TestDataFetchThenOffline(t *testing.T) {
	server := fakeHub(t)
	t.Chdir(t.TempDir())
	out := verbOutput(t, "data", "fetch", "instructir")
	for _, want := range []string{"mteb/InstructIR-mteb at 42c3afabe480: 4 files", "instructir/instructir: 2 documents, 2 queries, 2 judgments"} {
		if !strings.Contains(out, want) {
			t.Errorf("fetch printed\n%swithout %q", out, want)
		}
	}

	server.Close() // from here on, every connection fails
	verbOutput(t, "data", "fetch", "instructir", "--offline")
	verbFails(t, exitFailure, "fetch it without --offline first", "data", "fetch", "nevir", "--offline")
	if out := verbOutput(t, "data", "verify"); !strings.Contains(out, "4 files as locked") {
		t.Errorf("verify printed\n%s", out)
	}
	t.Setenv("HF_HUB_OFFLINE", "yes")
	verbOutput(t, "data", "fetch", "instructir")
	verbFails(t, exitFailure, "HF_HUB_OFFLINE=yes forbids connections: unset it to fetch", "data", "fetch", "nevir")
	wantIn(t, verbOutput(t, "data", "fetch", "instructir", "--lock", "other.lock"), "not in other.lock, but cached in")
	verbOutput(t, "evaluate", "--model", "bm25", "--data", "instructir", "--out", "out")
	if got := means(t, "out")["nDCG@10"]; got <= 0 || got > 1 {
		t.Errorf("nDCG@10 = %v", got)
	}

	blobs, err := filepath.Glob(filepath.Join(os.Getenv("HF_HUB_CACHE"), "*", "blobs", "*"))
	if err != nil || len(blobs) != 4 {
		t.Fatal(blobs, err)
	}
	data, err := os.ReadFile(blobs[0])
	if err != nil {
		t.Fatal(err)
	}
	data[0] ^= 1
	if err := os.WriteFile(blobs[0], data, 0o644); err != nil {
		t.Fatal(err)
	}
	verbFails(t, exitFailure, "does not match its hash", "data", "verify")
}

func TestDataBadInput(t *testing.T) {
	t.Chdir(t.TempDir())
	verbFails(t, usage.ExitUsage, `unknown benchmark or corpus "folowir"; did you mean "followir"?`, "data", "fetch", "folowir")
	verbFails(t, usage.ExitUsage, `did you mean "followir"?`, "data", "show", "folowir")
	verbFails(t, exitFailure, "locks nothing", "data", "verify")
	verbFails(t, exitFailure, "no such file", "data", "import", "nowhere")
	verbFails(t, usage.ExitUsage, "--words: want at least 1", "data", "overlap", "mini-infir", "mini-bright", "--words", "0")
	verbFails(t, exitFailure, "infbench.lock", "data", "verify", "--lock", inFile(t, "infbench.lock", "{"))
}

func TestDataImport(t *testing.T) {
	dir := writeFiles(t, tinyBEIR)
	t.Chdir(t.TempDir())
	verbOutput(t, "data", "import", dir, "--name", "tiny")
	verbOutput(t, "data", "verify")
	verbOutput(t, "evaluate", "--model", "bm25", "--data", "tiny", "--out", "out", "--measure", "RR")
	if got := means(t, "out")["RR"]; got != 1 {
		t.Errorf("RR = %v, want 1", got)
	}
	f, err := os.OpenFile(filepath.Join(dir, "corpus.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(f, "\n")
	f.Close()
	verbFails(t, exitFailure, "corpus.jsonl", "data", "verify")
	verbFails(t, usage.ExitUsage, "is taken", "data", "import", dir, "--name", "mini-bright")
}

// The program's own check confirms the promise of the generated world: no test text is in the
// training data, and they share no long run of words.
func TestDataOverlapOfTheGeneratedWorld(t *testing.T) {
	t.Chdir(t.TempDir())
	out := verbOutput(t, "data", "overlap", "mini-infir", "mini-followir", "--out", "o.json")
	if !strings.Contains(out, "headline documents") {
		t.Errorf("printed\n%s", out)
	}
	data, err := os.ReadFile("o.json")
	if err != nil {
		t.Fatal(err)
	}
	var kept runs.Overlap
	if err := json.Unmarshal(data, &kept); err != nil {
		t.Fatal(err)
	}
	if len(kept.Counts) != 12 {
		t.Errorf("%d groups, want queries, instructions and documents of 4 tasks", len(kept.Counts))
	}
	for _, c := range kept.Counts {
		if c.Exact > 0 {
			t.Errorf("%s: %d texts are in the training data word for word (%v)", c.Group, c.Exact, c.Examples)
		}
	}
}

func TestDataStatsOfTraining(t *testing.T) {
	dir := writeFiles(t, map[string]string{"trip.jsonl": `{"instruction_positive":"be brief","instruction_negative":"be long","query_positive":"what","query_negative":"who is",` +
		`"document":"it","hard_negative_document_1":"that","hard_negative_document_2":"they are"}` + "\n"})
	t.Chdir(t.TempDir())
	file := filepath.Join(dir, "trip.jsonl")
	if out := verbOutput(t, "data", "stats", file, "--format", "csv"); !strings.Contains(out, "corpus,records,#I,#Q,#P,words/I,words/Q,words/P\n") || !strings.Contains(out, ",1,2,2,3,2.00,1.50,1.33") {
		t.Errorf("of a file:\n%s", out)
	}
	verbOutput(t, "data", "stats", file, "--keep", "trip") // the paper marks which of (Q,P)+, I+, I-, Q- and P- exist; every number is in a list, too
	if out := verbOutput(t, "report", "--view", "data", "--format", "csv"); strings.Count(out, ",✓,1") != 2*5 || !strings.Contains(out, ",avg_P_words,1.33,") {
		t.Errorf("the view of the file's counts:\n%s", out)
	}
	if out := verbOutput(t, "data", "stats", "mini-infir"); !strings.Contains(out, "2400") || !strings.Contains(out, "3600") {
		t.Errorf("of 1,200 records:\n%s", out)
	}
	if out := verbOutput(t, "data", "stats", file, "--format", "json"); !strings.Contains(out, `"query_negative": 1`) {
		t.Errorf("as JSON:\n%s", out)
	}
	verbFails(t, exitFailure, "infbench data fetch inf-ir", "data", "stats", "inf-ir")
	verbFails(t, usage.ExitUsage, `did you mean "inf-ir"?`, "data", "stats", "inf-irr")
}

// Counts of a corpus are kept for the view of data and for claims.
func TestDataStatsKeep(t *testing.T) {
	t.Chdir(t.TempDir())
	verbOutput(t, "data", "stats", "mini-infir", "--keep", "mini")
	shown := verbOutput(t, "report", "--view", "data")
	if !strings.Contains(shown, "mini") {
		t.Errorf("report --view data shows\n%s", shown)
	}
	claims := inFile(t, "claims.yaml", `paper: {title: T}
claims:
  - {id: many, says: many records, test: higher, study: data, measure: positives, system: {name: mini}, than: 100, command: c}
`)
	if out := verbOutput(t, "claims", claims); !strings.Contains(out, "holds") {
		t.Errorf("claims print\n%s", out)
	}
	verbOutput(t, "data", "stats", "mini-bright", "--keep", "tests")
	verbOutput(t, "data", "stats", "mini-followir", "--keep", "pairs")
	rows := verbOutput(t, "report", "--view", "data", "--format", "csv")
	for _, want := range []string{",pairs,I+,✓", ",pairs,I-,✗", ",pairs,#Q,", ",tests,#P,", ",tests,Q-,✗", ",mini,I-,✓"} {
		if !strings.Contains(rows, want) {
			t.Errorf("no %q in the view of data:\n%s", want, rows)
		}
	}
	verbFails(t, usage.ExitUsage, "counts of 2 sources", "data", "stats", "mini-infir + mini-infir-unfiltered", "--keep", "x")
}
