package submit

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"infbench/datasets"
	"infbench/metrics/trec"
	"infbench/runners/results"
)

// day is the date on which the tests run.
var day = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// fixture is a submission that a test changes before the check.
type fixture struct {
	t     *testing.T
	all   string            // the folder of all submissions
	files map[string]string // files of the submission, by name
	org   string
	rev   string
}

// board is the board of all tests. Its benchmarks are generated once.
var board = sync.OnceValue(func() *checker {
	known, err := knownBenchmarks()
	if err != nil {
		panic(err)
	}
	return &checker{day, known, benches{map[string]*bench{}, map[string]error{}}}
})

// load returns a generated benchmark.
func load(t *testing.T, name string) *datasets.Benchmark {
	t.Helper()
	b, err := board().benches.find(name)
	if err != nil {
		t.Fatal(err)
	}
	return b.Benchmark
}

// made are the rankings made so far, by benchmark.
var made = map[string]struct {
	files  map[string]string
	scored []results.Result
}{}

// rankings rank the candidates of each query, or else some documents, in the order in which
// they come, with scores for that order.
func rankings(t *testing.T, b *datasets.Benchmark) (files map[string]string, scored []results.Result) {
	t.Helper()
	if known, ok := made[b.Name]; ok {
		return maps.Clone(known.files), slices.Clone(known.scored)
	}
	files = map[string]string{}
	for i := range b.Tasks {
		task := &b.Tasks[i]
		run := trec.Run{}
		for _, q := range task.Queries {
			documents := task.Candidates[q.ID]
			if task.Candidates == nil {
				for d, err := range task.Corpus.Documents() {
					if err != nil {
						t.Fatal(err)
					}
					if !slices.Contains(task.Excluded[q.ID], d.ID) {
						documents = append(documents, d.ID)
					}
					if len(documents) == 10 {
						break
					}
				}
			}
			for n, d := range documents {
				run[q.ID] = append(run[q.ID], trec.Scored{Doc: d, Score: float64(1000 - n)})
			}
		}
		var text bytes.Buffer
		if err := trec.WriteRun(&text, run, "mine"); err != nil {
			t.Fatal(err)
		}
		files["runs/"+results.TaskFile(b.Name, task.Name)+".trec"] = text.String()
		values, err := results.Score(b.Name, task, run)
		if err != nil {
			t.Fatal(err)
		}
		scored = append(scored, values...)
	}
	made[b.Name] = struct {
		files  map[string]string
		scored []results.Result
	}{maps.Clone(files), scored}
	return files, slices.Clone(scored)
}

// newFixture is a submission without a fault: rankings of a benchmark with their means.
func newFixture(t *testing.T, benchmark string) *fixture {
	t.Helper()
	b := load(t, benchmark)
	files, scored := rankings(t, b)
	files[results.ScoresFile] = jsonLines(t, meansOf(scored))
	files[DeclarationFile] = strings.NewReplacer("BENCHMARK", b.Name, "DATA", b.Revision).Replace(`format: infbench-submission/1
system: acme/embed-1
revision: v1
model: https://acme.org/embed-1
by: Ada
contact: ada@acme.org
licence: MIT
date: 2026-11-22
command: rank --all
benchmarks:
  - {name: BENCHMARK, revision: "DATA"}
training:
  data: [MS MARCO]
  benchmarks: []
conventions:
  depth: 100
  ties: document ID
  prompts: none
`)
	return &fixture{t: t, all: filepath.Join(t.TempDir(), "submissions"), files: files, org: "acme__embed-1", rev: "v1"}
}

func jsonLines(t *testing.T, values []results.Result) string {
	t.Helper()
	var b strings.Builder
	for _, r := range values {
		line, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(line, '\n'))
	}
	return b.String()
}

// replace changes the first occurrence of a text in a file, which must be there.
func (f *fixture) replace(name, old, new string) {
	f.t.Helper()
	if !strings.Contains(f.files[name], old) {
		f.t.Fatalf("%s has no %q", name, old)
	}
	f.files[name] = strings.Replace(f.files[name], old, new, 1)
}

