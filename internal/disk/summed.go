package disk

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
)

// Summed is an FS that computes the SHA-256 of written data, so that the recorded hash is that of
// the intended content, whatever the disk returns. It serves one writer at a time.
type Summed struct {
	FS
	sums map[string]hash.Hash
}

// NewSummed returns a Summed over a file system.
func NewSummed(fsys FS) *Summed { return &Summed{fsys, map[string]hash.Hash{}} }

// Create implements FS.
func (s *Summed) Create(path string) (File, error) {
	f, err := s.FS.Create(path)
	if err != nil {
		return nil, err
	}
	h := sha256.New()
	s.sums[path] = h
	return summedFile{f, io.MultiWriter(f, h)}, nil
}

// Rename implements FS.
func (s *Summed) Rename(from, to string) error {
	if err := s.FS.Rename(from, to); err != nil {
		return err
	}
	if h, ok := s.sums[from]; ok {
		delete(s.sums, from)
		s.sums[to] = h
	}
	return nil
}

// Sum returns the hash, in lower-case hexadecimal, of a created file by its current name; "" if
// there is none.
func (s *Summed) Sum(path string) string {
	h, ok := s.sums[path]
	if !ok {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}

// summedFile is a file whose bytes are hashed as they are written.
type summedFile struct {
	File
	both io.Writer
}

func (f summedFile) Write(p []byte) (int, error) { return f.both.Write(p) }
