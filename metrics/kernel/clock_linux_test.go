package kernel

import (
	"time"

	"golang.org/x/sys/unix"
)

// processorTime is what the calling thread has computed: on a machine that is busy with
// other work, the time of a clock says little.
func processorTime() time.Duration {
	var used unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &used); err != nil {
		panic(err)
	}
	return time.Duration(used.Nano())
}
