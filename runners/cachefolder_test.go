package runners

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// fill opens a cache, encodes texts and closes it: one segment.
func fill(t *testing.T, folder, fingerprint string, texts ...string) {
	t.Helper()
	c := openCached(t, &recorder{}, folder, fingerprint)
	encodeDocs(t, c, texts...)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}

// onlyModel returns the one model of a cache.
func onlyModel(t *testing.T, folder string) *CacheModel {
	t.Helper()
	models, err := ListCache(folder)
	if err != nil || len(models) != 1 {
		t.Fatalf("models %v, %v; want one", models, err)
	}
	return &models[0]
}

func TestListCache(t *testing.T) {
	folder := t.TempDir()
	fill(t, folder, "model\none", "a", "bad")
	fill(t, folder, "model\none", "cab")
	fill(t, folder, "model\ntwo", "a")
	if err := os.MkdirAll(filepath.Join(folder, "thesis"), 0o755); err != nil {
		t.Fatal(err)
	}
	models, err := ListCache(folder)
	if err != nil || len(models) != 2 {
		t.Fatalf("models %v, %v; want two", models, err)
	}
	i := slices.IndexFunc(models, func(m CacheModel) bool { return m.Fingerprint == "model\none" })
	header, record := int64(len(segmentHeader(8))), int64(recordLength(8))
	if m := models[i]; m.Segments != 2 || m.Bytes != 2*header+3*record || m.Used.IsZero() {
		t.Errorf("model %+v, want 2 segments of %d bytes", m, 2*header+3*record)
	}
	if _, err := ListCache(filepath.Join(folder, "nowhere")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
}

// TestVerifyCache: whichever byte of a record is flipped, verifying finds its file and
// position.
func TestVerifyCache(t *testing.T) {
	folder := t.TempDir()
	fill(t, folder, "model", "a", "bad", "cab")
	path := segment(t, folder)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	check, err := onlyModel(t, folder).Verify()
	if err != nil || check.Vectors != 3 || !check.clean() {
		t.Errorf("untouched: %+v, %v", check, err)
	}
	header := len(segmentHeader(8))
	for at := range len(whole) {
		data := slices.Clone(whole)
		data[at] ^= 0x10
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		m := onlyModel(t, folder)
		if m.Fingerprint != "model" && !strings.Contains(m.Fingerprint, filepath.Base(path)+" was changed") {
			t.Errorf("byte %d flipped: the model holds %q", at, m.Fingerprint)
		}
		check, err := m.Verify()
		if at < header {
			if err == nil && check.clean() {
				t.Errorf("byte %d of the header flipped: not found", at)
			}
			continue
		}
		if err != nil || len(check.Damaged) != 1 || check.Vectors != 2 || !strings.HasPrefix(check.Damaged[0], path+": byte ") {
			t.Errorf("byte %d flipped: %+v, %v", at, check, err)
		}
	}
	if err := os.WriteFile(path, whole[:len(whole)-5], 0o644); err != nil {
		t.Fatal(err)
	}
	if check, err := onlyModel(t, folder).Verify(); err != nil || check.Torn != int64(recordLength(8)-5) || check.Vectors != 2 {
		t.Errorf("cut: %+v, %v", check, err)
	}
}

// TestCompactCache: merging keeps every vector, also for processes that have the folder open.
// It does not touch segments that are still being written, and removes only the files that it
// returns.
func TestCompactCache(t *testing.T) {
	folder := t.TempDir()
	fill(t, folder, "model", "a", "bad")
	reader := openCached(t, &recorder{}, folder, "model")
	fill(t, folder, "model", "cab")
	writer := openCached(t, &recorder{}, folder, "model")
	encodeDocs(t, writer, "dad")
	m := onlyModel(t, folder)
	stranger := filepath.Join(m.folder, "notes.txt")
	if err := os.WriteFile(stranger, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	before, err := segmentPaths(m.folder)
	if err != nil {
		t.Fatal(err)
	}
	removed, check, err := m.Compact()
	if err != nil || len(removed) != 2 || check.Vectors != 3 {
		t.Fatalf("removed %q, %+v, %v; want two segments of 3 vectors", removed, check, err)
	}
	after, err := segmentPaths(m.folder)
	if err != nil || len(after) != 2 {
		t.Fatalf("segments %q, %v; want the merged one and the writer's", after, err)
	}
	for _, path := range before {
		if slices.Contains(after, path) == slices.Contains(removed, path) {
			t.Errorf("%s: removed in deed and by name disagree", path)
		}
	}
	if _, err := os.Stat(stranger); err != nil {
		t.Errorf("another program's file is gone: %v", err)
	}
	encodeDocs(t, reader, "bad", "a")
	encodeDocs(t, writer, "ebb")
	r := &recorder{}
	encodeDocs(t, openCached(t, r, folder, "model"), "a", "bad", "cab", "dad", "ebb")
	if len(r.asked) > 0 {
		t.Errorf("merging lost %q", r.asked)
	}
	if removed, _, err := m.Compact(); err != nil || len(removed) > 0 {
		t.Errorf("merging again removed %q, %v", removed, err)
	}
}

// TestCompactDamaged: merging drops damaged and repeated records, and nothing else.
func TestCompactDamaged(t *testing.T) {
	folder := t.TempDir()
	one, two := openCached(t, &recorder{}, folder, "model"), openCached(t, &recorder{}, folder, "model")
	encodeDocs(t, one, "a", "bad")
	encodeDocs(t, two, "bad", "cab")
	if err := errors.Join(one.Close(), two.Close()); err != nil {
		t.Fatal(err)
	}
	m := onlyModel(t, folder)
	paths, err := segmentPaths(m.folder)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	data[len(segmentHeader(8))+40] ^= 1 // a value of its first record
	if err := os.WriteFile(paths[0], append(data, "torn"...), 0o644); err != nil {
		t.Fatal(err)
	}
	_, check, err := m.Compact()
	if err != nil || len(check.Damaged) != 1 || check.Torn != 4 {
		t.Fatalf("found %+v, %v", check, err)
	}
	if check, err := m.Verify(); err != nil || !check.clean() || check.Vectors < 2 {
		t.Errorf("after merging %+v, %v", check, err)
	}
}

func TestRemoveCacheModel(t *testing.T) {
	folder := t.TempDir()
	fill(t, folder, "model", "a")
	writer := openCached(t, &recorder{}, folder, "model")
	encodeDocs(t, writer, "bad")
	m := onlyModel(t, folder)
	if err := m.Remove(); !errors.Is(err, ErrCacheBusy) || onlyModel(t, folder).Segments != 2 {
		t.Errorf("while in use: %v", err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	if err := m.Remove(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(m.folder); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("folder after removal: %v", err)
	}
}
