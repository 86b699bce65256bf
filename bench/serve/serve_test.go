package serve

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"infbench/bench/results"
	"infbench/bench/runs"
	"infbench/bench/spec"
	"infbench/bench/usage"
	pages "infbench/reports/serve"
)

// planned makes a run folder of so many cells, of which it returns the IDs.
func planned(t testing.TB, name string, cells int) (dir string, ids []string) {
	t.Helper()
	seeds := make([]string, cells)
	for i := range seeds {
		seeds[i] = fmt.Sprint(i + 1)
	}
	x, err := spec.Parse("x.yaml", []byte("name: live\nmatrix: {seed: ["+strings.Join(seeds, ",")+"]}\nevaluate: [mini-bright]\n"), spec.Known{})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := x.Plan(nil)
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(t.TempDir(), name)
	if err := plan.Write(runs.At(dir).PlanPath()); err != nil {
		t.Fatal(err)
	}
	for _, one := range plan.Trials {
		ids = append(ids, one.ID)
	}
	return dir, ids
}
