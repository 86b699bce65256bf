package disk

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// mostLinks bounds how many links in a row lead from a name to its file, as systems do.
const mostLinks = 40

// Follow is where the links at a name lead, at last to a name that need not be there.
func Follow(path string) (string, error) {
	for range mostLinks {
		target, err := os.Readlink(path)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.EINVAL) { // nothing, or no link
			return path, nil
		}
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		path = target
	}
	return "", &fs.PathError{Op: "follow", Path: path, Err: syscall.ELOOP}
}

// IsStream says whether a name leads to what takes bytes and is no file, a pipe or a
// device, or is one by which a shell hands over a file that it has open: a rename would
// take its place.
func IsStream(path string) bool {
	info, err := Stat(path)
	if err != nil || info.IsDir() {
		return false
	}
	return !info.Mode().IsRegular() || strings.HasPrefix(path, "/dev/")
}

// WriteInto writes what fill writes into a stream that is there, as it comes.
func WriteInto(path string, fill func(w io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	buf := bufio.NewWriterSize(f, 1<<16)
	return errors.Join(fill(buf), buf.Flush(), f.Close())
}
