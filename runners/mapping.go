package runners

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime/debug"
	"unsafe"

	"golang.org/x/sys/unix"
)

// errShrunk says that a file became shorter while it was read in memory.
var errShrunk = errors.New("embedding cache: a file was cut short, or could not be read, while it was searched")

// guarded calls f, which may read files in memory (see mapFile). What the system cannot
// read there is an error of f, and not the end of the process.
func guarded(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		fault := recover()
		if _, ok := fault.(interface{ Addr() uintptr }); ok {
			err = errShrunk
		} else if fault != nil {
			panic(fault)
		}
	}()
	return f()
}

// mapping is the beginning of a segment in memory. Nobody writes to what it holds: a
// segment only grows, and stays there when its file is removed. Its pages are the
// system's, which drops and reads them as it likes.
type mapping struct {
	data   []byte
	values []float32 // data as values
}

// mapFile maps the first size bytes of a file. Where the file system cannot, the mapping
// or the machine is not little-endian, the mapping is empty.
func mapFile(f *os.File, size int64) mapping {
	if size != int64(int(size)) || binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		return mapping{}
	}
	data, err := unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return mapping{}
	}
	return mapping{data, unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(data))), len(data)/4)}
}

// hold returns the vectors of keys where they lie in memory, each once compared with
// its checksum. ok is false where one is missing, or cannot be read there. The caller is
// guarded; the vectors last until the store is closed.
func (s *vectorStore) hold(keys [][sha256.Size]byte) (found vectors, ok bool, err error) {
	if s.places == nil {
		return vectors{}, false, fs.ErrClosed
	}
	for _, key := range keys {
		at, known := s.places[key]
		if !known {
			return vectors{}, false, nil
		}
		end := at.offset + int64(len(s.record))
		if err := s.reach(int(at.file), end); err != nil || int64(len(s.latest(int(at.file)).data)) < end {
			return vectors{}, false, err
		}
	}
	found.dim = s.dim
	for _, key := range keys {
		at := s.places[key]
		m := s.latest(int(at.file))
		if err := s.check(m.data[at.offset:][:len(s.record)], key, at); err != nil {
			return vectors{}, false, err
		}
		found.add(rows{m.values[(at.offset+sha256.Size)/4:], len(s.record) / 4, 1})
	}
	return found, true, nil
}

// latest is the longest mapping of segment i.
func (s *vectorStore) latest(i int) mapping {
	if i >= len(s.maps) || len(s.maps[i]) == 0 {
		return mapping{}
	}
	return s.maps[i][len(s.maps[i])-1]
}

// reach maps segment i up to a byte, if it can be mapped. It is mapped anew where it
// grew; the vectors of the mapping before are still in use.
func (s *vectorStore) reach(i int, end int64) error {
	if int64(len(s.latest(i).data)) >= end {
		return nil
	}
	info, err := s.files[i].Stat()
	if err != nil {
		return err
	}
	if info.Size() < end {
		return fmt.Errorf("read %s: it has %d bytes, and had more when it was opened", s.files[i].Name(), info.Size())
	}
	for len(s.maps) < len(s.files) {
		s.maps = append(s.maps, nil)
	}
	if m := mapFile(s.files[i], info.Size()); m.data != nil {
		s.maps[i] = append(s.maps[i], m)
	}
	return nil
}

// unmap gives up all mappings.
func (s *vectorStore) unmap() error {
	var all error
	for _, of := range s.maps {
		for _, m := range of {
			all = errors.Join(all, unix.Munmap(m.data))
		}
	}
	s.maps = nil
	return all
}

var _ holder = (*Cached)(nil)

// hold implements holder.
func (c *Cached) hold(titles, texts []string, use func(vectors) bool) (ok bool, err error) {
	keys := make([][sha256.Size]byte, len(texts))
	for i := range texts {
		keys[i] = vectorKey(c.fingerprint, kindDocument, titles[i], texts[i])
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	err = guarded(func() error {
		found, all, err := c.store.hold(keys)
		ok = all && err == nil && use(found)
		return err
	})
	if err != nil && err != errShrunk {
		err = fmt.Errorf("embedding cache: %w", err)
	}
	if err != nil {
		return false, err
	}
	if ok {
		c.hits += len(keys)
	}
	return ok, nil
}
