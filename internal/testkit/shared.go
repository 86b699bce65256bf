package testkit

import (
	"os"
	"path/filepath"
	"testing"

	"infbench/internal/disk"
)

// started is the process's initial working directory; tests change theirs.
var started, _ = os.Getwd()

// Shared returns the folder of the reference data (goldens, real data, small models):
// $INFBENCH_SHARED, else the folder shared next to the project's. The path is absolute, so that it
// stays valid in other folders and for processes that tests start. The folder need not exist.
func Shared() string {
	if folder := os.Getenv("INFBENCH_SHARED"); filepath.IsAbs(folder) {
		return filepath.Clean(folder)
	} else if folder != "" {
		return filepath.Join(started, folder)
	}
	root := started
	for root != filepath.Dir(root) {
		if _, err := disk.Stat(filepath.Join(root, "go.mod")); err == nil {
			break
		}
		root = filepath.Dir(root)
	}
	return filepath.Join(filepath.Dir(root), "shared")
}

// SharedPath returns a file or folder of the reference data, given the elements of its path below
// the folder. If it is absent, the test is skipped with a message.
func SharedPath(t testing.TB, elements ...string) string {
	t.Helper()
	path := filepath.Join(append([]string{Shared()}, elements...)...)
	if _, err := disk.Stat(path); err != nil {
		t.Skipf("SKIP: shared data absent at %s", path)
	}
	return path
}
