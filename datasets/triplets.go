package datasets

import (
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
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
	files []string
	cols  []format.Column
	fill  func(*format.Row) (t Triplet, ok bool) // ok false: the row holds no record
	texts bool                                   // every column but the optional ones holds a text that is not blank
}

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

// Count streams the corpus and counts its records, and the rows that hold none.
func (t *Triplets) Count() (records, skipped int, err error) {
	for r, err := range format.Rows(t.files, t.cols) {
		if err != nil {
			return records, skipped, fmt.Errorf("training records: %w", err)
		}
		if _, ok := t.fill(r); ok {
			records++
		} else {
			skipped++
		}
	}
	return records, skipped, nil
}

// shuffleWindow is how many records Shuffled holds at a time: a hundred megabytes
// of InF-IR's. The order does not depend on it.
const shuffleWindow = 1 << 15

// Shuffled streams the records in an order that is uniformly random over all of
// them and depends on the seed alone. It reads the files once to find the rows,
// then once more for each window of 32,768 records.
func (t *Triplets) Shuffled(seed uint64) iter.Seq2[Triplet, error] {
	return t.shuffled(seed, shuffleWindow)
}

func (t *Triplets) shuffled(seed uint64, window int) iter.Seq2[Triplet, error] {
	return func(yield func(Triplet, error) bool) {
		rows, err := t.places()
		if err != nil {
			yield(Triplet{}, err)
			return
		}
		rng := rand.New(rand.NewPCG(seed, 0x7472697065747)) // a stream of its own
		rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		for part := range slices.Chunk(rows, window) {
			records, err := t.fetch(part)
			if err != nil {
				yield(Triplet{}, err)
				return
			}
			for _, row := range part {
				if record, ok := records[row.number]; ok && !yield(record, nil) {
					return
				}
			}
		}
	}
}

// rowPlace is where a row is.
type rowPlace struct {
	number int // over all files
	file   int
	at     int64
}

// places finds all rows.
func (t *Triplets) places() ([]rowPlace, error) {
	var rows []rowPlace
	cols := t.cols
	if i := slices.IndexFunc(cols, func(c format.Column) bool { return !c.Optional && !c.List }); i >= 0 {
		cols = cols[i : i+1] // one is enough to find the rows
	}
	for i, file := range t.files {
		for r, err := range format.Rows([]string{file}, cols) {
			if err != nil {
				return nil, fmt.Errorf("training records: %w", err)
			}
			rows = append(rows, rowPlace{len(rows), i, r.At})
		}
	}
	return rows, nil
}

// fetch reads some rows, by number.
func (t *Triplets) fetch(rows []rowPlace) (map[int]Triplet, error) {
	records := make(map[int]Triplet, len(rows))
	for i, file := range t.files {
		var at []int64
		number := map[int64]int{}
		for _, row := range rows {
			if row.file == i {
				at = append(at, row.at)
				number[row.at] = row.number
			}
		}
		for r, err := range format.ReadAt(file, t.cols, at) {
			if err != nil {
				return nil, fmt.Errorf("training records: %w", err)
			}
			n := number[r.At]
			record, ok, err := t.record(r, n)
			if err != nil {
				return nil, fmt.Errorf("training records: %s: record %d, counted from 0: %w", file, n, err)
			}
			if ok {
				records[n] = record
			}
		}
	}
	return records, nil
}