// line changes a line of a file, from 1.
func (f *fixture) line(name string, n int, change func(fields []string) []string) {
	lines := strings.Split(f.files[name], "\n")
	lines[n-1] = strings.Join(change(strings.Fields(lines[n-1])), " ")
	f.files[name] = strings.Join(lines, "\n")
}

// without removes the files whose names have the prefix.
func (f *fixture) without(prefix string) {
	for name := range f.files {
		if strings.HasPrefix(name, prefix) {
			delete(f.files, name)
		}
	}
}

// declareFiles lists all files in submission.yaml with their hashes.
func (f *fixture) declareFiles() {
	text := f.files[DeclarationFile] + "files:\n"
	for _, name := range sortedKeys(f.files) {
		if name != DeclarationFile {
			text += fmt.Sprintf("  - {name: %s, sha256: %x}\n", name, sha256.Sum256([]byte(f.files[name])))
		}
	}
	f.files[DeclarationFile] = text
}

// dir writes the submission and returns its folder.
func (f *fixture) dir() string {
	f.t.Helper()
	dir := filepath.Join(f.all, f.org, f.rev)
	for name, text := range f.files {
		put(f.t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	return dir
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// summary is the result of check for folders.
func summary(t *testing.T, o options, dirs ...string) (*Summary, error) {
	t.Helper()
	var out bytes.Buffer
	o.format = "json"
	failed := o.checkFolders(t.Context(), board(), dirs, &out)
	var s Summary
	if err := json.Unmarshal(out.Bytes(), &s); err != nil {
		t.Fatalf("%v; %v: %s", failed, err, out.Bytes())
	}
	return &s, failed
}

// faults are the printed faults of all submissions, with paths from the folder of all.
func (s *Summary) faults(all string) (out []string) {
	list := slices.Clone(s.Faults)
	for _, r := range s.Submissions {
		list = append(list, r.Faults...)
	}
	for _, f := range list {
		out = append(out, strings.TrimPrefix(strings.TrimPrefix(f.String(), filepath.ToSlash(all)+"/"), "acme__embed-1/v1/"))
	}
	return out
}

// exitCode is the exit code of a command.
func exitCode(err error) int {
	coder, ok := errors.AsType[interface {
		error
		ExitCode() int
	}](err)
	switch {
	case err == nil:
		return 0
	case ok:
		return coder.ExitCode()
	}
	return 1
}

// rounded are the means of the fixture's rankings with that many decimals.
func rounded(t *testing.T, decimals int) string {
	t.Helper()
	_, scored := rankings(t, load(t, "mini-followir"))
	means := meansOf(scored)
	for i := range means {
		shift := math.Pow10(decimals)
		v := math.Round(*means[i].Value*shift) / shift
		means[i].Value = &v
	}
	return jsonLines(t, means)
}

// claim changes the value in a line of scores.jsonl.
func (f *fixture) claim(n int, change func(float64) float64) {
	f.t.Helper()
	lines := strings.Split(f.files[results.ScoresFile], "\n")
	var r results.Result
	if err := json.Unmarshal([]byte(lines[n-1]), &r); err != nil {
		f.t.Fatal(err)
	}
	v := change(*r.Value)
	r.Value = &v
	lines[n-1] = strings.TrimSuffix(jsonLines(f.t, []results.Result{r}), "\n")
	f.files[results.ScoresFile] = strings.Join(lines, "\n")
}

// mteb is a result file of MTEB.
func mteb(task string) string {
	return `{"dataset_revision": "e39ff896cf3efbbdeeb950e6bd7c79f266995b07", "task_name": "` + task + `", "mteb_version": "2.20.0",
	"scores": {"test": [{"hf_subset": "default", "main_score": 0.05, "p-MRR": 0.05}]}}`
}
