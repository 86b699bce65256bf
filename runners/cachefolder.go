package runners

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"infbench/internal/disk"
)

// modelIDLength is the number of hexadecimal digits in the name of a model's
// folder.
const modelIDLength = 32

// fingerprintFile describes the vectors in a model's folder. Its modification time is when the
// folder was last opened.
const fingerprintFile = "fingerprint.txt"

// markUsed records that a model's folder is opened, with its fingerprint.
func markUsed(folder, fingerprint string) error {
	path := filepath.Join(folder, fingerprintFile)
	now := time.Now()
	if err := os.Chtimes(path, now, now); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return disk.WriteBytes(path, []byte(fingerprint))
}

// CacheModel is the part of an embedding cache with the vectors of one model.
type CacheModel struct {
	ID          string
	Fingerprint string // as given to NewCached, or the name of a changed file; "" if it is not stored
	Segments    int
	Bytes       int64
	Used        time.Time // last opened or written to
	folder      string
}

// ListCache lists the models of an embedding cache by ID. It ignores other files in the folder.
func ListCache(folder string) ([]CacheModel, error) {
	entries, err := disk.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("embedding cache: %w", err)
	}
	var models []CacheModel
	for _, e := range entries {
		if _, err := hex.DecodeString(e.Name()); err != nil || len(e.Name()) != modelIDLength || !e.IsDir() {
			continue
		}
		m := CacheModel{ID: e.Name(), folder: filepath.Join(folder, e.Name())}
		if err := m.look(); err != nil {
			return nil, fmt.Errorf("embedding cache: %w", err)
		}
		models = append(models, m)
	}
	return models, nil
}

// look fills in the facts that need no reading of vectors.
func (m *CacheModel) look() error {
	path := filepath.Join(m.folder, fingerprintFile)
	text, err := disk.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	m.Fingerprint = string(text)
	paths, err := segmentPaths(m.folder)
	if err != nil {
		return err
	}
	if segment, ok := m.named(paths); !ok {
		m.Fingerprint = fmt.Sprintf("%s or %s was changed", path, filepath.Base(segment))
	}
	m.Segments = len(paths)
	for _, p := range append(paths, path) {
		info, err := disk.Stat(p)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if p != path {
			m.Bytes += info.Size()
		}
		if info.ModTime().After(m.Used) {
			m.Used = info.ModTime()
		}
	}
	return nil
}

// named reports whether the name of the folder matches its fingerprint and the number of values
// in its vectors. If it does not, segment is the file that contradicts it.
func (m *CacheModel) named(segments []string) (segment string, ok bool) {
	for _, path := range segments {
		if dim, ok := segmentDim(path); ok {
			return path, m.ID == modelID(m.Fingerprint, dim)
		}
	}
	return "", true
}

// CacheCheck is the result of reading all vectors of a model.
type CacheCheck struct {
	Vectors  int      // number of different vectors
	Repeated int      // records with a vector that another record has too
	Damaged  []string // records with a wrong checksum, as "file: byte 4711"
	Torn     int64    // bytes of incomplete records, left by a killed process
}

// clean reports whether merging would drop nothing.
func (c *CacheCheck) clean() bool { return c.Repeated == 0 && len(c.Damaged) == 0 && c.Torn == 0 }

// Verify reads every vector and checks its checksum.
func (m *CacheModel) Verify() (*CacheCheck, error) {
	paths, err := segmentPaths(m.folder)
	if err != nil {
		return nil, fmt.Errorf("embedding cache: %w", err)
	}
	var files []*os.File
	defer func() { closeAll(files) }()
	for _, path := range paths {
		f, err := disk.Open(path)
		if err != nil {
			return nil, fmt.Errorf("embedding cache: %w", err)
		}
		files = append(files, f)
	}
	return checkSegments(files, func([]byte) error { return nil })
}

