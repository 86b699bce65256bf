package runners

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
)

// vectorStore keeps vectors of one length by key in a folder of segments.
//
// A segment is a file that one process makes and appends to and all may read,
// so processes need no lock, which network file systems do not give reliably:
//
//	header  "infbench vectors 1\n", then the number of values as uint32
//	record  key (32 bytes), values (float32 each), CRC-32C of both
//
// all little-endian. Records have one length, so a process killed while it
// writes leaves at most a torn tail, which readers pass over, and a damaged
// record hides no other.
type vectorStore struct {
	folder  string
	dim     int
	places  map[[sha256.Size]byte]place
	damaged int
	files   []*os.File // segments, opened for reading
	own     *os.File   // the segment this process appends to; nil until it has something to write
	end     int64      // length of own
	record  []byte
}

// place is where a record lies.
type place struct {
	file   int32
	offset int64
}

const (
	segmentMagic  = "infbench vectors 1\n"
	segmentSuffix = ".vectors"
)

func castagnoli(data []byte) uint32 { return crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)) }

func segmentHeader(dim int) []byte {
	return binary.LittleEndian.AppendUint32([]byte(segmentMagic), uint32(dim))
}

// openVectorStore reads the keys of all segments in a folder.
func openVectorStore(folder string, dim int) (*vectorStore, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	s := &vectorStore{folder: folder, dim: dim, places: map[[sha256.Size]byte]place{},
		record: make([]byte, sha256.Size+4*dim+crc32.Size)}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, e := range entries { // sorted by name: of two records of a key the same wins each time
		if filepath.Ext(e.Name()) != segmentSuffix {
			continue
		}
		path := filepath.Join(folder, e.Name())
		if err := s.openSegment(path); err != nil {
			return nil, errors.Join(fmt.Errorf("read %s: %w", path, err), s.close())
		}
	}
	return s, nil
}

// openSegment notes the places of the records of a segment.
func (s *vectorStore) openSegment(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	s.files = append(s.files, f)
	r, header := bufio.NewReaderSize(f, 1<<20), segmentHeader(s.dim)
	start := make([]byte, len(header))
	if _, err := io.ReadFull(r, start); err == io.EOF || err == io.ErrUnexpectedEOF {
		return nil // killed before the header was whole
	} else if err != nil {
		return err
	}
	if !bytes.Equal(start, header) {
		return fmt.Errorf("not a segment of vectors with %d values", s.dim)
	}
	for offset := int64(len(header)); ; offset += int64(len(s.record)) {
		if _, err := io.ReadFull(r, s.record); err == io.EOF || err == io.ErrUnexpectedEOF {
			return nil // a torn tail, or a record being written
		} else if err != nil {
			return err
		}
		if !s.whole() {
			s.damaged++
			continue
		}
		key := [sha256.Size]byte(s.record)
		if _, known := s.places[key]; !known {
			s.places[key] = place{int32(len(s.files) - 1), offset}
		}
	}
}

// whole says whether the checksum of s.record holds.
func (s *vectorStore) whole() bool {
	body := s.record[:len(s.record)-crc32.Size]
	return binary.LittleEndian.Uint32(s.record[len(body):]) == castagnoli(body)
}

// get copies the vector of a key to dst; found is false where there is none.
func (s *vectorStore) get(key [sha256.Size]byte, dst []float32) (found bool, err error) {
	if s.places == nil {
		return false, fs.ErrClosed
	}
	at, ok := s.places[key]
	if !ok {
		return false, nil
	}
	if _, err := s.files[at.file].ReadAt(s.record, at.offset); err != nil {
		return false, fmt.Errorf("read %s: %w", s.files[at.file].Name(), err)
	}
	if !s.whole() || [sha256.Size]byte(s.record) != key {
		return false, fmt.Errorf("read %s: the record at byte %d changed since it was opened", s.files[at.file].Name(), at.offset)
	}
	for i := range dst {
		dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(s.record[sha256.Size+4*i:]))
	}
	return true, nil
}

// add appends the vectors of new keys, one after the other, in one write.
func (s *vectorStore) add(keys [][sha256.Size]byte, vectors []float32) error {
	if s.places == nil {
		return fs.ErrClosed
	}
	if s.own == nil {
		if err := s.create(); err != nil {
			return err
		}
	}
	buf := make([]byte, 0, len(keys)*len(s.record))
	for k, key := range keys {
		from := len(buf)
		buf = append(buf, key[:]...)
		for _, v := range vectors[k*s.dim : (k+1)*s.dim] {
			buf = binary.LittleEndian.AppendUint32(buf, math.Float32bits(v))
		}
		buf = binary.LittleEndian.AppendUint32(buf, castagnoli(buf[from:]))
	}
	// At a place of its own: a write that failed half way is written over.
	if _, err := s.own.WriteAt(buf, s.end); err != nil {
		return err
	}
	for k, key := range keys {
		s.places[key] = place{int32(len(s.files) - 1), s.end + int64(k*len(s.record))}
	}
	s.end += int64(len(buf))
	return nil
}

// create makes this process's own segment, under a name no other has.
func (s *vectorStore) create() error {
	f, err := os.CreateTemp(s.folder, "*"+segmentSuffix)
	if err != nil {
		return err
	}
	header := segmentHeader(s.dim)
	_, err = f.WriteAt(header, 0)
	if err = errors.Join(err, f.Chmod(0o644)); err != nil {
		return errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	s.own, s.end = f, int64(len(header))
	s.files = append(s.files, f)
	return nil
}

// close syncs what was written and closes all files.
func (s *vectorStore) close() error {
	var all error
	if s.own != nil {
		all = s.own.Sync()
	}
	for _, f := range s.files {
		if err := f.Close(); err != nil && !errors.Is(err, fs.ErrClosed) {
			all = errors.Join(all, err)
		}
	}
	s.own, s.files, s.places = nil, nil, nil
	return all
}
