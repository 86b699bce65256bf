package format

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/klauspost/compress/zstd"

	"infbench/internal/disk"
)

// compressions are the file endings of compressed files, in the order in which Find tries them
// after the plain name.
var compressions = []string{".gz", ".zst"}

// packings are the known formats of packed files, recognized by their first bytes (? is any byte)
// or by the file's ending. The entries of compressions come first and can be read; the others are
// named in an error.
var packings = []struct{ name, ending, magic string }{
	{"gzip", ".gz", "\x1f\x8b"},
	{"zstd", ".zst", "\x28\xb5\x2f\xfd"},
	{"bzip2", ".bz2", "BZh?1AY&SY"},
	{"xz", ".xz", "\xfd7zXZ\x00"},
	{"zip", ".zip", "PK\x03\x04"},
	{"7z", ".7z", "7z\xbc\xaf\x27\x1c"},
	{"lz4", ".lz4", "\x04\x22\x4d\x18"},
	{"rar", ".rar", "Rar!\x1a\x07"},
	{"lzip", ".lz", "LZIP\x01"},
	{"lzma", ".lzma", "\x5d\x00\x00"},
	{"compress", ".z", "\x1f\x9d"},
	{"snappy", ".sz", "\xff\x06\x00\x00sNaPpY"},
	{"brotli", ".br", "\xce\xb2\xcf\x81"},
}

// HeadSize is the number of first bytes needed to recognize all packings and byte order marks.
const HeadSize = 10

// PackedBy returns the name of a file's packing, such as gzip, or "" if it is not packed. head is
// the first HeadSize bytes of the file, or all of a shorter file.
func PackedBy(head []byte) string {
	for _, p := range packings {
		fits := len(head) >= len(p.magic)
		for i := 0; fits && i < len(p.magic); i++ {
			fits = p.magic[i] == '?' || p.magic[i] == head[i]
		}
		if fits {
			return p.name
		}
	}
	return ""
}

// CheckPacking rejects a file whose ending is that of an unsupported packing.
func CheckPacking(path string) error {
	for _, p := range packings[len(compressions):] {
		if strings.EqualFold(filepath.Ext(path), p.ending) {
			return fmt.Errorf("%s: %w", path, unreadPacking(p.name))
		}
	}
	return nil
}

// unreadPacking returns the error for a file in an unsupported packing.
func unreadPacking(name string) error {
	return fmt.Errorf("the file is packed with %s, which is not supported: unpack it, or pack it with gzip or zstd", name)
}

// Open opens the text file at path and decompresses it as Unpack does.
func Open(path string) (io.ReadCloser, error) {
	f, err := disk.Stream(path)
	if err != nil {
		return nil, err
	}
	r, err := Unpack(f)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// Unpack reads text from f. It decompresses it if its first bytes are those of gzip or zstd,
// whatever its name: no text begins like that. A byte order mark is dropped. Other packings, UTF-16
// and UTF-32 are errors. Closing the result closes f.
func Unpack(f io.ReadCloser) (io.ReadCloser, error) {
	buf := bufio.NewReaderSize(f, 1<<16)
	head, err := buf.Peek(HeadSize)
	if err != nil && err != io.EOF {
		return nil, err
	}
	switch packing := PackedBy(head); packing {
	case "gzip":
		z, err := gzip.NewReader(buf)
		if err != nil {
			return nil, fmt.Errorf("gzip: %w", noEOF(err))
		}
		return textOf(bufio.NewReaderSize(z, 1<<16), f.Close)
	case "zstd":
		z, err := zstd.NewReader(buf, zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, fmt.Errorf("zstd: %w", noEOF(err))
		}
		return textOf(bufio.NewReaderSize(z, 1<<16), func() error { z.Close(); return f.Close() })
	case "":
		return textOf(buf, f.Close)
	default:
		return nil, unreadPacking(packing)
	}
}

// textOf returns r without a byte order mark; Close calls closing.
func textOf(r *bufio.Reader, closing func() error) (io.ReadCloser, error) {
	if err := disk.SkipTextStart(r); err != nil {
		return nil, err
	}
	return &stream{Reader: r, close: closing}, nil
}

// noEOF replaces io.EOF, so that a truncated header does not look like a regular end of file.
func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// stream is a reader that also closes its underlying reader.
type stream struct {
	io.Reader
	close func() error
}

func (s *stream) Close() error { return s.close() }

// Find returns path, or path with .gz or .zst appended, whichever exists first. If none exists the
// error matches fs.ErrNotExist; if the file exists in an unsupported packing the error names the
// packing.
func Find(path string) (string, error) {
	for _, ending := range append([]string{""}, compressions...) {
		if info, err := disk.Stat(path + ending); err == nil && info.Mode().IsRegular() {
			return path + ending, nil
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			return "", err
		}
	}
	for _, p := range packings[len(compressions):] {
		if there, err := disk.Exists(path + p.ending); err == nil && there {
			return "", CheckPacking(path + p.ending)
		}
	}
	return "", fmt.Errorf("%s (also tried %s): %w", path, strings.Join(compressions, ", "), fs.ErrNotExist)
}

// PlainName returns path without the ending of its compression.
func PlainName(path string) string {
	for _, ending := range compressions {
		path = strings.TrimSuffix(path, ending)
	}
	return path
}
