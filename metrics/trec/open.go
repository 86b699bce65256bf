package trec

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"

	"infbench/datasets/atomicfile"
)

// openFile opens the file at path, unpacks gzip and zstd by their first bytes
// whatever the file is called, and hands it to read.
func openFile(path string, read func(r io.Reader) error) (err error) {
	f, err := atomicfile.Stream(path)
	if err != nil {
		return err
	}
	defer f.Close() // read only: nothing to lose
	r, closeReader, err := unpack(f)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	defer closeReader()
	return read(r)
}

// unpack returns a reader of what f holds under its compression, if any.
func unpack(f io.Reader) (r io.Reader, closeReader func(), err error) {
	buffered := bufio.NewReaderSize(f, 64<<10)
	magic, err := buffered.Peek(4)
	if err != nil && err != io.EOF {
		return nil, nil, err
	}
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, nil, err
		}
		return z, func() { z.Close() }, nil
	case bytes.HasPrefix(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(buffered, zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, nil, err
		}
		return z, z.Close, nil
	}
	return buffered, func() {}, nil
}
