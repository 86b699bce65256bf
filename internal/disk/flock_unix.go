//go:build unix

package disk

import (
	"errors"
	"os"
	"syscall"
)

// Flags for opening this program's own files: links are not followed, and opening a pipe does not
// wait for a reader.
const noFollow, noWait = syscall.O_NOFOLLOW, syscall.O_NONBLOCK

// exclusive locks a file; it returns errHeld if another process holds it.
func exclusive(f *os.File) error {
	for {
		switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EWOULDBLOCK):
			return errHeld
		default:
			return err
		}
	}
}
