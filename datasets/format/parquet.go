package format

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/parquet-go/parquet-go"

	"infbench/internal/disk"
)

// Read buffers: large for reading a complete file, small for jumping from page to page, where most
// of a large buffer would be read in vain.
const (
	streamBuffer = 1 << 18
	jumpBuffer   = 1 << 12
)

// openParquet opens a parquet file and reads its footer. The library panics on some damaged files;
// here and in parquetScan such a panic becomes an error.
func openParquet(path string, buffer int) (pf *parquet.File, f *os.File, err error) {
	f, err = disk.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s: damaged parquet file: %v", path, r)
		}
		if err != nil {
			f.Close()
		}
	}()
	info, err := f.Stat()
	if err != nil {
		return nil, f, err
	}
	if err := checkFooter(f, info.Size()); err != nil {
		return nil, f, fmt.Errorf("%s: not a complete parquet file: %w", path, err)
	}
	pf, err = parquet.OpenFile(f, info.Size(), parquet.SkipBloomFilters(true), parquet.SkipPageIndex(true), parquet.ReadBufferSize(buffer))
	if err == nil {
		err = checkPageIndexes(pf, info.Size())
	}
	if err != nil {
		return nil, f, fmt.Errorf("%s: not a complete parquet file: %w", path, err)
	}
	return pf, f, nil
}

// checkPageIndexes checks that the page indexes are inside the file: the library allocates as many
// bytes as the footer claims for one before it reads it.
func checkPageIndexes(pf *parquet.File, size int64) error {
	for _, group := range pf.Metadata().RowGroups {
		for _, c := range group.Columns {
			if length := int64(c.OffsetIndexLength); c.OffsetIndexOffset < 0 || length < 0 || length > size-c.OffsetIndexOffset {
				return fmt.Errorf("a page index of %d bytes at %d in a file of %d bytes", length, c.OffsetIndexOffset, size)
			}
		}
	}
	return nil
}

// checkParquet compares the schema with the wanted columns, without reading rows.
func checkParquet(path string, cols []Column) error {
	pf, f, err := openParquet(path, jumpBuffer)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = resolve(path, pf, cols)
	return err
}

// parquetRows reads all rows of a file.
func parquetRows(path string, cols []Column, row *Row, yield func(*Row, error) bool) bool {
	return eachParquetRow(path, cols, nil, row, yield)
}

// eachParquetRow reads the rows with the given ascending numbers, or all if nil. It reads only the
// wanted columns, and keeps one page of each in memory.
func eachParquetRow(path string, cols []Column, wanted []int64, row *Row, yield func(*Row, error) bool) bool {
	buffer := streamBuffer
	if wanted != nil {
		buffer = jumpBuffer
	}
	pf, f, err := openParquet(path, buffer)
	if err != nil {
		yield(nil, err)
		return false
	}
	defer f.Close()
	at, err := resolve(path, pf, cols)
	if err != nil {
		yield(nil, err)
		return false
	}
	scan := parquetScan{source: f, path: path, cols: cols, leaves: at, row: row, yield: yield}
	if err := scan.file(pf, wanted); err != nil {
		yield(nil, err)
		return false
	}
	return !scan.stopped
}

// parquetScan reads the rows of one file and yields them.
type parquetScan struct {
	source   io.ReaderAt
	path     string
	cols     []Column
	leaves   []*leaf // by column; nil where the file lacks it
	row      *Row
	yield    func(*Row, error) bool
	yielding bool // the caller's code is running: its panics are not caught
	stopped  bool // yield returned false
	gauge
}

// file reads the rows with the given numbers, or all if nil.
func (s *parquetScan) file(pf *parquet.File, wanted []int64) (err error) {
	defer func() {
		if s.yielding {
			return
		}
		if r := recover(); r != nil {
			err = s.row.Pos.Errorf("damaged parquet data: %v", r)
		}
	}()
	if wanted == nil {
		return s.all(pf)
	}
	return s.picked(pf, wanted)
}

// all reads all row groups. While the rows of one are yielded, the first pages of the next are
// read.
func (s *parquetScan) all(pf *parquet.File) error {
	var here, next *groupReader
	defer func() { next.close() }()
	first := int64(0)
	for g, group := range pf.RowGroups() {
		if here = next; g == 0 {
			here = s.open(pf, g, true)
		}
		if next = nil; g+1 < len(pf.RowGroups()) {
			next = s.open(pf, g+1, true)
		}
		if err := s.group(g, here, first, nil); err != nil || s.stopped {
			return err
		}
		first += group.NumRows()
	}
	return nil
}

