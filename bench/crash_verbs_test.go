package main

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"infbench/bench/catalog"
	"infbench/bench/engine"
	"infbench/bench/results"
	"infbench/bench/runs"
	"infbench/bench/spec"
	"infbench/datasets"
	"infbench/datasets/atomicfile"
	"infbench/datasets/atomicfile/breakfs"
	"infbench/internal/testkit"
)

// breakable is a command whose every write is broken.
type breakable struct {
	verb string
	args []string
	do   func(t *testing.T) (said string, err error) // instead of the command line

	// before fills the working folder: what the command reads, and what stood in the
	// places that it writes to. It is done once and copied.
	before func(t *testing.T)

	// whole are files that stood there before and are written anew: at every moment the
	// old one or the new one, whole.
	whole []string
	// holds says what a file that is written more than once holds at every moment.
	holds map[string]string
	// ran is a run folder whose report is compared by its numbers: the page says when and
	// how long each trial ran.
	ran string

	skip int // operations between two that are broken, where not all are
}

// run runs the command in the working folder, what is written going through files.
func (b *breakable) run(t *testing.T, files atomicfile.FS) (said string, err error) {
	t.Helper()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	defer atomicfile.Mount(here, files)()
	if b.do != nil {
		return b.do(t)
	}
	var out bytes.Buffer
	if code := run(b.args, &out, &out); code != exitOK {
		err = fmt.Errorf("exit code %d", code)
	}
	return out.String(), err
}

// volatile are files that say when and how something was made, or that are of living
// processes.
func volatile(path string) bool {
	base := filepath.Base(path)
	return base == results.ProvenanceFile || base == results.SpeedFile || base == results.DoneFile ||
		strings.HasSuffix(base, ".lock") && base != "infbench.lock" || strings.HasSuffix(base, ".vectors") ||
		slices.ContainsFunc(strings.Split(path, "/"), func(part string) bool {
			return slices.Contains([]string{".lease", "leases", "progress", "logs"}, part) || atomicfile.IsTemporary(part)
		})
}

