// Package format reads the file formats of datasets: JSON Lines, TSV, CSV, parquet and TREC SGML,
// plain or compressed with gzip or zstd.
//
// It knows syntax only: the columns of a file and their types, not their meaning. Every error has a
// position: file:line, or row group and row of a parquet file. Nothing is filled in: a missing
// column, a column of another type or a null where a value is needed is an error.
package format

import "fmt"

// Pos is a position in a file. Line counts from 1. For parquet, Line is 0, and Group and Row
// (within the group) count from 0.
type Pos struct {
	File       string
	Line       int
	Group, Row int
}

// String returns "file:line", or "file: row group 2, row 17".
func (p Pos) String() string {
	if p.Line > 0 {
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s: row group %d, row %d", p.File, p.Group, p.Row)
}

// Error is an error at a position in a file.
type Error struct {
	Pos Pos
	Err error
}

func (e *Error) Error() string { return e.Pos.String() + ": " + e.Err.Error() }

// Unwrap returns the error without its position.
func (e *Error) Unwrap() error { return e.Err }

// Errorf returns an *Error at p, formatted as by fmt.Errorf.
func (p Pos) Errorf(format string, args ...any) error {
	return &Error{Pos: p, Err: fmt.Errorf(format, args...)}
}
