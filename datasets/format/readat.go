package format

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"slices"

	"infbench/internal/disk"
)

// ReadAt streams the rows of one file at the given positions, in ascending order. The positions are
// the Row.At of an earlier Rows or ReadAt. Parquet files and plain JSON Lines only these rows
// are read; other files are read from the start. Line numbers are then unknown, as the lines before
// are not counted.
func ReadAt(file string, cols []Column, at []int64) iter.Seq2[*Row, error] {
	at = slices.Compact(slices.Sorted(slices.Values(at)))
	return func(yield func(*Row, error) bool) {
		row := &Row{cells: make([]cell, len(cols))}
		switch ext := filepath.Ext(file); {
		case len(at) == 0:
		case ext == ".parquet":
			eachParquetRow(file, cols, at, row, yield)
		case ext == ".jsonl" || ext == ".ndjson" || ext == ".json":
			if start, plain := textStart(file); plain {
				jsonAt(file, start, cols, at, row, yield)
				return
			}
			filterRows(file, cols, at, yield)
		default:
			filterRows(file, cols, at, yield)
		}
	}
}

// textStart returns the offset at which the text of a file begins, after a byte order mark. plain
// is false if the file is packed or cannot be read; reading it reports that.
func textStart(file string) (start int64, plain bool) {
	f, err := disk.Open(file)
	if err != nil {
		return 0, false
	}
	defer f.Close()
	var head [HeadSize]byte
	n, _ := io.ReadFull(f, head[:])
	mark, err := disk.TextStart(head[:n])
	return int64(mark), err == nil && PackedBy(head[:n]) == ""
}

// jsonAt reads the lines of a plain JSON Lines file at the given offsets of its text, which begins
// at byte start of the file.
func jsonAt(file string, start int64, cols []Column, at []int64, row *Row, yield func(*Row, error) bool) {
	f, err := disk.Open(file)
	if err != nil {
		yield(nil, err)
		return
	}
	defer f.Close()
	read := newJSONReader(cols)
	br := bufio.NewReaderSize(nil, 1<<14)
	var long []byte
	for _, off := range at {
		br.Reset(io.NewSectionReader(f, start+off, 1<<62-start))
		text, _, err := readLine(br, &long, MaxLine)
		if err == io.EOF {
			err = nil
		}
		if err == nil && len(text) == 0 {
			err = io.ErrUnexpectedEOF
		}
		row.reset()
		row.Pos, row.At = Pos{File: file}, off
		if err == nil {
			err = read.row(text, row)
		}
		if err != nil {
			yield(nil, fmt.Errorf("%s: at byte %d: %w", file, off, err))
			return
		}
		if !yield(row, nil) {
			return
		}
	}
}

// filterRows reads a complete file and yields the rows at the given positions.
func filterRows(file string, cols []Column, at []int64, yield func(*Row, error) bool) {
	for row, err := range Rows([]string{file}, cols) {
		if err != nil {
			yield(nil, err)
			return
		}
		if row.At != at[0] {
			continue
		}
		if !yield(row, nil) {
			return
		}
		if at = at[1:]; len(at) == 0 {
			return
		}
	}
	yield(nil, fmt.Errorf("%s: nothing at %d", file, at[0]))
}
