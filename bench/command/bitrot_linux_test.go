package command

import (
	"bytes"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"infbench/internal/testkit"
	"infbench/internal/testkit/minihub"
)

// A disk changes bits by itself: no call writes, so the size, times and inode of the file
// stay. The next process that reads the fetched weights detects this and refuses them.
func TestRottenWeightsAreRefused(t *testing.T) {
	testkit.Deep(t)
	image := newImage(t)
	server := httptest.NewServer(minihub.NewHub("", minihub.Backbones()...))
	t.Cleanup(server.Close)
	const model = "intfloat/e5-base-v2"
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HF_HOME", filepath.Join(image.at, "hf"))
	t.Setenv("HF_HUB_CACHE", "")
	t.Setenv("HF_TOKEN", "")
	t.Setenv("HF_ENDPOINT", server.URL)
	dir := t.TempDir()
	mustRunIn(t, dir, "models", "fetch", model)
	server.Close()
	evaluate := []string{"evaluate", "--model", model, "--data", "mini-bright", "--task", "nature", "--out", "out"}
	mustRunIn(t, dir, evaluate...)
	var path string
	err := filepath.WalkDir(filepath.Join(image.at, "hf"), func(file string, d os.DirEntry, err error) error {
		if strings.HasSuffix(file, ".safetensors") {
			path = file
		}
		return err
	})
	if err != nil || path == "" {
		t.Fatalf("no weights were fetched: %v", err)
	}
	weights, before := mustRead(t, path), stateOf(t, path)
	if err := image.unmount(); err != nil {
		t.Fatal(err)
	}
	flipped := 0
	disk := mustRead(t, image.file)
	const block = 4096
	for at := block; at+block <= len(weights); at += block { // the start of the file stays unchanged
		if i := bytes.Index(disk, weights[at:at+block]); i > 0 {
			disk[i+block/2+3] ^= 0x80 // a sign bit
			flipped++
		}
	}
	if err := errors.Join(os.WriteFile(image.file, disk, 0o644), image.mount()); err != nil {
		t.Fatal(err)
	}
	if after := stateOf(t, path); flipped == 0 || after != before || bytes.Equal(mustRead(t, path), weights) {
		t.Fatalf("%d bits were flipped; the file was %s and is %s", flipped, before, after)
	}
	cmd := infbench(t, evaluate...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "model.safetensors of model "+model) {
		t.Errorf("%d flipped bits: %v\n%s", flipped, err, out)
	}
}

// stateOf returns the recorded properties of a file apart from its content: size, times and
// inode.
func stateOf(t *testing.T, path string) string {
	t.Helper()
	var s syscall.Stat_t
	if err := syscall.Stat(path, &s); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(s.Size, s.Ino, s.Mtim, s.Ctim)
}
