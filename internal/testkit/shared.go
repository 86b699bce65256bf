package testkit

import (
	"os"
	"path/filepath"
	"testing"

	"infbench/internal/disk"
)

// started is the folder in which the process began; tests change theirs.
var started, _ = os.Getwd()

// Shared is the folder of the reference data (goldens, real data, small models), as an
// absolute path that also holds in other folders and for processes that tests start:
// $INFBENCH_SHARED, else the folder shared next to the project's. It need not exist.
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

// SharedPath is a file or folder of the reference data, by the elements of its path below the
// folder. The test is skipped, saying so, where it is absent.
func SharedPath(t testing.TB, elements ...string) string {
	t.Helper()
	path := filepath.Join(append([]string{Shared()}, elements...)...)
	if _, err := disk.Stat(path); err != nil {
		t.Skipf("SKIP: shared data absent at %s", path)
	}
	return path
}
