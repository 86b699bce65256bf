package format

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// checkTSV reads the header line of a TSV file and looks for cols in it.
func checkTSV(file string, cols []Column) error {
	for line, err := range Lines(file) {
		if err != nil {
			return err
		}
		fields, err := tabbed(line)
		if err != nil {
			return err
		}
		_, err = header(line.Pos, fields, cols)
		return err
	}
	return fmt.Errorf("%s: empty file, want a header line", file)
}

// tabbed splits a line into its fields.
func tabbed(line Line) ([]string, error) {
	if err := roomForParts(line.Text, '\t'); err != nil {
		return nil, line.Pos.Errorf("%w", err)
	}
	return strings.Split(string(line.Text), "\t"), nil
}

// tsvRows reads tab-separated lines below a header line.
func tsvRows(file string, cols []Column, row *Row, yield func(*Row, error) bool) bool {
	var at []int
	width := 0
	for line, err := range Lines(file) {
		fields, full := tabbed(line)
		if err == nil {
			err = full
		}
		switch {
		case err != nil:
		case at == nil:
			at, err = header(line.Pos, fields, cols)
			width = len(fields)
			if err == nil {
				continue
			}
		case len(line.Text) == 0 && width > 1:
			continue
		default:
			row.At = line.Off
			err = row.fillFields(line.Pos, cols, at, width, fields)
		}
		if err != nil {
			yield(nil, err)
			return false
		}
		if !yield(row, nil) {
			return false
		}
	}
	return true
}

// checkCSV reads the header of a CSV file and looks for cols in it.
func checkCSV(file string, cols []Column) error {
	f, err := Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	in := &recordReader{r: f}
	in.begin()
	names, err := csv.NewReader(in).Read()
	if err == io.EOF {
		return fmt.Errorf("%s: empty file, want a header line", file)
	}
	if err != nil {
		return csvError(file, 0, err)
	}
	_, err = header(Pos{File: file, Line: 1}, names, cols)
	return err
}

// csvRows reads comma-separated records (RFC 4180: quoted fields may contain line breaks) below a
// header.
func csvRows(file string, cols []Column, row *Row, yield func(*Row, error) bool) bool {
	f, err := Open(file)
	if err != nil {
		yield(nil, err)
		return false
	}
	defer f.Close()
	in := &recordReader{r: f}
	r := csv.NewReader(in)
	r.FieldsPerRecord = -1 // checked below, with the position
	var at []int
	width, line := 0, 0
	for {
		start := r.InputOffset()
		in.begin()
		fields, err := r.Read()
		if err == io.EOF {
			return true
		}
		pos := Pos{File: file}
		if err == nil {
			line, _ = r.FieldPos(0)
			pos.Line = line
		}
		switch {
		case err != nil:
			err = csvError(file, line, err)
		case at == nil:
			at, err = header(pos, fields, cols)
			width = len(fields)
			if err == nil {
				continue
			}
		default:
			row.At = start
			err = row.fillFields(pos, cols, at, width, fields)
		}
		if err != nil {
			yield(nil, err)
			return false
		}
		if !yield(row, nil) {
			return false
		}
	}
}

// csvError converts the position of a csv.ParseError into a Pos. Other errors get the line at which
// the last record began.
func csvError(file string, line int, err error) error {
	var parse *csv.ParseError
	if errors.As(err, &parse) {
		return Pos{File: file, Line: parse.StartLine}.Errorf("%w", parse.Err)
	}
	return Pos{File: file, Line: line + 1}.Errorf("%w", err)
}

// header finds the index of each column in the names of a header line; -1 for an absent optional
// column.
func header(pos Pos, names []string, cols []Column) ([]int, error) {
	at := make([]int, len(cols))
	var missing []error
	for i, col := range cols {
		at[i] = -1
		for _, name := range col.names() {
			if at[i] < 0 {
				at[i] = slices.Index(names, name)
			}
		}
		if col.List && (at[i] >= 0 || !col.Optional) {
			return nil, pos.Errorf("column %q: a text table holds no lists", col.Name)
		}
		if at[i] < 0 && !col.Optional {
			missing = append(missing, fmt.Errorf("no column %q (%s)", col.Name, col.want()))
		}
	}
	if len(missing) > 0 {
		return nil, pos.Errorf("%w; the header has %q", errors.Join(missing...), names)
	}
	return at, nil
}

// fillFields reads one record into the row. An empty field of an Optional or a Sparse column
// is absent.
func (r *Row) fillFields(pos Pos, cols []Column, at []int, width int, fields []string) error {
	if len(fields) != width {
		return pos.Errorf("found %d fields, want %d as in the header", len(fields), width)
	}
	r.reset()
	r.Pos = pos
	for i, col := range cols {
		if at[i] < 0 || (col.Optional || col.Sparse) && fields[at[i]] == "" {
			continue
		}
		c := &r.cells[i]
		c.has, c.text = true, fields[at[i]]
		if col.Kind == Number {
			if _, err := decimal(strings.TrimSpace(c.text)); err != nil {
				return pos.Errorf("column %q: found %s, want number", col.Name, strconv.Quote(c.text))
			}
		}
		if col.Kind != Int {
			continue
		}
		n, err := wholeNumber(strings.TrimSpace(c.text))
		if err != nil {
			return pos.Errorf("column %q: found %s, want integer", col.Name, strconv.Quote(c.text))
		}
		c.num = n
	}
	return nil
}
