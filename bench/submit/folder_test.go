package submit

import (
	"os"
	"path/filepath"
	"testing"

	"infbench/internal/disk"
)

// TestLeftoversArePassedOver: the leftovers of a killed submit new are neither a submission nor
// a fault of the folder.
func TestLeftoversArePassedOver(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{filepath.Join(dir, "acme__one", "v1"), disk.Temporary(filepath.Join(dir, "acme__one", "v2"))} {
		if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	places, faults, err := placesIn(dir)
	if len(places) != 1 || len(faults) > 0 || err != nil {
		t.Errorf("%v, faults %v, %v", places, faults, err)
	}
}
