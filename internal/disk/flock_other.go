//go:build !unix

package disk

import "os"

const noFollow, noWait = 0, 0

// exclusive has nothing to lock by: one process at a time is up to the user.
func exclusive(*os.File) error { return nil }
