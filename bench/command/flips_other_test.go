//go:build !linux

package command

import (
	"maps"
	"slices"
	"testing"
)

// opened would say which files were opened, where the system tells: here all are taken
// to be.
func opened(t *testing.T, _ string, do func()) map[string]bool {
	t.Helper()
	do()
	files := map[string]bool{}
	for _, path := range slices.Sorted(maps.Keys(sumsOfTree(t))) {
		files[path] = true
	}
	return files
}
