package runners

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"time"

	"infbench/internal/disk"
)

// vectorStore keeps vectors of one length by key in a folder of segments. Processes that use a
// folder at the same time each write their own segment, so they need not wait for each other.
type vectorStore struct {
	folder  string
	dim     int
	places  map[[sha256.Size]byte]place
	damaged int
	files   []*os.File  // segments, opened for reading
	read    []int64     // for each, the offset of its unread part
	maps    [][]mapping // for each, the mappings so far, each longer than the one before
	own     disk.File   // the segment that this process appends to; nil until it has something to write
	number  int32       // own's index in files
	end     int64       // length of own
	synced  time.Time   // when own was last synced
	record  []byte
}

// place is the location of a record.
type place struct {
	file   int32
	offset int64
}

// openVectorStore reads the keys of all segments in a folder.
func openVectorStore(folder string, dim int) (*vectorStore, error) {
	if err := disk.MkdirAll(disk.OS{}, folder); err != nil {
		return nil, err
	}
	for attempt := 1; ; attempt++ {
		s := &vectorStore{folder: folder, dim: dim, places: map[[sha256.Size]byte]place{}, record: make([]byte, recordLength(dim))}
		err := s.openSegments()
		if err == nil {
			return s, nil
		}
		err = errors.Join(err, s.close())
		if !errors.Is(err, fs.ErrNotExist) || attempt == 5 {
			return nil, err
		}
		// Segments were merged between listing and opening them: list again.
	}
}

// openSegments opens the segments that are not open yet, in the order of their names, so that
// the same one of two records with equal keys always wins.
func (s *vectorStore) openSegments() error {
	paths, err := segmentPaths(s.folder)
	if err != nil {
		return err
	}
	open := map[string]bool{}
	for _, f := range s.files {
		open[finalName(f)] = true
	}
	for _, path := range paths {
		if open[path] {
			continue
		}
		if err := s.openSegment(path); err != nil {
			return fmt.Errorf("read %s: %w", path, err)
		}
	}
	return nil
}

// refresh finds the records that other processes have written since the store was opened or
// refreshed.
func (s *vectorStore) refresh() error {
	if s.places == nil {
		return fs.ErrClosed
	}
	for i, f := range s.files {
		if s.own != nil && i == int(s.number) {
			continue
		}
		if err := s.readSegment(i); err != nil {
			return fmt.Errorf("read %s: %w", f.Name(), err)
		}
	}
	if err := s.openSegments(); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err // a segment that was merged between listing and opening has nothing new
	}
	return nil
}

// segmentPaths lists the segments in a folder, sorted.
func segmentPaths(folder string) ([]string, error) {
	entries, err := disk.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, e := range entries {
		if filepath.Ext(e.Name()) == segmentSuffix {
			paths = append(paths, filepath.Join(folder, e.Name()))
		}
	}
	return paths, nil
}

// openSegment opens a segment and records the places of its records.
func (s *vectorStore) openSegment(path string) error {
	f, err := disk.Open(path)
	if err != nil {
		return err
	}
	s.files, s.read = append(s.files, f), append(s.read, 0)
	return s.readSegment(len(s.files) - 1)
}

// readSegment records the places of the unread records of segment i.
func (s *vectorStore) readSegment(i int) error {
	f := s.files[i]
	if info, err := f.Stat(); err != nil || info.Size() <= s.read[i] {
		return err // nothing new
	}
	if s.read[i] == 0 {
		dim, whole, err := readHeader(f)
		if err != nil || !whole {
			return err // killed before the header was complete
		}
		if dim != s.dim {
			return fmt.Errorf("not a segment of vectors with %d values", s.dim)
		}
		s.read[i] = headerLength
	}
	_, err := readRecords(f, len(s.record), s.read[i], func(offset int64, record []byte) error {
		s.read[i] = offset + int64(len(record))
		if !wholeRecord(record) {
			s.damaged++
			return nil
		}
		key := [sha256.Size]byte(record)
		if _, known := s.places[key]; !known {
			s.places[key] = place{int32(i), offset}
		}
		return nil
	})
	return err
}

