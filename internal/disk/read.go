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

// ErrIrregular says that in the place of a file is something else: a folder, or a pipe
// or a device, which to read may never end.
var ErrIrregular = errors.New("is no regular file")

// Open opens a regular file, or what a link leads to, for reading. One that cannot be
// opened is tried twice: file servers miss what is there, once in a while, and that a file
// is absent decides what is written or removed.
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

// Beside lists the names in the folder of a path; none where it cannot be read.
func Beside(path string) (names []string) {
	entries, _ := ReadDir(filepath.Dir(path))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// isTyped says whether a path is one of those by which a shell hands over a pipe, as in
// --run <(zcat run.gz): no name in a folder reads so.
func isTyped(path string) bool { return path == "/dev/stdin" || strings.HasPrefix(path, "/dev/fd/") }

// Exists says whether a path leads to anything. What cannot be known is an error, not an
// absence.
func Exists(path string) (bool, error) {
	_, err := Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// Stat looks twice for what cannot be looked at: that it is not there decides what a name
// means, and what is read, written or removed.
func Stat(path string) (fs.FileInfo, error) {
	return Twice(func() (fs.FileInfo, error) { return os.Stat(path) })
}

// ReadDir lists a folder, sorted by name, for which it looks twice as Stat does.
func ReadDir(dir string) ([]fs.DirEntry, error) {
	return Twice(func() ([]fs.DirEntry, error) { return os.ReadDir(dir) })
}

// Resolve is the absolute path of what a path leads to, without links, for which it looks
// twice as Stat does.
func Resolve(path string) (string, error) {
	return Twice(func() (string, error) {
		full, err := filepath.EvalSymlinks(path)
		if err != nil {
			return "", err
		}
		return filepath.Abs(full)
	})
}

// Twice looks again where a look fails.
func Twice[T any](look func() (T, error)) (T, error) {
	if found, err := look(); err == nil {
		return found, nil
	}
	return look()
}

// Stream opens a regular file to be read from its begin to its end. An end before the
// size that the file had then, as file servers give it in trouble, is an error.
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

// wholeFile is a file with the bytes of it that are to come at least.
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

// ReadFile reads a regular file whole. One that memory has no room for is a *memory.Full.
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
