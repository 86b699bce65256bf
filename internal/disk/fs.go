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

// FS is what writing asks of a file system; reading always goes to the operating system.
type FS interface {
	// Mkdir makes one folder; fs.ErrExist where something of that name is. See MkdirAll.
	Mkdir(dir string) error
	// Create makes a file that is not there yet.
	Create(path string) (File, error)
	// Append opens a file, which it makes where there is none, to be written to from a
	// byte on; what the file has behind that goes.
	Append(path string, from int64) (File, error)
	// Link gives a file a second name; fs.ErrExist where something of that name is.
	Link(path, name string) error
	// Symlink makes a name that leads to target, seen from the folder of the name.
	Symlink(target, name string) error
	Rename(from, to string) error
	Remove(path string) error
	RemoveAll(path string) error
	// SyncDir makes what was created, renamed and removed in dir survive a
	// power loss.
	SyncDir(dir string) error
}

// File is a file that is being written.
type File interface {
	io.Writer
	Sync() error
	Close() error
}

// MkdirAll makes a folder and those above it that are missing, each of which then
// survives a power loss: a file that is synced is lost all the same with the name of a
// folder that is not. A file in the place of one of them is named; the error is ENOTDIR.
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
		} // another process made it, and may not have come to sync it
	}
	return fsys.SyncDir(above)
}

// RenameDir renames a folder; that it is gone from the one place and is in the other
// survives a power loss.
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

// opened is a file without an error, not a nil *os.File in an interface.
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
