package pyenv

import (
	"context"
	"io"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// On a full disk the error names the package, and the packages that fit keep their room.
func TestFullDisk(t *testing.T) {
	from := registry(t)
	good, big := wheel(t, from, "good", 0), wheel(t, from, "big", 100<<20)
	cache := t.TempDir()
	if err := syscall.Mount("tmpfs", cache, "tmpfs", 0, "size=80m"); err != nil {
		t.Skipf("SKIP: no small disk can be made here: %v", err)
	}
	t.Cleanup(func() { syscall.Unmount(cache, 0) })
	_, err := Make(context.Background(), io.Discard, cache, "x", []byte(good+big))
	if err == nil || !strings.Contains(err.Error(), "environment x: big==1.0: the disk is full") {
		t.Errorf("%v", err)
	}
	checkNothingLeft(t, cache)
	if _, err := Make(context.Background(), io.Discard, cache, "x", []byte(good)); err != nil {
		t.Errorf("the cache is not usable: %v", err)
	}
	t.Setenv("PIP_NO_INDEX", "")
	index(t, from)
	if _, err := Fetch(context.Background(), io.Discard, cache, []byte(big), "big"); err == nil || err.Error() != "package big==1.0: the disk is full" {
		t.Errorf("%v", err)
	}
	if left, err := filepath.Glob(filepath.Join(cache, "big-*[^k]")); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
	if _, err := Fetch(context.Background(), io.Discard, cache, []byte(good), "good"); err != nil {
		t.Errorf("the cache is not usable: %v", err)
	}
}
