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
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"infbench/internal/disk"
)

// A segment is a file of vectors. One process creates it and appends to it, and all may read
// it:
//
//	header  "infbench vectors 2\n", the number of values as uint32, a zero byte
//	record  key (32 bytes), values (float32 each), CRC-32C of both
//
// All numbers are little-endian. Records have equal length, so a process killed while it writes
// leaves at most one incomplete record at the end, which readers ignore, and a damaged record
// does not affect others. Values begin at multiples of four bytes, so that they can be compared
// in place (see mapping).
//
// A segment only grows until it is merged into another and removed: this program never
// overwrites a record or truncates a file, which others may have in memory.
const (
	segmentName   = "infbench vectors "
	segmentMagic  = segmentName + "2\n"
	segmentSuffix = ".vectors"
)

func castagnoli(data []byte) uint32 { return crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)) }

// segmentHeader is the header of a segment.
func segmentHeader(dim int) []byte {
	return append(binary.LittleEndian.AppendUint32([]byte(segmentMagic), uint32(dim)), 0)
}

// headerLength is the offset of the first record of a segment.
var headerLength = int64(len(segmentHeader(0)))

// readHeader reads the header of a file and returns the number of values in its vectors. ok is
// false if the file is shorter than a header; dim is 0 if it is not a segment. A segment of
// another format is a disk.FormatError.
func readHeader(file *os.File) (dim int, ok bool, err error) {
	head := make([]byte, headerLength)
	n, err := file.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return 0, false, err
	}
	if n < len(head) {
		return 0, false, nil
	}
	if format, found := bytes.CutPrefix(head[:len(segmentMagic)], []byte(segmentName)); found {
		if err := disk.CheckFormat(file.Name(), fmt.Sprintf("%q", format), fmt.Sprintf("%q", segmentMagic[len(segmentName):])); err != nil {
			return 0, false, err
		}
	}
	claimed := binary.LittleEndian.Uint32(head[len(segmentMagic):])
	if claimed > maxDim || !bytes.Equal(head, segmentHeader(int(claimed))) {
		return 0, true, nil
	}
	return int(claimed), true, nil
}

func recordLength(dim int) int { return sha256.Size + 4*dim + crc32.Size }

func dimOf(record []byte) int { return (len(record) - recordLength(0)) / 4 }

// wholeRecord reports whether the checksum of a record is correct.
func wholeRecord(record []byte) bool {
	body := record[:len(record)-crc32.Size]
	return binary.LittleEndian.Uint32(record[len(body):]) == castagnoli(body)
}

// maxDim limits the number of values in a header.
const maxDim = 1 << 20

// segmentDim is the number of values of a vector by the header of a file; ok is false if it has
// no header.
func segmentDim(path string) (dim int, ok bool) {
	f, err := os.Open(path)
	if err != nil {
		return 0, false
	}
	defer f.Close()
	dim, _, err = readHeader(f)
	return dim, err == nil && dim > 0
}

// readSegment calls visit for every record, including damaged ones; the record's memory is
// reused. dim is the required number of values, 0 for any. torn is the number of bytes after
// the last record.
func readSegment(f *os.File, dim int, visit func(offset int64, record []byte) error) (torn int64, err error) {
	found, whole, err := readHeader(f)
	if err != nil {
		return 0, err
	}
	if !whole { // killed before the header was written
		info, err := f.Stat()
		if err != nil {
			return 0, err
		}
		return info.Size(), nil
	}
	if found == 0 && dim == 0 {
		return 0, errors.New("not a segment of vectors")
	}
	if dim != 0 && found != dim {
		return 0, fmt.Errorf("not a segment of vectors with %d values", dim)
	}
	return readRecords(f, recordLength(found), headerLength, visit)
}

// readRecords is readSegment from the record at offset.
func readRecords(f io.ReaderAt, length int, offset int64, visit func(offset int64, record []byte) error) (torn int64, err error) {
	r := bufio.NewReaderSize(io.NewSectionReader(f, offset, math.MaxInt64-offset), 1<<20)
	record := make([]byte, length)
	for ; ; offset += int64(length) {
		n, err := io.ReadFull(r, record)
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return int64(n), nil // an incomplete record, or one that is being written
		}
		if err == nil {
			err = visit(offset, record)
		}
		if err != nil {
			return 0, err
		}
	}
}

// createSegment creates a segment with a new name, opens it for writing and reading, and locks
// it as long as it is open for reading, so that nobody merges it while it is written. It gets
// its final name only when it is locked and its header is synced.
func createSegment(folder string, dim int) (own disk.File, read *os.File, err error) {
	files, made := disk.OS{}, filepath.Join(folder, fmt.Sprintf("%016x.new", rand.Uint64()))
	if own, err = files.Create(made); err != nil {
		return nil, nil, err
	}
	if read, err = os.Open(made); err == nil {
		lockSegment(read)
		err = startSegment(own, dim)
	}
	if err == nil {
		err = files.Rename(made, finalName(read))
	}
	if err != nil {
		read.Close()
		return nil, nil, errors.Join(err, own.Close(), files.Remove(made))
	}
	return own, read, nil
}

// startSegment writes and syncs the header of a segment.
func startSegment(own disk.File, dim int) error {
	if _, err := own.Write(segmentHeader(dim)); err != nil {
		return err
	}
	return own.Sync()
}

// finalName is the name of a segment that createSegment made or that was opened.
func finalName(f *os.File) string {
	if name, ok := strings.CutSuffix(f.Name(), ".new"); ok {
		return name + segmentSuffix
	}
	return f.Name()
}

// lockSegment reports whether no other process writes to a segment. If so, it locks the segment
// while it is open. On file systems without locks it is always false, so segments there are not
// merged.
func lockSegment(f *os.File) bool {
	return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil
}
