//go:build unix

package serve

import "syscall"

// openFiles returns how many files this process may open.
func openFiles() int {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return 2 * connectionsAtMost
	}
	return int(min(limit.Cur, 2*connectionsAtMost))
}
