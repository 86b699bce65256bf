package datasets

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"infbench/datasets/format"
)

// TripletFields names the column of each field of a Triplet. Alternatives are separated by |; the
// first present one is used. A field without a column stays empty. Only the column of ID may be
// missing from a file. A blank text is an error.
type TripletFields struct {
	ID                                       string
	InstructionPositive, InstructionNegative string
	QueryPositive, QueryNegative             string
	Positive, HardNegative1, HardNegative2   string
}

// columns returns the fields in the order in which fill reads them.
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
	fill    func(*format.Row) (r Record, ok bool) // ok is false if the row has no record
	texts   bool                                  // every column except the optional ones has a text that is not blank
	missing []MissingField
	lists   bool // records may list negatives
	own     bool // users' own files, whose lists have no blank text
	unread  []string
}

// ListsNegatives reports whether records may have negatives in addition to their rows.
func (r *Records) ListsNegatives() bool { return r.lists }

// Unread lists the unread columns of users' own files, from UnreadColumns.
func (r *Records) Unread() []string { return r.unread }

// Lacks lists the fields that no record has because the corpus has no such column.
func (r *Records) Lacks() []MissingField { return r.missing }

// Shape returns the poisoned sides of the records.
func (r *Records) Shape() Shape {
	lacks := func(field string) bool {
		return slices.ContainsFunc(r.missing, func(m MissingField) bool { return m.Field == field })
	}
	return Shape{Instruction: !lacks(instructionNegative), Query: !lacks(queryNegative)}
}

// check checks that the columns exist.
func (r *Records) check() error {
	if len(r.files) == 0 {
		return errors.New("open training records: no files")
	}
	if err := format.Check(r.files, r.cols); err != nil {
		return fmt.Errorf("open training records: %w", err)
	}
	return nil
}

// All streams the records in file order. A record without an ID gets its number, from 0, over all
// files.
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
