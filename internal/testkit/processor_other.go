//go:build !unix

package testkit

import "time"

var begun = time.Now()

// ProcessorTime is the time since the process began, where the system does not report what
// it spent on processors.
func ProcessorTime() time.Duration { return time.Since(begun) }
