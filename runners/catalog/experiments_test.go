package catalog

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestExperimentsExpand: every experiment file of the project makes a plan from the root
// folder, as in make. Files with absent data are skipped: reference data, or the inputs of make finding.
func TestExperimentsExpand(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	files, err := filepath.Glob(filepath.Join("bench", "experiments", "*.yaml"))
	if err != nil || len(files) < 3 {
		t.Fatalf("%d experiment files, %v", len(files), err)
	}
	for _, file := range files {
		e, err := ReadFile(file)
		if err != nil && (strings.Contains(err.Error(), `backbone "../shared/`) || strings.Contains(err.Error(), "./corpora/followtable/")) {
			t.Logf("SKIP: data absent: %v", err)
			continue
		}
		if err != nil {
			t.Error(err)
			continue
		}
		if _, err := e.Expand(func(name string, _ uint64) (string, error) { return name, nil }); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}
