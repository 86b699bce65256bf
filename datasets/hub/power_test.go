package hub

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/datasets/atomicfile"
	"infbench/datasets/atomicfile/breakfs"
)

// What a fetch brought survives a power loss right after it: also the end of a blob that
// an earlier process had written, and was killed before it synced.
func TestFetchSurvivesPowerLoss(t *testing.T) {
	h := newFakeHub(t, testFiles)
	c, _ := h.client(t)
	disk := breakfs.New(0, breakfs.Forget, t.TempDir())
	defer atomicfile.Mount(c.Cache, disk)()
	s, err := c.Resolve(t.Context(), testRepo)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range s.Files {
		partial := filepath.Join(c.Cache, "datasets--org--name", "blobs", f.Blob+".incomplete")
		err := atomicfile.MkdirAll(disk, filepath.Dir(partial))
		left, refused := disk.Append(partial, 0)
		if err := errors.Join(err, refused); err != nil {
			t.Fatal(err)
		}
		if _, err := left.Write([]byte(testFiles[f.Path])); err != nil {
			t.Fatal(err)
		}
	}
	dir, _, err := c.Fetch(t.Context(), s, nil)
	if err := errors.Join(err, disk.PowerLoss()); err != nil {
		t.Fatal(err)
	}
	for name, want := range testFiles {
		if got, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name))); err != nil || string(got) != want {
			t.Errorf("%s: %d bytes, %v; want %d", name, len(got), err, len(want))
		}
	}
}

// What a power loss spoiled is fetched from its start by the next fetch, at once: the
// part of a blob that was under way, and a blob.
func TestFetchMendsWhatPowerLossSpoiled(t *testing.T) {
	h := newFakeHub(t, testFiles)
	c, _ := h.client(t)
	dir, _, err := fetchAll(c)
	if err != nil {
		t.Fatal(err)
	}
	const name = "corpus/part-0.parquet"
	blob, err := filepath.EvalSymlinks(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	for what, spoil := range map[string]func() error{
		"an empty blob":   func() error { return os.Truncate(blob, 0) },
		"a blob of zeros": func() error { return errors.Join(os.Truncate(blob, 0), os.Truncate(blob, int64(len(testFiles[name])))) },
		"a part of zeros": func() error {
			return errors.Join(os.Remove(blob), os.WriteFile(blob+".incomplete", make([]byte, 1000), 0o644))
		},
		"a whole part of zeros": func() error {
			return errors.Join(os.Remove(blob), os.WriteFile(blob+".incomplete", make([]byte, len(testFiles[name])), 0o644))
		},
		"no blob": func() error { return os.Remove(blob) },
		"no link": func() error { return os.Remove(filepath.Join(dir, name)) },
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		if _, _, err := fetchAll(c); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != testFiles[name] {
			t.Errorf("%s: %d bytes, %v", what, len(got), err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(blob), "*.incomplete")); len(left) > 0 {
		t.Errorf("left %s", strings.Join(left, ", "))
	}
}
