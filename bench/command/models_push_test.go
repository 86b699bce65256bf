package command

import (
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"infbench/internal/testkit/minihub"
	"infbench/internal/usage"
	"infbench/runners/results"
)

// pushHub starts a miniature hub that counts its requests, and points the environment at it.
func pushHub(t *testing.T) (h *minihub.Hub, asked *atomic.Int32) {
	t.Helper()
	h, asked = minihub.NewHub("hf_right"), new(atomic.Int32)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		h.ServeHTTP(w, r)
	}))
	store := httptest.NewServer(h)
	t.Cleanup(server.Close)
	t.Cleanup(store.Close)
	h.Store = store.URL
	t.Setenv("HF_ENDPOINT", server.URL)
	t.Setenv("HF_HOME", t.TempDir())
	t.Setenv("HF_HUB_CACHE", "")
	t.Setenv("HF_TOKEN", "hf_right")
	return h, asked
}

// sums returns the names, times and contents of the files of a folder.
func sums(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			fmt.Fprintln(&b, path, info.ModTime(), fileText(t, path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A push prints what it would send without asking the hub, and with --yes sends it: the folder as it
// is, and the card with the results of the trial and of other evaluations of the same weights.
func TestModelsPush(t *testing.T) {
	h, asked := pushHub(t)
	t.Chdir(t.TempDir())
	smallNetwork(t, ".")
	trainingFiles(t, ".")
	verbOutput(t, "sweep", "sweep.yaml")
	models, err := filepath.Glob("runs/tiny/trials/*/model")
	if err != nil || len(models) != 1 {
		t.Fatal(models, err)
	}
	verbOutput(t, "evaluate", "--model", models[0], "--data", "mini-bright", "--out", "more")
	before := sums(t, "runs/tiny")
	said := verbOutput(t, "models", "push", "runs/tiny:uni:P", "me/tiny", "more")
	for _, want := range []string{"would send to http://127.0.0.1:", "README.md", "with the results of 5 tasks", "model.safetensors", "result: data.test (default)", "nothing was sent; --yes sends it"} {
		if !strings.Contains(said, want) {
			t.Errorf("no %q in\n%s", want, said)
		}
	}
	if asked.Load() > 0 {
		t.Errorf("%d requests before --yes", asked.Load())
	}
	if said = verbOutput(t, "models", "push", models[0], "me/tiny", "more", "--yes"); !strings.Contains(said, "sent ") || !strings.Contains(said, "/me/tiny, commit ") {
		t.Errorf("said\n%s", said)
	}
	repos := h.Repositories()
	if len(repos) != 1 || repos[0].ID != "me/tiny" {
		t.Fatalf("repositories %v", repos)
	}
	for _, name := range []string{"config.json", "model.safetensors", "1_Pooling/config.json", "infbench.json"} {
		if string(repos[0].Files[name]) != fileText(t, filepath.Join(models[0], filepath.FromSlash(name))) {
			t.Errorf("%s differs", name)
		}
	}
	card, mine := string(repos[0].Files["README.md"]), fileText(t, filepath.Join(models[0], results.CardFile))
	front := frontOf(t, card)
	index, _ := front["model-index"].([]any)
	if len(index) != 1 || len(index[0].(map[string]any)["results"].([]any)) != 5 || front["library_name"] != "sentence-transformers" {
		t.Errorf("metadata %v", front)
	}
	if _, text, _ := strings.Cut(mine, "\n---\n"); !strings.HasSuffix(card, "---\n"+text) {
		t.Errorf("the text of the card changed:\n%s", card)
	}
	if after := sums(t, "runs/tiny"); after != before {
		t.Error("the run folder changed")
	}
	if said = verbOutput(t, "models", "push", models[0], "me/tiny", "more", "--yes"); !strings.Contains(said, "nothing sent: me/tiny has these files") {
		t.Errorf("the second time it said\n%s", said)
	}
	verbOutput(t, "models", "fetch", "me/tiny")
	if said = checked(t, exitOK, "me/tiny"); !strings.Contains(said, "encoder") {
		t.Errorf("fetched again:\n%s", said)
	}

	verbOutput(t, "evaluate", "--model", models[0], "--data", "mini-bright", "--dims", "4", "--out", "narrow")
	verbFails(t, exitFailure, "both have results of", "models", "push", models[0], "me/tiny", "more", "narrow")
	verbFails(t, usage.ExitUsage, "want ORG/NAME", "models", "push", models[0], "tiny")
	verbFails(t, usage.ExitUsage, "nosuch is neither", "models", "push", "nosuch", "me/tiny")
	verbFails(t, exitFailure, "You don't have the rights", "models", "push", models[0], "others/tiny", "--yes")
	t.Setenv("HF_TOKEN", "")
	verbFails(t, exitFailure, "set HF_TOKEN", "models", "push", models[0], "me/tiny", "--yes")
}

// A folder outside a run folder has the results of evaluations of its weights. Own metadata and text of
// a card are kept.
func TestModelsPushAlone(t *testing.T) {
	h, _ := pushHub(t)
	t.Chdir(t.TempDir())
	smallNetwork(t, ".")
	trainingFiles(t, ".")
	verbOutput(t, "train", "train.yaml", "--out", "alone")
	if err := os.Rename("alone/model", "mine"); err != nil {
		t.Fatal(err)
	}
	if said := verbOutput(t, "models", "push", "mine", "me/mine"); !strings.Contains(said, "no results: ") {
		t.Errorf("said\n%s", said)
	}
	verbOutput(t, "evaluate", "--model", "mine", "--data", "data", "--out", "runs/one")
	verbOutput(t, "evaluate", "--model", "small-bert", "--data", "data", "--out", "runs/other")
	for name, card := range map[string]string{"own": "---\nlicense: mit # chosen\nmodel-index: []\n---\nMy text.\n", "none": "", "plain": "Only text.\n"} {
		writeFile(t, filepath.Join("mine", results.CardFile), card)
		verbOutput(t, "models", "push", "mine", "me/"+name, "runs/one", "runs/other", "--yes")
		for _, r := range h.Repositories() {
			if r.ID != "me/"+name {
				continue
			}
			got := string(r.Files["README.md"])
			front := frontOf(t, got)
			index, _ := front["model-index"].([]any)
			if len(index) != 1 || len(index[0].(map[string]any)["results"].([]any)) != 1 || name == "own" && (front["license"] != "mit" || !strings.Contains(got, "license: mit # chosen\n")) {
				t.Errorf("%s:\n%s", name, got)
			}
			if want := map[string]string{"own": "---\nMy text.\n", "none": "---\n\n# me/none\n", "plain": "---\nOnly text.\n"}[name]; !strings.HasSuffix(got, want) {
				t.Errorf("%s: want the end %q of\n%s", name, want, got)
			}
		}
	}
	writeFile(t, filepath.Join("mine", results.CardFile), "---\n- a list\n---\n")
	verbFails(t, exitFailure, "README.md: metadata of the model card: want keys and values", "models", "push", "mine", "me/mine", "runs/one")
	writeFile(t, filepath.Join("mine", "config.json"), "{}")
	verbFails(t, exitFailure, "mine", "models", "push", "mine", "me/mine")
}
