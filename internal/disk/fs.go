package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// FS has the write operations of a file system; reading always uses the operating system.
type FS interface {
	// Mkdir creates one folder; the error is fs.ErrExist if the name is taken. See MkdirAll.
	Mkdir(dir string) error
	// Create creates a file that must not exist yet.
	Create(path string) (File, error)
	// Append opens a file for writing from an offset on; it creates a missing file and truncates an
	// existing one at the offset.
	Append(path string, from int64) (File, error)
	// Link gives a file a second name; the error is fs.ErrExist if the name is taken.
	Link(path, name string) error
	// Symlink creates a link to target, relative to the link's folder.
	Symlink(target, name string) error
	Rename(from, to string) error
	Remove(path string) error
	RemoveAll(path string) error
	// SyncDir makes earlier creations, renames and removals in dir survive a power loss.
	SyncDir(dir string) error
}

// File is a file that is being written.
type File interface {
	io.Writer
	Sync() error
	Close() error
}

// MkdirAll creates a folder and its missing parents, so that each survives a power loss: even a
// synced file is lost if the name of its folder is. If one of them is a file, the error names it
// and is ENOTDIR.
func MkdirAll(fsys FS, dir string) error {
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	above := filepath.Dir(dir)
	if above != dir {
		if err := MkdirAll(fsys, above); err != nil {
			return err
		}
	}
	if err := fsys.Mkdir(dir); err != nil {
		info, seen := os.Stat(dir)
		switch {
		case !errors.Is(err, fs.ErrExist) || seen != nil:
			return err
		case !info.IsDir():
			return fmt.Errorf("%s is a file: %w", dir, syscall.ENOTDIR)
		} // another process created it, and may not have synced it yet
	}
	return fsys.SyncDir(above)
}

// RenameDir renames a folder, so that the removal of the old name and the new name survive a power
// loss.
func RenameDir(fsys FS, from, to string) error {
	if err := fsys.Rename(from, to); err != nil {
		return err
	}
	if err := fsys.SyncDir(filepath.Dir(to)); err != nil || filepath.Dir(from) == filepath.Dir(to) {
		return err
	}
	return fsys.SyncDir(filepath.Dir(from))
}

// OS is the operating system's file system.
type OS struct{}

var _ FS = OS{}

// Mkdir implements FS.
func (OS) Mkdir(dir string) error { return os.Mkdir(dir, 0o755) }

// Create implements FS.
func (OS) Create(path string) (File, error) {
	return opened(os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644))
}

// Append implements FS.
func (OS) Append(path string, from int64) (File, error) {
	f, err := openOwn(path, os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	if err = f.Truncate(from); err == nil {
		_, err = f.Seek(from, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// opened returns f as a File, or an error; it never returns a nil *os.File in an interface.
func opened(f *os.File, err error) (File, error) {
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Link implements FS.
func (OS) Link(path, name string) error { return os.Link(path, name) }

// Symlink implements FS.
func (OS) Symlink(target, name string) error { return os.Symlink(target, name) }

// Rename implements FS.
func (OS) Rename(from, to string) error { return os.Rename(from, to) }

// Remove implements FS.
func (OS) Remove(path string) error { return os.Remove(path) }

// RemoveAll implements FS.
func (OS) RemoveAll(path string) error { return os.RemoveAll(path) }

// SyncDir implements FS.
func (OS) SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