// checkSegments reads segments and calls keep with the first complete record of each key.
func checkSegments(files []*os.File, keep func(record []byte) error) (*CacheCheck, error) {
	check, seen := &CacheCheck{}, map[[sha256.Size]byte]bool{}
	dim := 0 // that of the first segment: all must have the same
	for _, f := range files {
		torn, err := readSegment(f, dim, func(offset int64, record []byte) error {
			dim = dimOf(record)
			key := [sha256.Size]byte(record)
			switch {
			case !wholeRecord(record):
				check.Damaged = append(check.Damaged, fmt.Sprintf("%s: byte %d", f.Name(), offset))
			case seen[key]:
				check.Repeated++
			default:
				seen[key] = true
				return keep(record)
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("embedding cache: %s: %w", f.Name(), err)
		}
		check.Torn += torn
	}
	check.Vectors = len(seen)
	return check, nil
}

// Compact merges the segments that no process writes to into one of the newest version, without
// damaged, incomplete and repeated records. It returns the names of the removed files and the
// check of their contents. If it is killed, no vector is lost.
func (m *CacheModel) Compact() (removed []string, check *CacheCheck, err error) {
	files, _, err := m.idle()
	defer func() { closeAll(files) }()
	if err != nil {
		return nil, nil, err
	}
	check, err = checkSegments(files, func([]byte) error { return nil })
	if err != nil || len(files) == 0 || len(files) == 1 && check.clean() {
		return nil, check, err
	}
	if check.Vectors > 0 {
		if err := m.merge(files); err != nil {
			return nil, check, err
		}
	}
	for _, f := range files {
		if err := (disk.OS{}).Remove(f.Name()); err != nil {
			return removed, check, fmt.Errorf("embedding cache: %w", err)
		}
		removed = append(removed, f.Name())
	}
	return removed, check, nil
}

// idle opens and locks the segments that no process writes to.
func (m *CacheModel) idle() (files []*os.File, busy int, err error) {
	paths, err := segmentPaths(m.folder)
	if err != nil {
		return nil, 0, fmt.Errorf("embedding cache: %w", err)
	}
	for _, path := range paths {
		f, err := disk.Open(path)
		if err != nil {
			return files, busy, fmt.Errorf("embedding cache: %w", err)
		}
		if !lockSegment(f) {
			f.Close()
			busy++
			continue
		}
		files = append(files, f)
	}
	return files, busy, nil
}

// merge writes the records of segments that were checked into a new segment with a name derived
// from theirs.
func (m *CacheModel) merge(files []*os.File) error {
	names := sha256.New()
	for _, f := range files {
		fmt.Fprintln(names, filepath.Base(f.Name()))
	}
	path := filepath.Join(m.folder, hex.EncodeToString(names.Sum(nil)[:8])+segmentSuffix)
	err := disk.Write(path, func(w io.Writer) error {
		started := false
		_, err := checkSegments(files, func(record []byte) error {
			if !started {
				started = true
				if _, err := w.Write(segmentHeader(dimOf(record))); err != nil {
					return err
				}
			}
			_, err := w.Write(record)
			return err
		})
		return err
	})
	if err != nil {
		return fmt.Errorf("embedding cache: %w", err)
	}
	if err := os.Chtimes(path, m.Used, m.Used); err != nil { // merging does not count as use
		return fmt.Errorf("embedding cache: %w", err)
	}
	return nil
}

// ErrCacheBusy is the error if a process writes to a part of an embedding cache.
var ErrCacheBusy = errors.New("a process writes to it")

// Remove deletes the model's vectors. If it returns ErrCacheBusy, it has deleted nothing. Other
// files stay, and then the folder does too.
func (m *CacheModel) Remove() error {
	files, busy, err := m.idle()
	defer func() { closeAll(files) }()
	if err != nil {
		return err
	}
	if busy > 0 {
		return fmt.Errorf("embedding cache: %s: %w", m.folder, ErrCacheBusy)
	}
	for _, f := range files {
		err = errors.Join(err, disk.OS{}.Remove(f.Name()))
	}
	for _, name := range []string{fingerprintFile, turnFile} {
		if e := (disk.OS{}).Remove(filepath.Join(m.folder, name)); !errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}
	if err = errors.Join(err, disk.OS{}.Remove(m.folder)); err != nil {
		return fmt.Errorf("embedding cache: %w", err)
	}
	return nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}
