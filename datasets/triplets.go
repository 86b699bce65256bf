package datasets

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"infbench/datasets/format"
)

// TripletFields names the column of each field of a Triplet; alternatives are
// separated by |, the first that is present winning. A field without a column
// stays empty. Only ID may be absent from a file all the same, and every other
// text says something: a blank one is an error.
type TripletFields struct {
	ID                                       string
	InstructionPositive, InstructionNegative string
	QueryPositive, QueryNegative             string
	Positive, HardNegative1, HardNegative2   string
}

// columns are the fields in the order in which fill reads them.
func (f TripletFields) columns() []format.Column {
	var cols []format.Column
	for i, name := range []string{f.ID, f.InstructionPositive, f.InstructionNegative, f.QueryPositive,
		f.QueryNegative, f.Positive, f.HardNegative1, f.HardNegative2} {
		col := format.Column{Name: name, Optional: i == 0 || name == ""}
		if i == 0 {
			col.Kind = format.ID
		}
		cols = append(cols, col)
	}
	return cols
}

// fillTriplet reads a row with the columns of TripletFields.
func fillTriplet(r *format.Row) (Record, bool) {
	return Triplet{
		ID:                  r.Text(0),
		InstructionPositive: r.Text(1), InstructionNegative: r.Text(2),
		QueryPositive: r.Text(3), QueryNegative: r.Text(4),
		Positive: r.Text(5), HardNegative1: r.Text(6), HardNegative2: r.Text(7),
	}.Record(), true
}

// Records is a training corpus that stays in its files.
type Records struct {
	files   []string
	cols    []format.Column
	fill    func(*format.Row) (r Record, ok bool) // ok false: the row holds no record
	texts   bool                                  // every column but the optional ones holds a text that is not blank
	missing []MissingField
	lists   bool // records may list negatives
	own     bool // somebody's own files, whose lists hold no blank text
	unread  []string
}

// ListsNegatives says whether records may have negatives beside their rows.
func (r *Records) ListsNegatives() bool { return r.lists }

// Unread lists the columns of somebody's own files that are not read, as UnreadColumns does.
func (r *Records) Unread() []string { return r.unread }

// Lacks lists the fields that no record has because the corpus has no such column.
func (r *Records) Lacks() []MissingField { return r.missing }

// Shape says which poisoned sides the records have.
func (r *Records) Shape() Shape {
	lacks := func(field string) bool {
		return slices.ContainsFunc(r.missing, func(m MissingField) bool { return m.Field == field })
	}
	return Shape{Instruction: !lacks(instructionNegative), Query: !lacks(queryNegative)}
}

// check looks for the columns.
func (r *Records) check() error {
	if len(r.files) == 0 {
		return errors.New("open training records: no files")
	}
	if err := format.Check(r.files, r.cols); err != nil {
		return fmt.Errorf("open training records: %w", err)
	}
	return nil
}

// All streams the records in file order. A record without an ID gets its number,
// from 0, over all files.
func (r *Records) All() iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		n := 0
		for row, err := range format.Rows(r.files, r.cols) {
			if err != nil {
				yield(Record{}, fmt.Errorf("training records: %w", err))
				return
			}
			record, ok, err := r.record(row, n)
			n++
			if err != nil {
				yield(Record{}, fmt.Errorf("training records: %w", row.Pos.Errorf("%w", err)))
				return
			}
			if ok && !yield(record, nil) {
				return
			}
		}
	}
}

// record turns row number n into a record.
func (r *Records) record(row *format.Row, n int) (record Record, ok bool, err error) {
	for i, col := range r.cols {
		if r.texts && !col.Optional && strings.TrimSpace(row.Text(i)) == "" {
			return Record{}, false, fmt.Errorf("column %q is blank, want text", col.Name)
		}
	}
	record, ok = r.fill(row)
	if record.ID == "" {
		record.ID = fmt.Sprint(n)
	}
	if ok {
		err = r.checkRows(record)
	}
	return record, ok, err
}
