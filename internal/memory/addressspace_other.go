//go:build !linux

package memory

import "math"

// addressSpace is unbounded, as the limit is unknown here.
func addressSpace() int64 { return math.MaxInt64 }
