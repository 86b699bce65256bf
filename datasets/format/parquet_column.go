package format

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	pqformat "github.com/parquet-go/parquet-go/format"
)

// columnReader reads the values of one column of a row group in order.
type columnReader struct {
	leaf   leaf
	pages  pageReader
	seek   func(row int64) error // nil if reading on is faster
	page   parquet.Page
	values parquet.ValueReader
	buf    []parquet.Value
	at, n  int   // the values buf[at:n] are read but not yet used
	row    int64 // number of the next row
}

// jump prepares c for a column with only a few wanted rows.
func (c *columnReader) jump(chunk parquet.ColumnChunk) {
	pages := chunk.Pages()
	c.pages = pages
	// Without a page index the library's seeking starts at the first page each time; reading on is
	// then faster.
	if _, err := chunk.OffsetIndex(); err == nil {
		c.seek = pages.SeekToRow
	}
}

// seekGap is the distance in rows up to which reading on is preferred to seeking.
const seekGap = 16

// read reads row i into the cell.
func (c *columnReader) read(i int64, col Column, to *cell) error {
	if c.seek != nil && i-c.row > seekGap {
		if err := c.seek(i); err != nil {
			return err
		}
		parquet.Release(c.page)
		c.page, c.values, c.at, c.n, c.row = nil, nil, 0, 0, i
	}
	for ; c.row < i; c.row++ {
		if err := c.skipRow(); err != nil {
			return err
		}
	}
	c.row++
	return c.readRow(col, to)
}

// skipRow skips the values of one row.
func (c *columnReader) skipRow() error {
	for first := true; ; first = false {
		v, err := c.peek()
		if err == io.EOF && !first {
			return nil
		} else if err != nil {
			return noEOF(err)
		}
		if !first && v.RepetitionLevel() == 0 {
			return nil
		}
		c.at++
	}
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

// element reads one value of a list, or records that the list is empty or null.
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

// peek returns the next value without consuming it, io.EOF after the last.
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

// scalarParquet reads a non-null value of a kind.
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
		if kind == Number {
			text, err = decimal(strconv.FormatFloat(f, 'g', -1, 64))
			return text, 0, err
		}
		if !isWhole(f) {
			return "", 0, fmt.Errorf("found %v, want integer", f)
		}
		num = int64(f)
	}
	if kind == ID || kind == Number {
		return strconv.FormatInt(num, 10), 0, nil
	}
	return "", num, nil
}

// unsigned reports whether an integer column is unsigned.
func unsigned(t parquet.Type) bool {
	if t.LogicalType() == nil {
		return false
	}
	integer, ok := t.LogicalType().Value.(*pqformat.IntType)
	return ok && !integer.IsSigned
}
