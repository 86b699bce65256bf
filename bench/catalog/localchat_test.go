package catalog

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/bench/device"
	"infbench/datasets/chat"
	"infbench/datasets/shared"
	"infbench/training/generate"
)

// storiesFolder is the folder of stories260K, or skips the test.
func storiesFolder(t *testing.T) string {
	t.Helper()
	return shared.Path(t, "models", "stories260k-hf")
}

// TestOpenChat: a language model answers by its path and, once it is in the hub's cache,
// by its name; its revision is that of the files.
func TestOpenChat(t *testing.T) {
	dir := storiesFolder(t)
	t.Setenv("HF_HUB_CACHE", t.TempDir())
	commit := strings.Repeat("ab", 20)
	base := filepath.Join(os.Getenv("HF_HUB_CACHE"), "models--some--stories")
	for _, err := range []error{
		os.MkdirAll(filepath.Join(base, "refs"), 0o755),
		os.WriteFile(filepath.Join(base, "refs", "main"), []byte(commit), 0o644),
		os.CopyFS(filepath.Join(base, "snapshots", commit), os.DirFS(dir)),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	question := chat.Request{Messages: []chat.Message{{Role: chat.User, Text: "Tell me of a dog."}}, MaxTokens: 8}
	var texts []string
	for name, revision := range map[string]string{dir: "sha256:", "some/stories": commit} {
		m, err := OpenChat(name, device.Options{Device: device.GoDevice}, "")
		if err != nil {
			t.Fatal(err)
		}
		if m.Name() != name || !strings.HasPrefix(m.Revision, revision) {
			t.Errorf("%s is called %s at %s, want %s", name, m.Name(), m.Revision, revision)
		}
		answer, err := m.Ask(t.Context(), question)
		if err != nil && !errors.Is(err, generate.ErrTruncated) {
			t.Fatal(err)
		}
		texts = append(texts, answer.Text)
	}
	if texts[0] != texts[1] || texts[0] == "" {
		t.Errorf("%q", texts)
	}
}

// TestOpenChatRefuses what writes no texts, and says what would.
func TestOpenChatRefuses(t *testing.T) {
	dir := storiesFolder(t)
	t.Setenv("HF_HUB_CACHE", t.TempDir())
	for name, want := range map[string]string{
		"bm25":              "writes no texts",
		"some/stories":      "infbench models fetch some/stories",
		"localchat_test.go": "no folder with a language model",
		"./nowhere":         "no such file",
		"..":                "no weights",
		"gpt-4o-but-mine":   "unknown model",
		filepath.Join(filepath.Dir(dir), "glove-50d-5k-static"): "open language model",
	} {
		_, err := OpenChat(name, device.Options{Device: device.GoDevice}, "")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	_, err := OpenChat(dir, device.Options{Device: device.GoDevice, Memory: 100_000}, "")
	if err == nil || !strings.Contains(err.Error(), "takes 245760 bytes") {
		t.Errorf("%v", err)
	}
}

// TestFitsMemory: 260,032 weights of four bytes.
func TestFitsMemory(t *testing.T) {
	w := weights{name: "stories", path: storiesFolder(t)}
	const bytes = 260_032 * 4
	for _, c := range []struct {
		device string
		have   int64
		want   string
	}{
		{device.GoDevice, bytes, ""},
		{device.GoDevice, bytes - 1, "its 260032 weights take 1040128 in float32, this machine has 1040127"},
		{device.XlaCPU, bytes - 1, "needs an accelerator"},
		{device.XlaCUDA, bytes - 1, ""},
	} {
		err := w.fitsMemory(c.device, c.have)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s with %d: %v, want %q", c.device, c.have, err, c.want)
		}
	}
}

// TestStaticBaseline: a table of word vectors has modules.json and no config.json, and is a
// baseline as any model that finds documents.
func TestStaticBaseline(t *testing.T) {
	m, err := checkModel(shared.Path(t, "models", "glove-50d-5k-static"))
	if err != nil || !m.Finds || m.Pairs {
		t.Errorf("%+v, %v", m, err)
	}
	if _, err := checkModel(t.TempDir()); err == nil {
		t.Error("an empty folder is a model")
	}
}
