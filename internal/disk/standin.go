package disk

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// pointerStart is the beginning of every Git LFS pointer file
// (https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md).
const pointerStart = "version https://git-lfs.github.com/spec/"

var (
	errPointer = errors.New("this is a Git LFS pointer, not the file: run git lfs pull in its folder, or infbench models fetch")
	errHTML    = errors.New("this is an HTML page, not the file: it was not downloaded; take the file itself (of the hub, its resolve link), or infbench models fetch")
)

// StandIn returns an error if a model file's first bytes are those of a placeholder: a Git LFS
// pointer, or an HTML page that a server sent instead.
func StandIn(start []byte) error {
	if bytes.HasPrefix(start, []byte(pointerStart)) {
		return errPointer
	}
	start = bytes.ToLower(bytes.TrimLeft(bytes.TrimPrefix(start, []byte("\ufeff")), " \t\r\n"))
	if bytes.HasPrefix(start, []byte("<!doctype html")) || bytes.HasPrefix(start, []byte("<html")) {
		return errHTML
	}
	return nil
}

// ReadModelFile is like ReadFile for a model's file, with StandIn's error.
func ReadModelFile(path string) ([]byte, error) {
	data, err := ReadFile(path)
	if err != nil {
		return nil, err
	}
	if err := StandIn(data); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return data, nil
}

// CheckStandIn is like StandIn for an open file, which it rewinds.
func CheckStandIn(f io.ReadSeeker) error {
	start := make([]byte, 512)
	n, err := io.ReadFull(f, start)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return StandIn(start[:n])
}
