package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// OpenInside opens the file with that name, a path below folder, like os.OpenFile. With os.O_CREATE
// in flag it creates the folders between. Others may be able to write into folder. It therefore
// follows no link out of folder, and opens only regular files and no links: a pipe would wait for a
// reader, and a link could make this program write to a file of another's choice.
func OpenInside(folder, name string, flag int) (*os.File, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if flag&os.O_CREATE != 0 {
		if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return nil, err
		}
	}
	f, err := root.OpenFile(name, flag|noWait, 0o644)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	there, gone := root.Lstat(name)
	if err = errors.Join(err, gone); err == nil && !(info.Mode().IsRegular() && os.SameFile(info, there)) {
		err = &fs.PathError{Op: "open", Path: filepath.Join(folder, name), Err: ErrIrregular}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// openOwn opens one of this program's files for writing, and creates a missing one. It does not
// open a link or a pipe that somebody put in its place.
func openOwn(path string, flag int, mode fs.FileMode) (*os.File, error) {
	f, err := os.OpenFile(path, flag|os.O_CREATE|noFollow|noWait, mode)
	if err != nil {
		if info, at := os.Lstat(path); at == nil && info.Mode()&fs.ModeSymlink != 0 {
			err = fmt.Errorf("%s is a link, which is not followed: %w", path, err)
		}
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, &fs.PathError{Op: "open", Path: path, Err: ErrIrregular}, f.Close())
	}
	return f, nil
}
