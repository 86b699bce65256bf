package kernel

import (
	"time"

	"golang.org/x/sys/unix"
)

// processorTime returns the processor time of the calling thread: on a busy machine
// wall-clock time is not reliable.
func processorTime() time.Duration {
	var used unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &used); err != nil {
		panic(err)
	}
	return time.Duration(used.Nano())
}
