package format

import (
	"fmt"
	"iter"
	"path/filepath"
	"strconv"
	"strings"

	"infbench/internal/nearest"
)

// Kind is the type as which a column is read.
type Kind int

// The kinds. Repositories store IDs and grades differently: ID therefore accepts integers, and Int
// accepts floats with integer values. Any other type must match.
const (
	String Kind = iota // text
	ID                 // text, or a whole number written in decimal
	Int                // a whole number
	Number             // a number, written in decimal
)

func (k Kind) String() string {
	switch k {
	case String:
		return "string"
	case ID:
		return "string or integer"
	case Int:
		return "integer"
	case Number:
		return "number"
	}
	return fmt.Sprintf("Kind(%d)", int(k))
}

// Column asks for one column. Name may reach into records, "labels.id", and may list alternatives,
// "_id|id"; the first present one is used. A List column has any number of values, as a list of
// values, a list of records (labels: [{id, score}]) or a record of lists (passages: {text: []}). An
// Optional column may be absent or null; it then reads as zero. A Sparse column must be in the
// file, but a row may lack a value: null, a member that this JSON Lines object lacks but another
// has, or an empty field of a text table. Row.Has reports that, and the value reads as zero.
type Column struct {
	Name     string
	Kind     Kind
	List     bool
	Optional bool
	Sparse   bool
}

// names returns the alternatives of a column's name. A column without a name is in no file, even if
// a header has an empty field.
func (c Column) names() []string {
	if c.Name == "" {
		return nil
	}
	return strings.Split(c.Name, "|")
}

// want describes the wanted type for errors.
func (c Column) want() string {
	if c.List {
		return "list of " + c.Kind.String()
	}
	return c.Kind.String()
}

// Row is one row of a table: the values of the wanted columns, in their order. It is valid until
// the next row; its strings remain valid.
type Row struct {
	Pos   Pos
	At    int64 // position for ReadAt: byte offset of a line in the decompressed text, or row of a parquet file
	cells []cell
}

// cell is one value; which fields are set depends on the column.
type cell struct {
	has   bool
	text  string
	num   int64
	texts []string
	nums  []int64
}

// Has reports whether the row has a value in column i. An empty field of a text table counts as a
// value only if the column is neither Optional nor Sparse.
func (r *Row) Has(i int) bool { return r.cells[i].has }

// Text returns column i, of kind String, ID or Number.
func (r *Row) Text(i int) string { return r.cells[i].text }

// Int returns column i, of kind Int.
func (r *Row) Int(i int) int { return int(r.cells[i].num) }

// Texts returns the List column i, of kind String, ID or Number. The slice is reused.
func (r *Row) Texts(i int) []string { return r.cells[i].texts }

// Ints returns the List column i, of kind Int. The slice is reused.
func (r *Row) Ints(i int) []int64 { return r.cells[i].nums }

// Numbers returns a copy of the List column i, of kind Number.
func (r *Row) Numbers(i int) []float64 {
	var list []float64
	for _, text := range r.cells[i].texts {
		x, _ := strconv.ParseFloat(text, 64) // checked when it was read
		list = append(list, x)
	}
	return list
}

// size estimates the bytes of the row's values.
func (r *Row) size() (n int) {
	for i := range r.cells {
		c := &r.cells[i]
		n += 8 + len(c.text) + 8*len(c.nums)
		for _, text := range c.texts {
			n += 16 + len(text)
		}
	}
	return n
}

// reset clears the row for the next one, keeping list storage.
func (r *Row) reset() {
	for i := range r.cells {
		c := &r.cells[i]
		*c = cell{texts: c.texts[:0], nums: c.nums[:0]}
	}
}

// Rows streams the columns cols of the rows of files, one file after the other. The file's ending
// selects the syntax: .jsonl, .json, .ndjson, .tsv, .csv (both with a header line) or .parquet, the
// text ones also with .gz or .zst. The columns of all files are checked before the first row, as
// far as their syntax allows. The first error ends the stream.
func Rows(files []string, cols []Column) iter.Seq2[*Row, error] {
	return func(yield func(*Row, error) bool) {
		if err := Check(files, cols); err != nil {
			yield(nil, err)
			return
		}
		for _, file := range files {
			read, err := readerOf(file)
			if err != nil {
				yield(nil, err)
				return
			}
			row := &Row{cells: make([]cell, len(cols))}
			if !read.rows(file, cols, row, yield) {
				return
			}
		}
	}
}

// Check checks that the files have the columns. It reads only the schema of a parquet file, the
// header of a table or the first line of JSON.
func Check(files []string, cols []Column) error {
	for _, file := range files {
		read, err := readerOf(file)
		if err == nil {
			err = read.check(file, cols)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Columnar reports whether a few columns of the files can be read without reading the others.
func Columnar(files []string) bool {
	for _, file := range files {
		if filepath.Ext(file) != ".parquet" {
			return false
		}
	}
	return true
}

// IsDelimited reports whether a file of this name is a text table: TSV or CSV, which cannot
// distinguish an empty text from a missing one.
func IsDelimited(file string) bool {
	ext := filepath.Ext(PlainName(file))
	return ext == ".tsv" || ext == ".csv"
}

// IsTable reports whether Rows can read a file of this name.
func IsTable(file string) bool {
	_, err := readerOf(file)
	return err == nil
}

// rowReader reads one syntax.
type rowReader struct {
	// check reports columns that the file lacks, without reading rows.
	check func(file string, cols []Column) error
	// names lists the columns.
	names func(file string) ([]string, error)
	// rows yields rows until yield returns false or an error was yielded; it then returns false.
	rows func(file string, cols []Column, row *Row, yield func(*Row, error) bool) bool
}

// readerOf selects the reader by the file's ending.
func readerOf(file string) (rowReader, error) {
	switch ext := filepath.Ext(PlainName(file)); ext {
	case ".jsonl", ".json", ".ndjson":
		return rowReader{checkJSON, namesJSON, jsonRows}, nil
	case ".tsv":
		return rowReader{checkTSV, namesTSV, tsvRows}, nil
	case ".csv":
		return rowReader{checkCSV, namesCSV, csvRows}, nil
	case ".parquet":
		return rowReader{checkParquet, namesParquet, parquetRows}, nil
	default:
		if err := CheckPacking(file); err != nil {
			return rowReader{}, err
		}
		return rowReader{}, fmt.Errorf("%s: %w", file,
			nearest.Unknown("file ending", ext, []string{".jsonl", ".json", ".ndjson", ".tsv", ".csv", ".parquet"}))
	}
}