// content lists the files of the working folder with their hashes, and links with what
// they lead to.
func (b *breakable) content(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || volatile(path) {
			return err
		}
		if b.ran != "" && path == runs.At(b.ran).Report() {
			all[path] = fmt.Sprintf("%x", tableHash(t, b.ran))
			return nil
		}
		if e.Type()&fs.ModeSymlink != 0 {
			to, err := os.Readlink(path)
			all[path] = "-> " + to
			return err
		}
		data, err := os.ReadFile(path)
		all[path] = fmt.Sprintf("%x", sha256.Sum256(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// differ names a file in which two folders differ; "" where none.
func differ(a, b map[string]string) string {
	both := maps.Clone(a)
	maps.Copy(both, b)
	for _, path := range slices.Sorted(maps.Keys(both)) {
		if a[path] != b[path] {
			return fmt.Sprintf("%s (%.8s, %.8s)", path, a[path], b[path])
		}
	}
	return ""
}

// afresh makes the working folder one that is as another; its path stays the same.
func afresh(t *testing.T, from string) {
	t.Helper()
	work, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(work)
	for _, e := range entries {
		err = errors.Join(err, os.RemoveAll(e.Name()))
	}
	if err := errors.Join(err, os.CopyFS(work, os.DirFS(from))); err != nil {
		t.Fatal(err)
	}
}

// crash runs the command in what is like another folder with one operation broken, looks
// at what it left, and runs it again. It returns what was lost.
func (b *breakable) crash(t *testing.T, from string, files *breakfs.FS, before, after map[string]string) (losses []string) {
	t.Helper()
	afresh(t, from)
	said, err := b.run(t, files)
	if err == nil && files.Dead() {
		losses = append(losses, "the command did not notice")
	}
	now := b.content(t)
	for path, sum := range before {
		if now[path] != sum && (after[path] == sum || slices.Contains(b.whole, path) && now[path] != after[path]) {
			losses = append(losses, fmt.Sprintf("%s is neither the old nor the new one, or gone", path))
		}
	}
	for path, want := range b.holds {
		if data, err := os.ReadFile(path); err != nil || !strings.Contains(string(data), want) {
			losses = append(losses, fmt.Sprintf("%s holds no %s: %v", path, want, err))
		}
	}
	if again, err := b.run(t, breakfs.New(0, breakfs.Refuse, t.TempDir())); err != nil {
		losses = append(losses, fmt.Sprintf("again: %v: %s\nbefore: %s", err, again, said))
	} else if path := differ(b.content(t), after); path != "" {
		losses = append(losses, fmt.Sprintf("again: %s differs\nbefore: %s", path, said))
	}
	return losses
}

// Whichever write, rename, sync, link or removal of a command breaks, and in whichever
// way, the same command ends as one that nothing happened to; what stood there before
// stands until there is something better; and what a finished command wrote survives a
// power loss. Every operation is tried where INFBENCH_CRASH is "every", as in continuous
// integration; else some of them.
func TestCrashOfEveryVerb(t *testing.T) {
	testkit.Deep(t)
	table := []string{"verb         operations  modes  runs  losses  seconds"}
	for _, b := range breakables(t) {
		t.Run(strings.ReplaceAll(b.verb, " ", "-"), func(t *testing.T) {
			began, from := time.Now(), t.TempDir()
			t.Chdir(t.TempDir())
			b.before(t)
			before := b.content(t)
			copied(t, ".", from)
			disk := breakfs.New(0, breakfs.Forget, t.TempDir())
			if said, err := b.run(t, disk); err != nil {
				t.Fatal(err, said)
			}
			after, losses := b.content(t), 0
			if err := disk.PowerLoss(); err != nil {
				t.Fatal(err)
			}
			if path := differ(b.content(t), after); path != "" {
				losses++
				t.Errorf("after it ended the power failed: %s is not safe", path)
			}
			stride := 4*b.skip + 1
			if os.Getenv("INFBENCH_CRASH") == "every" {
				stride = 1
			}
			broken := 0
			for at := 1; at <= disk.Count(); at += stride {
				for _, mode := range breakfs.Modes() {
					broken++
					t.Run(fmt.Sprintf("%d-%v", at, mode), func(t *testing.T) {
						for _, loss := range b.crash(t, from, breakfs.New(at, mode, t.TempDir()), before, after) {
							losses++
							t.Error(loss)
						}
					})
				}
			}
			table = append(table, fmt.Sprintf("%-12s %10d %6d %5d %7d %8.1f", b.verb, disk.Count(), len(breakfs.Modes()), broken, losses, time.Since(began).Seconds()))
		})
	}
	t.Log("\n" + strings.Join(table, "\n"))
}

// put writes files of the working folder.
func put(t *testing.T, files map[string]string) {
	t.Helper()
	for name, text := range files {
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

// below puts names under a folder.
func below(dir string, files map[string]string) map[string]string {
	moved := map[string]string{}
	for name, text := range files {
		moved[filepath.Join(dir, name)] = text
	}
	return moved
}

// copied is a folder in the working folder that was made elsewhere.
func copied(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

// breakables are the verbs that write, but sweep, which has a test of its own.
func breakables(t *testing.T) []breakable {
	backbone, finished := smallBackbone(t), filepath.Join(t.TempDir(), "crash")
	plan := baselinePlan(t)
	if said, err := crashSweep(t, finished, plan, atomicfile.OS{}); err != nil {
		t.Fatal(err, said)
	}
	note := map[string]string{"out/note.txt": "of the user", "notes/n.txt": "too"}
	with := func(t *testing.T, files ...map[string]string) {
		for _, f := range append(files, note) {
			put(t, f)
		}
	}
	fetched(t, backbone)
	return []breakable{
		{
			verb: "evaluate", args: []string{"evaluate", "--model", "bm25", "--data", "in", "--out", "out", "--measure", "RR"},
			before: func(t *testing.T) {
				put(t, below("in", tinyBEIR))
				verbOutput(t, "evaluate", "--model", "bm25", "--data", "in", "--out", "out", "--measure", "nDCG@10")
				with(t)
			},
			skip: 5,
		},
		{
			verb: "with a cache", args: []string{"evaluate", "--model", "./backbone", "--data", "in", "--out", "out2", "--cache", "vectors"},
			before: func(t *testing.T) {
				copied(t, backbone, "backbone")
				with(t, below("in", tinyBEIR))
				verbOutput(t, "evaluate", "--model", "./backbone", "--data", "in", "--out", "out1", "--cache", "vectors", "--task", "test")
			},
			skip: 7,
		},
		{
			verb: "train", args: []string{"train", "x.yaml", "--out", "made/out"},
			before: func(t *testing.T) {
				copied(t, backbone, "backbone")
				with(t, map[string]string{"train.jsonl": tripletLines(datasets.MiniInfIR(1)[:4]),
					"x.yaml": "name: x\nbase: {data: train.jsonl, backbone: ./backbone, train: {epochs: 1, rows_per_group: 6, lr: 0.01}}\nevaluate: [mini-bright]\n"})
			},
			skip: 13,
		},
		{
			verb: "merge", args: []string{"sweep", "--merge", "--runs", "made", "run"},
			before: func(t *testing.T) {
				copied(t, finished, "run")
				with(t)
			},
			ran: "made/crash", skip: 17,
		},
		{
			verb: "data import", args: []string{"data", "import", "in", "--name", "tiny"},
			before: func(t *testing.T) {
				with(t, below("in", tinyBEIR), below("other", tinyBEIR))
				verbOutput(t, "data", "import", "other", "--name", "other")
			},
			whole: []string{"infbench.lock"},
		},
		{
			verb: "data fetch", args: []string{"data", "fetch", "instructir"},
			before: func(t *testing.T) {
				with(t, below("in", tinyBEIR))
				verbOutput(t, "data", "import", "in", "--name", "tiny")
			},
			holds: map[string]string{"infbench.lock": `"tiny"`}, skip: 9,
		},
		{
			verb: "models fetch", args: []string{"models", "fetch", "some/model"},
			before: func(t *testing.T) {
				with(t)
				verbOutput(t, "data", "fetch", "instructir")
			},
			whole: []string{"infbench.lock"}, skip: 9,
		},
		{
			verb: "import", args: []string{"import", "b.trec", "--qrels", "b.qrels", "--model", "b", "--out", "made/out"},
			before: func(t *testing.T) {
				with(t, map[string]string{"b.trec": "q1 Q0 d1 1 2.0 b\nq1 Q0 d2 2 1.0 b\n", "b.qrels": "q1 0 d1 1\nq1 0 d2 0\n"})
				verbOutput(t, "import", "b.trec", "--qrels", "b.qrels", "--model", "a", "--out", "made/a")
			},
			skip: 5,
		},
		{
			verb: "curate", args: []string{"curate", "c.yaml", "--out", "out2", "--parallel", "1", "--from", "poisoned"},
			before: func(t *testing.T) {
				with(t, map[string]string{"pairs.jsonl": tripletLines(datasets.MiniInfIR(1)[:3]), "c.yaml": "name: c\nworld: 1\nseed: 1\nseeds: [{from: ./pairs.jsonl}]\npoisons: [negation, exclusion]\nauthor: {offline: true, errors: 0.2}\njudges: [{name: judge, offline: true, errors: 0.1}]\nkeep: judge\ndistractors: 1\n"})
			},
			skip: 17,
		},
		{
			verb: "export", args: []string{"export", "--format", "mteb", "--out", "out", "run"},
			before: func(t *testing.T) {
				copied(t, finished, "run")
				verbOutput(t, "export", "--format", "mteb", "--out", "out", "run")
				with(t)
			},
			skip: 7,
		},
		{
			verb: "export csv", args: []string{"export", "--format", "csv", "--out", "out", "run"},
			before: func(t *testing.T) {
				copied(t, finished, "run")
				verbOutput(t, "export", "--format", "csv", "--out", "out", "run")
				with(t)
			},
			whole: []string{"out/values.csv"},
		},
		{
			verb: "publish", args: []string{"publish", "out", "run", "--commit", "c0ffee2", "--date", "2026-11-21"},
			before: func(t *testing.T) {
				copied(t, finished, "run")
				with(t)
				verbOutput(t, "publish", "out", "run", "--commit", "c0ffee1", "--date", "2026-11-20")
			},
			whole: []string{"out/index.html", "out/history.jsonl"}, skip: 7,
		},
		{
			verb: "report", args: []string{"report", "run", "--format", "html", "--out", "out/report.html"},
			before: func(t *testing.T) {
				copied(t, finished, "run")
				with(t, map[string]string{"out/report.html": "<!DOCTYPE html><p>the one before</p>"})
			},
			whole: []string{"out/report.html"},
		},
		{
			verb: "retry", do: func(t *testing.T) (string, error) { return retryHere(t, "run", plan) }, ran: "run",
			before: func(t *testing.T) {
				copied(t, finished, "run")
				with(t)
				failed := runs.At("run").Trial(plan.Trials[1].ID)
				if err := errors.Join(os.RemoveAll(failed.Dir), failed.WriteTrial(plan.Trials[1].WriteYAML), failed.Fail(results.Fault, errors.New("it was too warm"))); err != nil {
					t.Fatal(err)
				}
			},
			skip: 9,
		},
	}
}

// baselinePlan is two cells that nothing is trained for.
func baselinePlan(t *testing.T) *spec.Plan {
	t.Helper()
	e := spec.Experiment{
		Name: "crash", Base: spec.Cell{Model: "bm25"}, Evaluate: []string{writeFiles(t, tinyBEIR)},
		Axes: []spec.Axis{{Key: "model", Values: []spec.Cell{{Model: "bm25"}, {Model: "random"}}}},
	}
	plan, err := e.Expand(catalog.Revisions{}.Resolve)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// retryHere retries the failed trials of a run folder in this process.
func retryHere(t *testing.T, dir string, plan *spec.Plan) (said string, err error) {
	var out bytes.Buffer
	s := newSweepRun(sweepOptions{workers: 1}, runs.At(dir), plan, &out, &out)
	s.newEngine = func(folder runs.Folder, _ int, _ func(string)) (engine.Engine, error) { return here{folder, plan}, nil }
	err = s.retry(t.Context(), nil)
	return out.String(), err
}

// fetched serves a data set and a model, and points the environment at them and at a
// cache in the working folder.
func fetched(t *testing.T, backbone string) {
	t.Helper()
	model := map[string]string{}
	for _, name := range []string{"config.json", "model.safetensors", "tokenizer.json"} {
		model[name] = string(readFile(t, filepath.Join(backbone, name)))
	}
	const commit = "42c3afabe480643b755a7099dbf0f9ebeedaf6ca"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		files := instructIRFiles
		if strings.Contains(r.URL.Path, "some/model") {
			files = model
		}
		if strings.HasPrefix(r.URL.Path, "/api/") {
			var siblings []map[string]any
			for _, name := range slices.Sorted(maps.Keys(files)) {
				sum := sha1.Sum([]byte(fmt.Sprintf("blob %d\x00%s", len(files[name]), files[name])))
				siblings = append(siblings, map[string]any{"rfilename": name, "size": len(files[name]), "blobId": hex.EncodeToString(sum[:])})
			}
			json.NewEncoder(w).Encode(map[string]any{"sha": commit, "siblings": siblings})
			return
		}
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(files[filepath.Base(r.URL.Path)]))
	}))
	t.Cleanup(server.Close)
	t.Setenv("HF_ENDPOINT", server.URL)
	t.Setenv("HF_HUB_CACHE", "cache")
}
