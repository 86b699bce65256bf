package disk

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// pointerStart begins every file of Git LFS that stands for another
// (https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md).
const pointerStart = "version https://git-lfs.github.com/spec/"

var (
	errPointer = errors.New("this is a Git LFS pointer, not the file: run git lfs pull in its folder, or infbench models fetch")
	errHTML    = errors.New("this is an HTML page, not the file: it was not downloaded; take the file itself (of the hub, its resolve link), or infbench models fetch")
)

// StandIn is an error where the start of a file of a model shows that it stands in another's
// place: a Git LFS pointer, or the page that a server sent instead.
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

// ReadModelFile is ReadFile of a file of a model, with StandIn's error.
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

// CheckStandIn is StandIn of an open file, which it leaves at its start.
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
