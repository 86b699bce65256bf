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

	"github.com/klauspost/compress/zstd"

	"infbench/internal/disk"
)

// compressions are the name endings of compressed files, in the order in which
// Find tries them after the plain name.
var compressions = []string{".gz", ".zst"}

// packings are the kinds of packed files that are known by their first bytes, in which ?
// is any byte, and by the ending of a name. Those of compressions come first and are read;
// the others are named in an error.
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

// HeadSize is how many first bytes tell all packings and byte order marks apart.
const HeadSize = 10

// PackedBy returns the name of a file's packing, such as gzip, "" if it is not packed. head
// is the first HeadSize bytes of the file, or all of a shorter one.
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

// CheckPacking refuses a file whose name ends as those of packed files do that are not
// read.
func CheckPacking(path string) error {
	for _, p := range packings[len(compressions):] {
		if strings.EqualFold(filepath.Ext(path), p.ending) {
			return fmt.Errorf("%s: %w", path, unreadPacking(p.name))
		}
	}
	return nil
}

// unreadPacking is the error of a file in a packing that is not read.
func unreadPacking(name string) error {
	return fmt.Errorf("the file is packed with %s, which is not read: unpack it, or pack it with gzip or zstd", name)
}

// Open opens the text file at path as Unpack does.
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

// Unpack reads text from f, which it decompresses if its first bytes are those of gzip or
// zstd, whatever its name is: no text begins like that. A byte order mark is dropped.
// Other packings, UTF-16 and UTF-32 are errors. Closing the result closes f.
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

// textOf is r without a byte order mark, closed by closing.
func textOf(r *bufio.Reader, closing func() error) (io.ReadCloser, error) {
	if err := disk.SkipTextStart(r); err != nil {
		return nil, err
	}
	return &stream{Reader: r, close: closing}, nil
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
// first. The error of a file that is nowhere matches fs.ErrNotExist; that of one which is
// there in a packing that is not read names the packing.
func Find(path string) (string, error) {
	for _, ending := range append([]string{""}, compressions...) {
		if info, err := disk.Stat(path + ending); err == nil && info.Mode().IsRegular() {
			return path + ending, nil
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
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

// PlainName is path without the ending of its compression.
func PlainName(path string) string {
	for _, ending := range compressions {
		path = strings.TrimSuffix(path, ending)
	}
	return path
}
