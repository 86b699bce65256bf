//go:build !unix

package disk

import "os"

const noFollow, noWait = 0, 0

// exclusive does nothing, as there is no lock here: users must not run two processes at once.
func exclusive(*os.File) error { return nil }
