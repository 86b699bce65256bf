//go:build !linux

package memory

import "math"

// addressSpace is no bound where its limit is not known.
func addressSpace() int64 { return math.MaxInt64 }
