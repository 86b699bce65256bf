package hub

import (
	"fmt"
	"path/filepath"

	"golang.org/x/sys/unix"

	"infbench/internal/disk"
)

// spareSpace is the space in bytes that stays free after a fetch.
const spareSpace = 64 << 20

// checkSpace rejects a fetch that the disk has no space for.
func (c *Client) checkSpace(base string, files []File) error {
	need := int64(0)
	for _, f := range files {
		if _, err := disk.Stat(filepath.Join(base, "blobs", f.Blob)); err != nil {
			need += f.Size
		}
	}
	if need == 0 {
		return nil
	}
	if err := disk.MkdirAll(disk.OS{}, base); err != nil {
		return err
	}
	var st unix.Statfs_t
	if err := unix.Statfs(base, &st); err != nil {
		return nil // not every file system reports it; writing will fail
	}
	free := int64(st.Bavail) * int64(st.Bsize)
	if free < need+spareSpace {
		return fmt.Errorf("needs %d MiB, %s has %d MiB free", (need+spareSpace)>>20, base, free>>20)
	}
	return nil
}
