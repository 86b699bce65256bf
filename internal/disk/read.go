package disk

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"infbench/internal/memory"
)

// ErrIrregular means that a name is not that of a regular file but of a folder, or of a pipe or a
// device, whose reading may never end.
var ErrIrregular = errors.New("is not a regular file")

// Open opens a regular file, possibly through links, for reading. If opening fails it tries again:
// file servers sometimes miss existing files, and an absent file may lead to other files being
// written or removed.
func Open(path string) (*os.File, error) {
	return Twice(func() (*os.File, error) { return openRegular(path) })
}

func openRegular(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("%w but a folder", ErrIrregular)}
	}
	if !info.Mode().IsRegular() && !isTyped(path) {
		return nil, &fs.PathError{Op: "read", Path: path, Err: ErrIrregular}
	}
	return os.Open(path)
}

// Siblings lists the names in the folder of a path; none if it cannot be read.
func Siblings(path string) (names []string) {
	entries, _ := ReadDir(filepath.Dir(path))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// isTyped reports whether a path is one by which a shell passes a pipe, as in --run <(zcat run.gz);
// names in folders never look like that.
func isTyped(path string) bool { return path == "/dev/stdin" || strings.HasPrefix(path, "/dev/fd/") }

// Exists reports whether a path leads to anything. If that cannot be determined the result is an
// error, not false.
func Exists(path string) (bool, error) {
	_, err := Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// Stat tries twice: an absent file may change the meaning of a name, or lead to other files being
// read, written or removed.
func Stat(path string) (fs.FileInfo, error) {
	return Twice(func() (fs.FileInfo, error) { return os.Stat(path) })
}

// ReadDir lists a folder, sorted by name. It tries twice, like Stat.
func ReadDir(dir string) ([]fs.DirEntry, error) {
	return Twice(func() ([]fs.DirEntry, error) { return os.ReadDir(dir) })
}

// Resolve returns the absolute path of a path's target, without links. It tries twice, like Stat.
func Resolve(path string) (string, error) {
	return Twice(func() (string, error) {
		full, err := filepath.EvalSymlinks(path)
		if err != nil {
			return "", err
		}
		return filepath.Abs(full)
	})
}

// Twice calls look again if it fails.
func Twice[T any](look func() (T, error)) (T, error) {
	if found, err := look(); err == nil {
		return found, nil
	}
	return look()
}

// Stream opens a regular file for reading from start to end. If it ends before the size it had when
// opened, as on a faulty file server, that is an error.
func Stream(path string) (io.ReadCloser, error) {
	f, err := openWhole(path)
	if err != nil {
		return nil, err
	}
	return f, nil
}

func openWhole(path string) (*wholeFile, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	info, err := Twice(f.Stat)
	if err != nil {
		f.Close()
		return nil, err
	}
	return &wholeFile{f, info.Size()}, nil
}

// wholeFile is a file with the number of bytes that it must still have.
type wholeFile struct {
	file *os.File
	left int64
}

func (s *wholeFile) Read(p []byte) (int, error) {
	n, err := s.file.Read(p)
	if s.left -= int64(n); err == io.EOF && s.left > 0 {
		err = &fs.PathError{Op: "read", Path: s.file.Name(), Err: fmt.Errorf("%w: %d bytes are missing", io.ErrUnexpectedEOF, s.left)}
	}
	return n, err
}

func (s *wholeFile) Close() error { return s.file.Close() }

// ReadFile reads a complete regular file. If memory has no room for it the error is a *memory.Full.
func ReadFile(path string) ([]byte, error) {
	f, err := openWhole(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := memory.For(f.left); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	data := bytes.NewBuffer(make([]byte, 0, f.left+bytes.MinRead))
	if _, err := data.ReadFrom(f); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return data.Bytes(), nil
}
