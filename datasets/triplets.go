package datasets

import (
	"errors"
	"fmt"
	"iter"
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
func fillTriplet(r *format.Row) (Triplet, bool) {
	return Triplet{
		ID:                  r.Text(0),
		InstructionPositive: r.Text(1), InstructionNegative: r.Text(2),
		QueryPositive: r.Text(3), QueryNegative: r.Text(4),
		Positive: r.Text(5), HardNegative1: r.Text(6), HardNegative2: r.Text(7),
	}, true
}

// Triplets is a training corpus that stays in its files.
type Triplets struct {
	files   []string
	cols    []format.Column
	fill    func(*format.Row) (t Triplet, ok bool) // ok false: the row holds no record
	texts   bool                                   // every column but the optional ones holds a text that is not blank
	missing []MissingField
}

// Lacks lists the fields that no record has because the corpus has no such column.
func (t *Triplets) Lacks() []MissingField { return t.missing }

// OpenTriplets opens training records in the given files (one syntax of package
// format each), their columns named by fields. The columns are checked at once.
func OpenTriplets(files []string, fields TripletFields) (*Triplets, error) {
	t := &Triplets{files: files, cols: fields.columns(), fill: fillTriplet, texts: true}
	return t, t.check()
}

func (t *Triplets) check() error {
	if len(t.files) == 0 {
		return errors.New("open training records: no files")
	}
	if err := format.Check(t.files, t.cols); err != nil {
		return fmt.Errorf("open training records: %w", err)
	}
	return nil
}

// All streams the records in file order. A record without an ID gets its number,
// from 0, over all files.
func (t *Triplets) All() iter.Seq2[Triplet, error] {
	return func(yield func(Triplet, error) bool) {
		n := 0
		for r, err := range format.Rows(t.files, t.cols) {
			if err != nil {
				yield(Triplet{}, fmt.Errorf("training records: %w", err))
				return
			}
			record, ok, err := t.record(r, n)
			n++
			if err != nil {
				yield(Triplet{}, fmt.Errorf("training records: %w", r.Pos.Errorf("%w", err)))
				return
			}
			if ok && !yield(record, nil) {
				return
			}
		}
	}
}

// record turns row number n into a record.
func (t *Triplets) record(r *format.Row, n int) (record Triplet, ok bool, err error) {
	for i, col := range t.cols {
		if t.texts && !col.Optional && strings.TrimSpace(r.Text(i)) == "" {
			return Triplet{}, false, fmt.Errorf("column %q is blank, want text", col.Name)
		}
	}
	record, ok = t.fill(r)
	if record.ID == "" {
		record.ID = fmt.Sprint(n)
	}
	return record, ok, nil
}