// get copies the vector of a key to dst; found is false if there is none.
func (s *vectorStore) get(key [sha256.Size]byte, dst []float32) (found bool, err error) {
	payload, err := s.payload(key)
	if payload == nil || err != nil {
		return false, err
	}
	for i := range dst {
		dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(payload[4*i:]))
	}
	return true, nil
}

// payload returns the contents of a key's record, valid until the next call; nil if there is
// none.
func (s *vectorStore) payload(key [sha256.Size]byte) ([]byte, error) {
	if s.places == nil {
		return nil, fs.ErrClosed
	}
	at, ok := s.places[key]
	if !ok {
		return nil, nil
	}
	if _, err := s.files[at.file].ReadAt(s.record, at.offset); err != nil {
		return nil, fmt.Errorf("read %s: %w", s.files[at.file].Name(), err)
	}
	if err := s.check(s.record, key, at); err != nil {
		return nil, err
	}
	return s.record[sha256.Size : len(s.record)-crc32.Size], nil
}

// check checks a record against its checksum and its key.
func (s *vectorStore) check(record []byte, key [sha256.Size]byte, at place) error {
	if !wholeRecord(record) || [sha256.Size]byte(record) != key {
		return fmt.Errorf("read %s: the record at byte %d changed since it was opened", s.files[at.file].Name(), at.offset)
	}
	return nil
}

// add appends the vectors of new keys, one after the other, in one write.
func (s *vectorStore) add(keys [][sha256.Size]byte, vectors []float32) error {
	return s.write(keys, func(record []byte, k int) []byte {
		for _, v := range vectors[k*s.dim : (k+1)*s.dim] {
			record = binary.LittleEndian.AppendUint32(record, math.Float32bits(v))
		}
		return record
	})
}

// write appends records of new keys in one write; fill appends the contents of the record of
// key k, four bytes for each value.
func (s *vectorStore) write(keys [][sha256.Size]byte, fill func(record []byte, k int) []byte) error {
	if s.places == nil {
		return fs.ErrClosed
	}
	if s.own == nil {
		own, read, err := createSegment(s.folder, s.dim)
		if err != nil {
			return err
		}
		s.own, s.end, s.synced = own, int64(len(segmentHeader(s.dim))), time.Now()
		s.files, s.read, s.number = append(s.files, read), append(s.read, 0), int32(len(s.files))
		if err := (disk.OS{}).SyncDir(s.folder); err != nil {
			return err
		}
	}
	buf := make([]byte, 0, len(keys)*len(s.record))
	for k, key := range keys {
		from := len(buf)
		buf = fill(append(buf, key[:]...), k)
		buf = binary.LittleEndian.AppendUint32(buf, castagnoli(buf[from:]))
	}
	// After a write that failed half way, nothing may be appended to the segment: the next
	// write begins a new one.
	if _, err := s.own.Write(buf); err != nil {
		err = errors.Join(err, s.own.Close())
		s.own = nil
		return err
	}
	for k, key := range keys {
		s.places[key] = place{s.number, s.end + int64(k*len(s.record))}
	}
	s.end += int64(len(buf))
	return s.syncOften()
}

// syncEvery is long compared with syncing a disk, and short compared with the time that people
// wait.
const syncEvery = 5 * time.Second

// syncOften syncs the written records if the last sync is a while ago. So a power loss costs at
// most the vectors that were encoded, or paid for, in that time.
func (s *vectorStore) syncOften() error {
	if time.Since(s.synced) < syncEvery {
		return nil
	}
	s.synced = time.Now()
	return s.own.Sync()
}

// close syncs the written records and closes all files.
func (s *vectorStore) close() error {
	all := s.unmap()
	if s.own != nil {
		all = errors.Join(all, s.own.Sync(), s.own.Close())
	}
	for _, f := range s.files {
		if err := f.Close(); err != nil && !errors.Is(err, fs.ErrClosed) {
			all = errors.Join(all, err)
		}
	}
	s.own, s.files, s.read, s.places = nil, nil, nil, nil
	return all
}
