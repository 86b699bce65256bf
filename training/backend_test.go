package training

import (
	"cmp"
	"os"
	"testing"

	"github.com/gomlx/compute"
	_ "infbench/training/backend"
)

// openBackend opens the device named by INFBENCH_DEVICE in GoMLX's syntax (the row "config" of
// infbench open-device), to run goldens on a card in a binary with the tag xla. Without
// INFBENCH_DEVICE it opens the pure Go backend, whose default configuration deadlocks. The matrix
// product of that backend steps past the end of slices, so -race, which checks pointers, needs
// -gcflags=all=-d=checkptr=0.
func openBackend(t testing.TB) compute.Backend {
	t.Helper()
	b, err := compute.NewWithConfig(cmp.Or(os.Getenv("INFBENCH_DEVICE"), "go:parallelism=-1"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Finalize)
	return b
}
