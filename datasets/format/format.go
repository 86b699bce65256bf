// Package format reads the files datasets come in: JSON Lines, TSV, CSV,
// parquet and TREC SGML, plain or compressed with gzip or zstd.
//
// It knows syntax only: which columns a file has and of which type they are,
// never what they mean. Every error says where: file:line, or row group and row
// of a parquet file. Nothing is filled in: a missing column, a column of another
// type or a null where a value is needed is an error.
package format

import "fmt"

// Pos is a place in a file. Line counts from 1; where it is 0 the file is
// parquet, and Group and Row (within the group) count from 0.
type Pos struct {
	File       string
	Line       int
	Group, Row int
}

// String is "file:line", or "file: row group 2, row 17".
func (p Pos) String() string {
	if p.Line > 0 {
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s: row group %d, row %d", p.File, p.Group, p.Row)
}

// Error is a fault at a place in a file.
type Error struct {
	Pos Pos
	Err error
}

func (e *Error) Error() string { return e.Pos.String() + ": " + e.Err.Error() }

// Unwrap returns the fault without its place.
func (e *Error) Unwrap() error { return e.Err }

// Errorf returns an *Error at p, worded as fmt.Errorf does.
func (p Pos) Errorf(format string, args ...any) error {
	return &Error{Pos: p, Err: fmt.Errorf(format, args...)}
}
