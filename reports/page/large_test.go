package page

import (
	"bytes"
	"os"
	"syscall"
	"testing"
	"time"

	"infbench/internal/testkit/reportstest"
	"infbench/reports"
	"infbench/runners/results"
)

// TestLarge limits the page of 10,000 trials with 2,000,000 values to 10 s and 512 MiB,
// including its 270 MB of input. If other work slows the wall clock, the 10 s apply to
// processor time on two cores.
func TestLarge(t *testing.T) {
	if os.Getenv("INFBENCH_LARGE") == "" {
		t.Skip("SKIP: INFBENCH_LARGE is not set (make large)")
	}
	e := reportstest.Large(10_000, 200)
	started, before := time.Now(), usage(t)
	var page bytes.Buffer
	r, err := reports.Build([]*results.Experiment{e}, reports.Options{Room: RowsAtMost, Taken: true})
	if err != nil {
		t.Fatal(err)
	}
	built := time.Since(started)
	if err := Write(&page, r); err != nil {
		t.Fatal(err)
	}
	wall, after := time.Since(started), usage(t)
	busy := processor(after) - processor(before)
	t.Logf("built in %v, with the page %v (%v of the processor), %d MiB at most, page of %d MiB", built, wall, busy, after.Maxrss>>10, page.Len()>>20)
	if min(wall, busy/2) > 10*time.Second {
		t.Errorf("took %v by the clock and %v of the processor", wall, busy)
	}
	if after.Maxrss > 512<<10 {
		t.Errorf("peak memory %d MiB", after.Maxrss>>10)
	}
	if page.Len() > 20<<20 {
		t.Errorf("page of %d bytes", page.Len())
	}
}

// usage returns the resources that this process has used so far.
func usage(t *testing.T) syscall.Rusage {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return u
}

func processor(u syscall.Rusage) time.Duration {
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
