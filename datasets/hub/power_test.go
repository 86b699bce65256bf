package hub

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/internal/testkit/tracer"
)

// TestFetchSurvivesPowerLoss: a successful fetch survives a power loss right after it, including
// the end of a blob that an earlier process had written but not synced. After any fault the next
// fetch succeeds.
func TestFetchSurvivesPowerLoss(t *testing.T) {
	fetch := func(dir string) (string, error) {
		c, _ := newFakeHub(t, testFiles).client(t)
		c.Cache = dir
		got, _, err := fetchAll(c)
		return got, err
	}
	begin := func(dir string) error {
		c, _ := newFakeHub(t, testFiles).client(t)
		s, err := c.Resolve(t.Context(), testRepo)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range s.Files {
			partial := filepath.Join(dir, "datasets--org--name", "blobs", f.Blob+".incomplete")
			err = errors.Join(err, os.MkdirAll(filepath.Dir(partial), 0o755), os.WriteFile(partial, []byte(testFiles[f.Path]), 0o644))
		}
		return err
	}
	all := func(dir string) {
		if begin(dir) != nil {
			return
		}
		if got, err := fetch(dir); err == nil {
			fmt.Print(got)
		}
	}
	tracer.EachFault(t, nil, all, func(what, dir, said string) {
		if said == "" {
			var err error
			if said, err = fetch(dir); err != nil {
				t.Errorf("%s: again: %v", what, err)
			}
		}
		for name, want := range testFiles {
			if got, err := os.ReadFile(filepath.Join(said, filepath.FromSlash(name))); err != nil || string(got) != want {
				t.Errorf("%s: %s has %d bytes, %v; want %d", what, name, len(got), err, len(want))
			}
		}
	})
}

// TestFetchMendsWhatPowerLossSpoiled: after a power loss the next fetch downloads damaged blobs and
// partial blobs from their start.
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
