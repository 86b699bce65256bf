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

// errShrunk is the error if a file became shorter while it was read as memory.
var errShrunk = errors.New("embedding cache: a file was cut short, or could not be read, while it was searched")

// guarded calls f, which may read mapped files (see mapFile). If the system cannot read a file,
// f fails, but the process does not end.
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

// mapping is the beginning of a segment in memory. Nobody changes its contents: a segment only
// grows, and the mapping remains when the file is removed. Its pages belong to the system,
// which drops and reads them as it likes.
type mapping struct {
	data   []byte
	values []float32 // data as values
}

// mapFile maps the first size bytes of a file. The mapping is empty if the file system cannot
// map files or the machine is not little-endian.
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

// hold returns the vectors of keys in mapped memory. Each is checked once against its checksum.
// ok is false if one is missing, or cannot be read there. The caller must use guarded; the
// vectors are valid until the store is closed.
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

// reach maps segment i up to a byte, if it can be mapped. If the segment has grown, it is
// mapped again; the vectors of the earlier mapping remain in use.
func (s *vectorStore) reach(i int, end int64) error {
	if int64(len(s.latest(i).data)) >= end {
		return nil
	}
	info, err := s.files[i].Stat()
	if err != nil {
		return err
	}
	if info.Size() < end {
		return fmt.Errorf("read %s: it has %d bytes, but had more when it was opened", s.files[i].Name(), info.Size())
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
