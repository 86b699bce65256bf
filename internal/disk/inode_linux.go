package disk

import (
	"io/fs"
	"syscall"
)

// inode returns the inode number of a file, and the time of its last change, including owner and
// links.
func inode(info fs.FileInfo) (number uint64, changed int64) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0
	}
	return s.Ino, s.Ctim.Nano()
}
