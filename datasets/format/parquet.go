package format

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/parquet-go/parquet-go"
	pqformat "github.com/parquet-go/parquet-go/format"

	"infbench/datasets/atomicfile"
)

// Read buffers: large ones for reading a file through, small ones for jumping from
// page to page, where most of a large one would be read in vain.
const (
	streamBuffer = 1 << 18
	jumpBuffer   = 1 << 12
)

// openParquet opens a parquet file and reads its footer. The library panics on
// some damaged files; that becomes an error here and in parquetScan.
func openParquet(path string, buffer int) (pf *parquet.File, f *os.File, err error) {
	f, err = atomicfile.Open(path)
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
		return nil, f, fmt.Errorf("%s: not a whole parquet file: %w", path, err)
	}
	pf, err = parquet.OpenFile(f, info.Size(), parquet.SkipBloomFilters(true), parquet.ReadBufferSize(buffer))
	if err != nil {
		return nil, f, fmt.Errorf("%s: not a whole parquet file: %w", path, err)
	}
	return pf, f, nil
}

// checkParquet compares the schema with what is wanted, reading no rows.
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

// eachParquetRow reads the rows of the given numbers, ascending, or all if nil.
// Only the columns asked for are read from disk, in memory one page of each at a
// time.
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
	leaves   []*leaf // of each column where the file has it, or nil
	row      *Row
	yield    func(*Row, error) bool
	yielding bool // the caller's code is running: its panics are its own
	stopped  bool // yield returned false
	gauge
}

// file goes through the row groups.
func (s *parquetScan) file(pf *parquet.File, wanted []int64) (err error) {
	defer func() {
		if s.yielding {
			return
		}
		if r := recover(); r != nil {
			err = s.row.Pos.Errorf("damaged parquet data: %v", r)
		}
	}()
	first := int64(0)
	for g, group := range pf.RowGroups() {
		s.row.Pos = Pos{File: s.path, Group: g}
		n := group.NumRows()
		rows := wanted
		if wanted != nil {
			here, _ := slices.BinarySearch(wanted, first+n)
			rows, wanted = wanted[:here], wanted[here:]
		}
		if wanted == nil || len(rows) > 0 {
			err := s.checkPages(pf.Metadata().RowGroups[g].Columns)
			if err == nil {
				err = s.group(group, first, rows)
			}
			if err != nil {
				return s.row.Pos.Errorf("%w", err)
			}
		}
		if s.stopped {
			return nil
		}
		first += n
	}
	if len(wanted) > 0 {
		return fmt.Errorf("%s: no row %d, the file has %d", s.path, wanted[0], first)
	}
	return nil
}

// checkPages says whether there is room for the pages of the columns that are read.
func (s *parquetScan) checkPages(columns []pqformat.ColumnChunk) error {
	for _, l := range s.leaves {
		if l == nil || l.column.Index() >= len(columns) { // newGroupReader says of the latter
			continue
		}
		if err := checkPages(s.source, &columns[l.column.Index()].MetaData); err != nil {
			return fmt.Errorf("column %q: %w", l.name, err)
		}
	}
	return nil
}

// group reads the given rows of a row group that begins with row first, or all if
// rows is nil.
func (s *parquetScan) group(group parquet.RowGroup, first int64, rows []int64) (err error) {
	r, err := newGroupReader(group, s.cols, s.leaves)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	n := int(group.NumRows())
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
	cols    []Column
	columns []*columnReader // nil for a column the file lacks
}

func newGroupReader(group parquet.RowGroup, cols []Column, at []*leaf) (*groupReader, error) {
	chunks := group.ColumnChunks()
	r := &groupReader{cols: cols, columns: make([]*columnReader, len(cols))}
	for i, l := range at {
		if l == nil {
			continue
		}
		if l.column.Index() >= len(chunks) {
			return nil, fmt.Errorf("column %q is not in this row group", l.name)
		}
		// Without an index of pages the library's seeking begins at the first page
		// each time; reading on is then the better way.
		chunk := chunks[l.column.Index()]
		_, noIndex := chunk.OffsetIndex()
		r.columns[i] = &columnReader{leaf: *l, pages: chunk.Pages(), buf: make([]parquet.Value, 128), jumps: noIndex == nil}
	}
	return r, nil
}

func (r *groupReader) close() error {
	var errs []error
	for _, c := range r.columns {
		if c != nil {
			parquet.Release(c.page)
			errs = append(errs, c.pages.Close())
		}
	}
	return errors.Join(errs...)
}

// read fills row with row i of the group; i never falls.
func (r *groupReader) read(i int64, row *Row) error {
	for k, c := range r.columns {
		col := r.cols[k]
		if c != nil {
			if err := c.read(i, col, &row.cells[k]); err != nil {
				return fmt.Errorf("column %q: %w", c.leaf.name, err)
			}
		}
		if !row.cells[k].has && !col.Optional {
			return fmt.Errorf("column %q is null, want %s", col.Name, col.want())
		}
	}
	return nil
}
