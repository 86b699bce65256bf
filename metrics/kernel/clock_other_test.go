//go:build !linux

package kernel

import "time"

var started = time.Now()

// processorTime returns wall-clock time: the calling thread's processor time is available on
// Linux only.
func processorTime() time.Duration { return time.Since(started) }
