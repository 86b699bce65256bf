//go:build unix

package testkit

import (
	"syscall"
	"time"
)

// ProcessorTime is the time that all threads of this process have spent on processors so
// far, in user and system mode. Tests and benchmarks measure by it, since a clock also
// counts what other programs take.
func ProcessorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // the arguments are ours
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
