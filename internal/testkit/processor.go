//go:build unix

package testkit

import (
	"syscall"
	"time"
)

// ProcessorTime returns the processor time of all threads of this process so far, user and system.
// Tests and benchmarks use it because wall-clock time also counts other programs.
func ProcessorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // cannot fail with these arguments
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
