//go:build !unix

package testkit

import "time"

var begun = time.Now()

// ProcessorTime returns the time since the process started, on systems that do not report processor
// time.
func ProcessorTime() time.Duration { return time.Since(begun) }
