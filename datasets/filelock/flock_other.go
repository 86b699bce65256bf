//go:build !unix

package filelock

import "os"

// exclusive has nothing to lock by: one process at a time is up to the user.
func exclusive(*os.File) error { return nil }
