package format

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/klauspost/compress/zstd"

	"infbench/internal/disk"
)

// compressions are the name endings of compressed files, in the order in which
// Find tries them after the plain name.
var compressions = []string{".gz", ".zst"}

// Open opens the file at path and decompresses it if its first bytes are those
// of gzip or zstd, whatever its name says: no text begins like that.
func Open(path string) (io.ReadCloser, error) {
	f, err := disk.Stream(path)
	if err != nil {
		return nil, err
	}
	r, err := decompress(f)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// decompress wraps f by its first bytes. Closing the result closes f.
func decompress(f io.ReadCloser) (io.ReadCloser, error) {
	buf := bufio.NewReaderSize(f, 1<<16)
	magic, err := buf.Peek(4)
	if err != nil && err != io.EOF {
		return nil, err
	}
	switch compressionOf(magic) {
	case "gzip":
		z, err := gzip.NewReader(buf)
		if err != nil {
			return nil, fmt.Errorf("gzip: %w", noEOF(err))
		}
		return &stream{Reader: z, close: f.Close}, nil
	case "zstd":
		z, err := zstd.NewReader(buf, zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, fmt.Errorf("zstd: %w", noEOF(err))
		}
		return &stream{Reader: z, close: func() error { z.Close(); return f.Close() }}, nil
	}
	return &stream{Reader: buf, close: f.Close}, nil
}

// compressionOf names the compression whose files begin with magic, "" if none.
func compressionOf(magic []byte) string {
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		return "gzip"
	case bytes.HasPrefix(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		return "zstd"
	}
	return ""
}

// noEOF keeps a header cut short from looking like the clean end of a file.
func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// stream is a reader with the closing of what lies below it.
type stream struct {
	io.Reader
	close func() error
}

func (s *stream) Close() error { return s.close() }

// Find returns path, or path with .gz or .zst behind it, whichever exists
// first. The error of a file that is nowhere matches fs.ErrNotExist.
func Find(path string) (string, error) {
	for _, ending := range append([]string{""}, compressions...) {
		if info, err := disk.Stat(path + ending); err == nil && info.Mode().IsRegular() {
			return path + ending, nil
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	return "", fmt.Errorf("%s (also tried %s): %w", path, strings.Join(compressions, ", "), fs.ErrNotExist)
}

// PlainName is path without the ending of its compression.
func PlainName(path string) string {
	for _, ending := range compressions {
		path = strings.TrimSuffix(path, ending)
	}
	return path
}
