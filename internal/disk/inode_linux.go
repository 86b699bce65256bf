package disk

import (
	"io/fs"
	"syscall"
)

// inode is the number of a file, and when it was changed last, its owner and links
// counted.
func inode(info fs.FileInfo) (number uint64, changed int64) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0
	}
	return s.Ino, s.Ctim.Nano()
}
