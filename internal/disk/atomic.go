// Package disk reads and writes the files of infbench: atomic writes (a file is complete or absent
// under its final name), locks between processes, hashes, sealed JSON and the check of formats. It
// does not interpret the content of files.
//
// All results are written through an FS. Callers pass another FS than OS only if writes need a
// check, such as the fence of a lease. Tests make writes fail from outside, as system calls
// (internal/testkit/tracer). Leases, locks and the progress of trials are not written through an
// FS: they belong to living processes and mean nothing after a power loss.
package disk

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"strings"
)

// temporaryPrefix is the prefix of the names of incomplete files and folders.
const temporaryPrefix = ".tmp-"

// temporaryDigits is the number of random hexadecimal digits that end such a name.
const temporaryDigits = 16

// Temporary returns a fresh name in the folder of path, for a file that will be renamed to path. A
// file that a killed process leaves under such a name is garbage.
func Temporary(path string) string {
	return filepath.Join(filepath.Dir(path), fmt.Sprintf("%s%0*x", temporaryStart(filepath.Base(path)), temporaryDigits, rand.Uint64()))
}

// temporaryStart returns the beginning of the names from Temporary for a base name.
func temporaryStart(base string) string {
	return temporaryPrefix + FitName(base, len(temporaryPrefix)+1+temporaryDigits) + "-"
}

// IsTemporary reports whether a file or folder of that name is garbage unless a process is writing
// it.
func IsTemporary(name string) bool { return strings.HasPrefix(filepath.Base(name), temporaryPrefix) }

// IsTemporaryOf reports whether Temporary may have returned name for a base name.
func IsTemporaryOf(name, base string) bool {
	random, ok := strings.CutPrefix(name, temporaryStart(base))
	return ok && len(random) == temporaryDigits && strings.Trim(random, "0123456789abcdef") == ""
}

// Write creates or replaces the file at path with the output of fill. If fill or any step fails,
// path keeps its former content (or stays absent) and the temporary file is removed. Missing parent
// folders are created.
func Write(path string, fill func(w io.Writer) error) error { return WriteTo(OS{}, path, fill) }

// WriteJSONTo creates or replaces the file at path on a file system with the indented JSON of a
// value.
func WriteJSONTo(fsys FS, path string, v any) error {
	return WriteTo(fsys, path, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(v)
	})
}

// WriteBytes is like Write for content in memory.
func WriteBytes(path string, data []byte) error { return WriteBytesTo(OS{}, path, data) }

// WriteNew is like WriteBytes for a file that must not exist yet. The error is fs.ErrExist if it
// does, also if another process creates it meanwhile.
func WriteNew(path string, data []byte) error {
	files, whole := OS{}, Temporary(path)
	if err := WriteBytes(whole, data); err != nil {
		return err
	}
	defer files.Remove(whole)
	err := files.Link(whole, path)
	if err != nil && !errors.Is(err, fs.ErrExist) { // a file system without links
		err = files.Rename(whole, path)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return files.SyncDir(filepath.Dir(path))
}

// WriteBytesTo is like WriteBytes on a given file system.
func WriteBytesTo(fsys FS, path string, data []byte) error {
	return WriteTo(fsys, path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// WriteTo is like Write on a given file system.
func WriteTo(fsys FS, path string, fill func(w io.Writer) error) (err error) {
	dir := filepath.Dir(path)
	if err := MkdirAll(fsys, dir); err != nil {
		return fmt.Errorf("create folder for %s: %w", path, err)
	}
	temporary := Temporary(path)
	f, err := fsys.Create(temporary)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			f.Close()
			fsys.Remove(temporary)
			err = fmt.Errorf("write %s: %w", path, err)
		}
	}()
	buf := bufio.NewWriterSize(f, 1<<16)
	if err := fill(buf); err != nil {
		return err
	}
	if err := buf.Flush(); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := fsys.Rename(temporary, path); err != nil {
		return err
	}
	return fsys.SyncDir(dir)
}