// picked reads the row groups that contain wanted rows.
func (s *parquetScan) picked(pf *parquet.File, wanted []int64) error {
	first := int64(0)
	for g, group := range pf.RowGroups() {
		n, _ := slices.BinarySearch(wanted, first+group.NumRows())
		if n > 0 {
			if err := s.group(g, s.open(pf, g, false), first, wanted[:n]); err != nil || s.stopped {
				return err
			}
		}
		wanted = wanted[n:]
		first += group.NumRows()
	}
	if len(wanted) > 0 {
		return fmt.Errorf("%s: no row %d, the file has %d", s.path, wanted[0], first)
	}
	return nil
}

// group reads the given rows of row group g, whose first row has number first, or all if rows is
// nil.
func (s *parquetScan) group(g int, r *groupReader, first int64, rows []int64) (err error) {
	s.row.Pos = Pos{File: s.path, Group: g}
	defer func() {
		if err = errors.Join(err, r.close()); err != nil {
			err = s.row.Pos.Errorf("%w", err)
		}
	}()
	if r.fault != nil {
		return r.fault
	}
	n := int(r.rows)
	if rows != nil {
		n = len(rows)
	}
	for k := range n {
		i := int64(k)
		if rows != nil {
			i = rows[k] - first
		}
		s.row.Pos.Row, s.row.At = int(i), first+i
		s.row.reset()
		if err := r.read(i, s.row); err != nil {
			return err
		}
		if err := s.passed(s.row.size()); err != nil {
			return err
		}
		s.yielding = true
		more := s.yield(s.row, nil)
		s.yielding = false
		if !more {
			s.stopped = true
			return nil
		}
	}
	return nil
}

// groupReader reads the rows of one row group column by column.
type groupReader struct {
	rows    int64
	cols    []Column
	columns []*columnReader // nil for a column the file lacks
	fault   error           // why the row group cannot be read
}

// open prepares row group g and, if all of it is wanted, starts reading ahead.
func (s *parquetScan) open(pf *parquet.File, g int, all bool) *groupReader {
	r := &groupReader{rows: pf.RowGroups()[g].NumRows(), cols: s.cols, columns: make([]*columnReader, len(s.cols))}
	r.fault = s.openColumns(r, pf, g, all)
	return r
}

// openColumns opens the wanted columns of a row group. The library panics on some damaged files;
// the error is reported when the row group is read.
func (s *parquetScan) openColumns(r *groupReader, pf *parquet.File, g int, all bool) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("damaged parquet data: %v", r)
		}
	}()
	chunks, columns := pf.RowGroups()[g].ColumnChunks(), pf.Metadata().RowGroups[g].Columns
	for i, l := range s.leaves {
		if l == nil {
			continue
		}
		c := l.column.Index()
		if c >= min(len(chunks), len(columns)) {
			return fmt.Errorf("column %q is not in this row group", l.name)
		}
		layout, err := layOut(s.source, &columns[c].MetaData)
		if err != nil {
			return fmt.Errorf("column %q: %w", l.name, err)
		}
		r.columns[i] = &columnReader{leaf: *l, buf: make([]parquet.Value, 128)}
		if chunk := chunks[c].(*parquet.FileColumnChunk); all {
			r.columns[i].pages = openPages(s.source, chunk, layout, aheadMost/int64(2*len(s.leaves)))
		} else {
			r.columns[i].jump(chunk)
		}
	}
	return nil
}

// close closes the columns; it may be called on a nil *groupReader.
func (r *groupReader) close() error {
	if r == nil {
		return nil
	}
	var errs []error
	for _, c := range r.columns {
		if c != nil {
			parquet.Release(c.page)
			errs = append(errs, c.pages.Close())
		}
	}
	r.columns = nil
	return errors.Join(errs...)
}

// read fills row with row i of the group; i must not decrease.
func (r *groupReader) read(i int64, row *Row) error {
	for k, c := range r.columns {
		col := r.cols[k]
		if c != nil {
			if err := c.read(i, col, &row.cells[k]); err != nil {
				return fmt.Errorf("column %q: %w", c.leaf.name, err)
			}
		}
		if !row.cells[k].has && !col.Optional && !col.Sparse {
			return fmt.Errorf("column %q is null, want %s", col.Name, col.want())
		}
	}
	return nil
}
