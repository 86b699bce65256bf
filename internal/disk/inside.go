package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// OpenInside opens the file of that name, a path below folder, as os.OpenFile does, and makes
// the folders between where flag has os.O_CREATE. Others may be able to write into folder, so
// it follows no link that leads out of it, opens no link and nothing but a regular file: a
// pipe would wait for a reader, and a link would have text added to a file of its maker's
// choice.
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

// openOwn opens a file of this program's for writing, and makes it where it is missing. It
// opens neither a link nor a pipe that somebody put in its place.
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
