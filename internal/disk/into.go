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

// mostLinks is the maximum number of links that are followed from a name, like the limit of
// systems.
const mostLinks = 40

// Follow follows the links at a name and returns the final name, which need not exist.
func Follow(path string) (string, error) {
	for range mostLinks {
		target, err := os.Readlink(path)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.EINVAL) { // nothing, or not a link
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

// IsStream reports whether a name leads to a pipe or a device, or is a name by which a shell passes
// an open file. A rename would replace it instead of writing to it.
func IsStream(path string) bool {
	info, err := Stat(path)
	if err != nil || info.IsDir() {
		return false
	}
	return !info.Mode().IsRegular() || strings.HasPrefix(path, "/dev/")
}

// WriteInto writes the output of fill into an existing stream.
func WriteInto(path string, fill func(w io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	buf := bufio.NewWriterSize(f, 1<<16)
	return errors.Join(fill(buf), buf.Flush(), f.Close())
}
