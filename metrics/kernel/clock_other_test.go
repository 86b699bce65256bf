//go:build !linux

package kernel

import "time"

var started = time.Now()

// processorTime is that of a clock: the calling thread's is known on Linux only.
func processorTime() time.Duration { return time.Since(started) }
