//go:build !unix

package disk

import "os"

// exclusive has nothing to lock by: one process at a time is up to the user.
func exclusive(*os.File) error { return nil }
