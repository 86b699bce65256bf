package command

import (
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"infbench/runners/catalog"
	"infbench/runners/device"
	"infbench/runners/spec"
)

// modelHub serves the files of a folder as every model, at the requested commit or else the
// one it returns, and points the environment at itself and at an empty cache.
func modelHub(t *testing.T, folder string) (commit string) {
	commit = "5555555555555555555555555555555555555555"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, file, ok := strings.Cut(r.URL.Path, "/resolve/"); ok {
			_, file, _ = strings.Cut(file, "/")
			http.ServeFile(w, r, filepath.Join(folder, filepath.FromSlash(file)))
			return
		}
		var siblings []map[string]any
		err := fs.WalkDir(os.DirFS(folder), ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(name)))
			sum := sha1.Sum(append(fmt.Appendf(nil, "blob %d\x00", len(data)), data...))
			siblings = append(siblings, map[string]any{"rfilename": name, "size": len(data), "blobId": hex.EncodeToString(sum[:])})
			return err
		})
		if err != nil {
			t.Error(err)
		}
		sha := commit
		if asked := path.Base(r.URL.Path); len(asked) == len(commit) {
			sha = asked
		}
		json.NewEncoder(w).Encode(map[string]any{"sha": sha, "siblings": siblings})
	}))
	t.Cleanup(server.Close)
	t.Setenv("HF_ENDPOINT", server.URL)
	t.Setenv("HF_HUB_CACHE", t.TempDir())
	return commit
}

// TestHubBackbone: a plan, and a sweep before it starts, report that a hub model has not been
// fetched and name the command that fetches it. Once fetched, it is a backbone pinned to its
// commit, and another commit is refused.
func TestHubBackbone(t *testing.T) {
	folder := smallBackbone(t)
	if err := os.WriteFile(filepath.Join(folder, "pytorch_model.bin"), []byte("left out"), 0o644); err != nil {
		t.Fatal(err)
	}
	commit := modelHub(t, folder)
	t.Chdir(t.TempDir())
	file := inFile(t, "x.yaml", "name: x\nevaluate: [mini-bright, bright]\nbase: {backbone: Qwen/Qwen2.5-1.5B}\nbaselines: [untrained, bm25]")
	const fetch = "infbench models fetch Qwen/Qwen2.5-1.5B"
	for _, want := range []string{"backbone Qwen/Qwen2.5-1.5B is not on this machine: " + fetch, "data set bright is not on this machine: infbench data fetch bright"} {
		verbFails(t, exitFailure, want, "sweep", file)
		if out := verbOutput(t, "plan", file); !strings.Contains(out, want) || !strings.Contains(out, "3 trials") {
			t.Errorf("plan printed\n%s\nwithout %q or the count", out, want)
		}
	}
	if _, err := os.Stat("runs"); err == nil {
		t.Error("a sweep that was refused left a folder")
	}
	if out := verbOutput(t, strings.Fields(fetch)[1:]...); !strings.Contains(out, "Qwen/Qwen2.5-1.5B at 555555555555") || strings.Contains(out, ".bin") {
		t.Errorf("fetch printed\n%s", out)
	}
	c := spec.DefaultCell()
	c.Backbone = "Qwen/Qwen2.5-1.5B"
	plan := planOf(t, c)
	trial := &plan.Trials[0]
	if got := trial.Revisions[1]; got.Name != spec.BackboneInput+c.Backbone || got.Revision != commit {
		t.Fatalf("pinned to %+v, want commit %s", trial.Revisions, commit)
	}
	if err := catalog.CheckWeights(trial); err != nil {
		t.Error(err)
	}
	trial.Revisions[1].Revision = strings.Repeat("6", 40)
	if err := catalog.CheckWeights(trial); err == nil || !strings.Contains(err.Error(), "plan again") {
		t.Errorf("another commit: %v", err)
	}
	if _, _, err := catalog.NewBackbone(&c, device.Options{Device: device.GoDevice}); err != nil {
		t.Error(err)
	}
}

// TestFolderBackboneIsPinned: a folder is pinned by its content.
func TestFolderBackboneIsPinned(t *testing.T) {
	c := spec.DefaultCell()
	c.Backbone = smallBackbone(t)
	plan := planOf(t, c)
	config := filepath.Join(c.Backbone, "config.json")
	data, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, append(data, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := catalog.CheckWeights(&plan.Trials[0]); err == nil || !strings.Contains(err.Error(), "plan again") {
		t.Errorf("a changed folder: %v", err)
	}
	if planOf(t, c).Trials[0].ID == plan.Trials[0].ID {
		t.Error("other weights left the trial ID as it was")
	}
}

// planOf plans one cell.
func planOf(t *testing.T, c spec.Cell) *spec.Plan {
	t.Helper()
	e := spec.Experiment{Name: "x", Base: c, Evaluate: []string{"mini-bright"}}
	plan, err := e.Expand(catalog.Revisions{}.Resolve)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}
