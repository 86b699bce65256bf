//go:build unix

package disk

import (
	"errors"
	"os"
	"syscall"
)

// exclusive locks a file, or says that another process holds it.
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
