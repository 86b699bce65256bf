package training

import (
	"cmp"
	"os"
	"testing"

	"github.com/gomlx/compute"
	_ "github.com/gomlx/compute/gobackend"
)

// openBackend opens the device that INFBENCH_DEVICE names in GoMLX's words (the row
// "config" of infbench open-device), for goldens on a card in a binary with the tag xla;
// without it the pure Go backend, whose default configuration deadlocks. Its matrix product steps past the end of slices, so -race, which checks
// pointers, needs -gcflags=all=-d=checkptr=0.
func openBackend(t testing.TB) compute.Backend {
	t.Helper()
	b, err := compute.NewWithConfig(cmp.Or(os.Getenv("INFBENCH_DEVICE"), "go:parallelism=-1"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Finalize)
	return b
}
