package format

import (
	"errors"
	"fmt"
	"os"

	"github.com/parquet-go/parquet-go"
)

// Read buffers: large ones for reading a file through, small ones for jumping from
// page to page, where most of a large one would be read in vain.
const (
	streamBuffer = 1 << 18
	jumpBuffer   = 1 << 12
)

// openParquet opens a parquet file and reads its footer. The library panics on
// some damaged files; that becomes an error here and in readGroups.
func openParquet(path string, buffer int) (pf *parquet.File, f *os.File, err error) {
	f, err = os.Open(path)
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
	stopped := false
	err = readGroups(path, pf, cols, at, wanted, row, func(row *Row) bool {
		stopped = !yield(row, nil)
		return !stopped
	})
	if err != nil {
		yield(nil, err)
	}
	return err == nil && !stopped
}

// readGroups goes through the row groups; visit returning false ends it. A panic
// of visit passes through.
func readGroups(path string, pf *parquet.File, cols []Column, at []*leaf, wanted []int64, row *Row, visit func(*Row) bool) (err error) {
	visiting := false
	defer func() {
		if visiting {
			return
		}
		if r := recover(); r != nil {
			err = row.Pos.Errorf("damaged parquet data: %v", r)
		}
	}()
	first := int64(0)
	for g, group := range pf.RowGroups() {
		row.Pos = Pos{File: path, Group: g}
		n := group.NumRows()
		r, err := newGroupReader(group, cols, at)
		if err != nil {
			return row.Pos.Errorf("%w", err)
		}
		for i := int64(0); i < n; i++ {
			if wanted != nil {
				if len(wanted) == 0 || wanted[0] >= first+n {
					break
				}
				i = wanted[0] - first
				wanted = wanted[1:]
			}
			row.Pos.Row, row.At = int(i), first+i
			row.reset()
			if err := r.read(i, row); err != nil {
				r.close()
				return row.Pos.Errorf("%w", err)
			}
			visiting = true
			more := visit(row)
			visiting = false
			if !more {
				return r.close()
			}
		}
		if err := r.close(); err != nil {
			return row.Pos.Errorf("%w", err)
		}
		first += n
	}
	if len(wanted) > 0 {
		return fmt.Errorf("%s: no row %d, the file has %d", path, wanted[0], first)
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
