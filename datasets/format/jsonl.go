package format

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// jsonField is one way to fill a column: from a path below a key of the object.
type jsonField struct {
	column int
	rank   int // its place among the alternatives of the column's name
	path   []string
}

// checkJSON checks the first line; an empty file passes.
func checkJSON(file string, cols []Column) error {
	var bad error
	jsonRows(file, cols, &Row{cells: make([]cell, len(cols))}, func(_ *Row, err error) bool {
		bad = err
		return false
	})
	return bad
}

// jsonRows reads JSON Lines: one object a line, blank lines between them ignored.
func jsonRows(file string, cols []Column, row *Row, yield func(*Row, error) bool) bool {
	read := newJSONReader(cols)
	for line, err := range Lines(file) {
		if err != nil {
			yield(nil, err)
			return false
		}
		if len(bytes.TrimSpace(line.Text)) == 0 {
			continue
		}
		row.reset()
		row.Pos, row.At = line.Pos, line.Off
		if err := read.row(line.Text, row); err != nil {
			yield(nil, &Error{line.Pos, err})
			return false
		}
		if !yield(row, nil) {
			return false
		}
	}
	if err := read.lacking(file); err != nil {
		yield(nil, err)
		return false
	}
	return true
}

// jsonReader reads objects one after the other.
type jsonReader struct {
	cols   []Column
	fields map[string][]jsonField
	ranks  []int    // scratch space, one per column
	first  []string // keys of the first object; nil before it is read
	seen   []bool   // by column: an object had it, with a value or null
}

func newJSONReader(cols []Column) *jsonReader {
	return &jsonReader{cols: cols, fields: jsonFields(cols), ranks: make([]int, len(cols)), seen: make([]bool, len(cols))}
}

// lacking returns an error if no object had one of the Sparse columns.
func (j *jsonReader) lacking(file string) error {
	var missing []error
	for i, col := range j.cols {
		if col.Sparse && !j.seen[i] && j.first != nil {
			missing = append(missing, fmt.Errorf("%s: no column %q (%s) in any row; the first row has %q", file, col.Name, col.want(), j.first))
		}
	}
	return errors.Join(missing...)
}

// jsonFields lists, for each key of an object, the columns that it may fill.
func jsonFields(cols []Column) map[string][]jsonField {
	fields := map[string][]jsonField{}
	for i, col := range cols {
		for rank, name := range col.names() {
			key, rest, nested := strings.Cut(name, ".")
			f := jsonField{column: i, rank: rank}
			if nested {
				f.path = strings.Split(rest, ".")
			}
			fields[key] = append(fields[key], f)
		}
	}
	return fields
}

// row fills row from one object.
func (j *jsonReader) row(text []byte, row *Row) error {
	cols, ranks := j.cols, j.ranks
	text = bytes.TrimSpace(text)
	if err := checkObject(text); err != nil {
		return err
	}
	for i := range ranks {
		ranks[i] = -1
	}
	var bad error
	isFirst := j.first == nil
	if isFirst {
		j.first = []string{}
	}
	eachMember(text, func(key string, value []byte) {
		if isFirst {
			j.first = append(j.first, key)
		}
		for _, f := range j.fields[key] {
			j.seen[f.column] = true
			c := &row.cells[f.column]
			if bad != nil || isNull(value) || c.has && ranks[f.column] < f.rank {
				continue
			}
			*c = cell{texts: c.texts[:0], nums: c.nums[:0]}
			ranks[f.column] = f.rank
			if err := c.fillJSON(cols[f.column], f.path, value); err != nil {
				bad = fmt.Errorf("column %q: %w", cols[f.column].names()[f.rank], err)
			}
		}
	})
	if bad != nil {
		return bad
	}
	for i, col := range cols {
		if !row.cells[i].has && !col.Optional && !col.Sparse {
			return fmt.Errorf("column %q is missing or null, want %s", col.Name, col.want())
		}
	}
	return nil
}

// checkObject rejects a line that is not an object.
func checkObject(text []byte) error {
	if !json.Valid(text) {
		return syntaxError(text)
	}
	if text[0] != '{' {
		return fmt.Errorf("found %s, want an object", jsonType(text))
	}
	return nil
}

// syntaxError describes the first error in text, which is not valid JSON.
func syntaxError(text []byte) error {
	var raw json.RawMessage
	err := json.Unmarshal(text, &raw)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("malformed JSON at byte %d: %w", syntax.Offset, err)
	}
	return fmt.Errorf("malformed JSON: %w", err)
}

// fillJSON reads value into the cell, following path. If value lacks a member on the path, the cell
// stays without a value.
func (c *cell) fillJSON(col Column, path []string, value []byte) error {
	switch {
	case len(path) > 0 && value[0] == '{':
		var err error
		eachMember(value, func(key string, v []byte) {
			if key == path[0] && !isNull(v) && err == nil {
				err = c.fillJSON(col, path[1:], v)
			}
		})
		return err
	case col.List && value[0] == '[':
		c.has = true
		if err := roomForParts(value, ','); err != nil {
			return err
		}
		var err error
		eachElement(value, func(v []byte) {
			if err == nil {
				err = c.appendJSON(col, path, v)
			}
		})
		return err
	case len(path) > 0:
		return fmt.Errorf("found %s, want a record with %q", jsonType(value), path[0])
	case col.List:
		return fmt.Errorf("found %s, want %s", jsonType(value), col.want())
	}
	text, num, err := scalarJSON(col.Kind, value)
	if err != nil {
		return err
	}
	c.has, c.text, c.num = true, text, num
	return nil
}

// appendJSON adds one element of a list, or the member of it at path.
func (c *cell) appendJSON(col Column, path []string, value []byte) error {
	var one cell
	col.List = false
	if err := one.fillJSON(col, path, value); err != nil {
		return fmt.Errorf("in list: %w", err)
	}
	if !one.has {
		return fmt.Errorf("in list: record without %q", strings.Join(path, "."))
	}
	if col.Kind == Int {
		c.nums = append(c.nums, one.num)
	} else {
		c.texts = append(c.texts, one.text)
	}
	return nil
}

// scalarJSON reads a single value of a kind.
func scalarJSON(kind Kind, value []byte) (text string, num int64, err error) {
	first := value[0]
	switch {
	case kind == Int && (first == '-' || '0' <= first && first <= '9'):
		num, err = wholeNumber(string(value))
		return "", num, err
	case kind == ID && (first == '-' || '0' <= first && first <= '9'):
		num, err = wholeNumber(string(value))
		return strconv.FormatInt(num, 10), 0, err
	case kind == Number && (first == '-' || '0' <= first && first <= '9'):
		text, err = decimal(string(value))
		return text, 0, err
	case (kind == String || kind == ID) && first == '"':
		return unquote(value), 0, nil
	}
	return "", 0, fmt.Errorf("found %s, want %s", jsonType(value), kind)
}

// wholeNumber reads 3, -1, 2.0 and 1e3 but not 1.5.
func wholeNumber(s string) (int64, error) {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n, nil
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || !isWhole(f) {
		return 0, fmt.Errorf("found %s, want integer", s)
	}
	return int64(f), nil
}

// decimal checks that s is a finite number.
func decimal(s string) (string, error) {
	if f, err := strconv.ParseFloat(s, 64); err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		return "", fmt.Errorf("found %s, want a finite number", s)
	}
	return s, nil
}

// isWhole reports whether f is an integer that a float64 represents exactly.
func isWhole(f float64) bool {
	const exact = 1 << 53
	return f >= -exact && f <= exact && f == float64(int64(f))
}
