package format

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	pqformat "github.com/parquet-go/parquet-go/format"
)

// openParquet opens a parquet file and reads its footer. The library panics on
// some damaged files; that becomes an error here and in readGroups.
func openParquet(path string) (pf *parquet.File, f *os.File, err error) {
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
	pf, err = parquet.OpenFile(f, info.Size(), parquet.SkipBloomFilters(true), parquet.ReadBufferSize(1<<18))
	if err != nil {
		return nil, f, fmt.Errorf("%s: not a whole parquet file: %w", path, err)
	}
	return pf, f, nil
}

// checkParquet compares the schema with what is wanted, reading no rows.
func checkParquet(path string, cols []Column) error {
	pf, f, err := openParquet(path)
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
	pf, f, err := openParquet(path)
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
		r.columns[i] = &columnReader{leaf: *l, pages: chunks[l.column.Index()].Pages(), buf: make([]parquet.Value, 128)}
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

// columnReader reads the values of one column of a row group in order.
type columnReader struct {
	leaf   leaf
	pages  parquet.Pages
	page   parquet.Page
	values parquet.ValueReader
	buf    []parquet.Value
	at, n  int   // the values buf[at:n] are read but not used
	row    int64 // the row that comes next
}

// seekGap is how many rows are rather read over than jumped.
const seekGap = 16

// read reads row i into the cell.
func (c *columnReader) read(i int64, col Column, to *cell) error {
	if i-c.row > seekGap {
		if err := c.pages.SeekToRow(i); err != nil {
			return err
		}
		parquet.Release(c.page)
		c.page, c.values, c.at, c.n, c.row = nil, nil, 0, 0, i
	}
	var skipped cell
	for ; c.row < i; c.row++ {
		if err := c.readRow(col, &skipped); err != nil {
			return err
		}
	}
	c.row++
	return c.readRow(col, to)
}

// readRow reads all values of one row.
func (c *columnReader) readRow(col Column, to *cell) error {
	v, err := c.peek()
	if err != nil {
		return noEOF(err)
	}
	if !col.List {
		c.at++
		if v.IsNull() {
			return nil
		}
		to.has = true
		to.text, to.num, err = scalarParquet(col.Kind, c.leaf.column.Type(), v)
		return err
	}
	for first := true; ; first = false {
		if v, err = c.peek(); err == io.EOF && !first {
			return nil
		} else if err != nil {
			return noEOF(err)
		}
		if !first && v.RepetitionLevel() == 0 {
			return nil
		}
		c.at++
		if err := c.element(col, v, to); err != nil {
			return err
		}
	}
}

// element takes one value of a list, or learns from it that the list is empty or
// null.
func (c *columnReader) element(col Column, v parquet.Value, to *cell) error {
	level := v.DefinitionLevel()
	if level < c.leaf.present {
		to.has = level == c.leaf.empty
		return nil
	}
	if v.IsNull() {
		return errors.New("null in list")
	}
	to.has = true
	text, num, err := scalarParquet(col.Kind, c.leaf.column.Type(), v)
	if col.Kind == Int {
		to.nums = append(to.nums, num)
	} else {
		to.texts = append(to.texts, text)
	}
	return err
}

// peek returns the next value without using it up, io.EOF after the last.
func (c *columnReader) peek() (parquet.Value, error) {
	for c.at == c.n {
		if c.values == nil {
			page, err := c.pages.ReadPage()
			if err != nil {
				return parquet.Value{}, err
			}
			c.page, c.values = page, page.Values()
		}
		n, err := c.values.ReadValues(c.buf)
		c.at, c.n = 0, n
		switch {
		case n > 0:
		case err == io.EOF:
			parquet.Release(c.page)
			c.page, c.values = nil, nil
		case err != nil:
			return parquet.Value{}, err
		default:
			return parquet.Value{}, io.ErrNoProgress
		}
	}
	return c.buf[c.at], nil
}

// scalarParquet reads a value that is not null as kind.
func scalarParquet(kind Kind, t parquet.Type, v parquet.Value) (text string, num int64, err error) {
	switch v.Kind() {
	case parquet.ByteArray:
		b := v.ByteArray()
		if !utf8.Valid(b) {
			return "", 0, errors.New("not UTF-8")
		}
		return string(b), 0, nil
	case parquet.Int32:
		num = int64(v.Int32())
		if unsigned(t) {
			num = int64(v.Uint32())
		}
	case parquet.Int64:
		if num = v.Int64(); num < 0 && unsigned(t) {
			return "", 0, fmt.Errorf("found %d, want an integer below 2^63", v.Uint64())
		}
	default:
		f := v.Double()
		if v.Kind() == parquet.Float {
			f = float64(v.Float())
		}
		if !isWhole(f) {
			return "", 0, fmt.Errorf("found %v, want integer", f)
		}
		num = int64(f)
	}
	if kind == ID {
		return strconv.FormatInt(num, 10), 0, nil
	}
	return "", num, nil
}

// unsigned tells whether an integer column is.
func unsigned(t parquet.Type) bool {
	if t.LogicalType() == nil {
		return false
	}
	integer, ok := t.LogicalType().Value.(*pqformat.IntType)
	return ok && !integer.IsSigned
}
