package command

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestInit limits initialisation before the first line of any command to 8 MiB of memory, and
// that of each of this project's packages to 1 MiB: larger data must be made on first use.
func TestInit(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	total := 0
	for line := range strings.Lines(string(out)) {
		var name string
		var at, clock float64
		var bytes, allocs int
		// "init internal/bytealg @0.008 ms, 0 ms clock, 0 bytes, 0 allocs"
		if _, err := fmt.Sscanf(line, "init %s @%f ms, %f ms clock, %d bytes, %d allocs", &name, &at, &clock, &bytes, &allocs); err != nil {
			continue
		}
		total += bytes
		if strings.HasPrefix(name, "infbench/") && bytes > 1<<20 {
			t.Errorf("package %s takes %d bytes at start", name, bytes)
		}
	}
	if total == 0 || total > 8<<20 {
		t.Errorf("packages take %d bytes at start", total)
	}
}
