package datasets

import (
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"infbench/datasets/format"
	"infbench/internal/nearest"
)

// The poisoned fields that a corpus may lack, under the names of InF-IR's columns.
const (
	instructionNegative = "instruction_negative"
	queryNegative       = "query_negative"
)

// ownFields are the columns of users' own training files: those of InF-IR, or of plain pairs of a
// query and a passage.
func ownFields() TripletFields {
	f := infIRFields
	f.InstructionPositive += "|instruction"
	f.QueryPositive += "|query|anchor"
	f.Positive += "|positive|passage"
	return f
}

// OwnColumns returns the names of the columns that OpenOwn reads, with only the first of numbered
// ones.
func OwnColumns() (names []string) {
	for _, c := range append(ownFields().columns(), negativesColumn, scoresColumn) {
		names = append(names, strings.Split(c.Name, "|")...)
	}
	return append(names, "negative", "negative_1")
}

// UnreadColumns lists the columns of files that OpenOwn does not read, in order, each with the name
// that was probably meant.
func UnreadColumns(files []string) (unread []string, err error) {
	known := OwnColumns()
	seen := map[string]bool{}
	for _, file := range files {
		names, err := format.Names(file)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if seen[name] || slices.Contains(known, name) || negativeColumn.MatchString(name) {
				continue
			}
			seen[name] = true
			if near, ok := nearest.Of(name, known); ok {
				name += fmt.Sprintf(" (did you mean %s?)", near)
			}
			unread = append(unread, name)
		}
	}
	return unread, nil
}

// negativesColumn has a list of passages that do not answer.
var negativesColumn = format.Column{Name: "negatives", List: true}

// negativeColumn matches the columns of sentence-transformers with one such passage each: anchor,
// positive, negative, or anchor, positive, negative_1, negative_2, ... as written by its
// mine_hard_negatives.
var negativeColumn = regexp.MustCompile(`^negative(?:_(\d{1,6}))?$`)

// jsonNegatives is the number of numbered columns searched for in each JSON Lines object, in
// addition to those of the first objects.
const jsonNegatives = 64

// negativeColumns returns the columns with one negative each, by number, and those with lists under
// such a name.
func negativeColumns(files []string) (columns []format.Column, err error) {
	numbers := map[int]string{}
	add := func(name string) {
		if m := negativeColumn.FindStringSubmatch(name); m != nil {
			n := -1 // before numbered columns
			if m[1] != "" {
				n, _ = strconv.Atoi(m[1])
			}
			numbers[n] = name
		}
	}
	for _, file := range files {
		names, err := format.Names(file)
		if err != nil {
			return nil, err
		}
		if strings.Contains(filepath.Base(file), "json") {
			add("negative")
			for n := range jsonNegatives + 1 {
				add(fmt.Sprint("negative_", n))
			}
		}
		for _, name := range names {
			add(name)
		}
	}
	for _, n := range slices.Sorted(maps.Keys(numbers)) {
		column := format.Column{Name: numbers[n]}
		column.List = format.Check(files, []format.Column{{Name: column.Name, List: true}}) == nil
		column.Optional = true
		columns = append(columns, column)
	}
	return columns, nil
}

// scoresColumn has a teacher's scores as a list. If a record is one row, these are the scores of
// the passage and then of the negatives. If it has several rows, these are the scores of the first
// row with all passages, then of the second, and so on.
var scoresColumn = format.Column{Name: "teacher_scores", Kind: format.Number, List: true}

// OpenOwn opens users' own training records, in files with the same columns. A query and a passage
// are required, an instruction is optional. A poisoned instruction requires its passage, and so
// does a poisoned query. Lacks lists the missing fields. If the first line of a JSON file lacks a
// field, no other line may have it.
func OpenOwn(name string, files []string) (*Records, error) {
	fields := ownFields()
	r := &Records{files: files, cols: fields.columns(), texts: true, own: true, fill: fillTriplet}
	if len(files) == 0 {
		return r, r.check()
	}
	err := checkTypes(files, r.cols)
	if err != nil {
		return nil, fmt.Errorf("open training records: %w", err)
	}
	for _, of := range []struct {
		field   string
		columns []string
	}{
		{instructionNegative, []string{fields.InstructionNegative, fields.HardNegative1}},
		{queryNegative, []string{fields.QueryNegative, fields.HardNegative2}},
	} {
		if !haveColumn(files, of.columns...) {
			r.lack(name, of.field, of.columns...)
		}
	}
	if !r.Shape().Instruction && !haveColumn(files, fields.InstructionPositive) {
		r.lack(name, "instruction_positive", fields.InstructionPositive)
	}
	if !r.Shape().Instruction { // plain pairs, some with an instruction
		r.optional(fields.InstructionPositive)
	}
	if err := r.addNegatives(); err != nil {
		return nil, fmt.Errorf("open training records: %w", err)
	}
	r.addScores()
	if err := r.check(); err != nil {
		return nil, err
	}
	if r.unread, err = UnreadColumns(files); err != nil {
		return nil, fmt.Errorf("open training records: %w", err)
	}
	return r, r.checkAny()
}

// checkAny rejects files without a record.
func (r *Records) checkAny() error {
	for _, err := range format.Rows(r.files, r.cols) {
		return err // nil for a row: reading it reports its errors
	}
	return fmt.Errorf("open training records: %s: no record in it", r.files[0])
}

// checkTypes rejects columns of another type; columns may be missing.
func checkTypes(files []string, cols []format.Column) error {
	cols = slices.Clone(cols)
	for i := range cols {
		cols[i].Optional = true
	}
	return format.Check(files, cols)
}

// haveColumn reports whether all files have one of the columns; its type was already checked.
func haveColumn(files []string, columns ...string) bool {
	return slices.ContainsFunc(columns, func(name string) bool { return format.Check(files, []format.Column{{Name: name}}) == nil })
}

// lack records that a field with these columns is missing.
func (r *Records) lack(corpus, field string, columns ...string) {
	r.missing = append(r.missing, MissingField{Corpus: corpus, Field: field})
	r.optional(columns...)
}

func (r *Records) optional(columns ...string) {
	for i := range r.cols {
		if slices.Contains(columns, r.cols[i].Name) {
			r.cols[i].Optional = true
		}
	}
}

// addNegatives adds the negatives, if there are such columns, to the first row of each record,
// those of the list first.
func (r *Records) addNegatives() error {
	single, err := negativeColumns(r.files)
	if err != nil {
		return err
	}
	at, fill := len(r.cols), r.fill
	column := negativesColumn
	column.Optional = true
	columns := append([]format.Column{column}, single...)
	r.cols = append(r.cols, columns...)
	r.lists = slices.ContainsFunc(columns, func(c format.Column) bool {
		c.Optional = false
		return slices.ContainsFunc(r.files, func(file string) bool { return format.Check([]string{file}, []format.Column{c}) == nil })
	})
	r.fill = func(row *format.Row) (Record, bool) {
		record, ok := fill(row)
		var negatives []string
		for i, c := range columns {
			switch {
			case c.List:
				negatives = append(negatives, row.Texts(at+i)...)
			case row.Has(at + i):
				negatives = append(negatives, row.Text(at+i))
			}
		}
		record.Rows[0].Negatives = negatives
		return record, ok
	}
	return nil
}

// addScores reads the column of a teacher's scores, if there is one.
func (r *Records) addScores() {
	at, fill := len(r.cols), r.fill
	column := scoresColumn
	column.Optional = true
	r.cols = append(r.cols, column)
	r.fill = func(row *format.Row) (Record, bool) {
		record, ok := fill(row)
		record.score(row.Numbers(at))
		return record, ok
	}
}

// score distributes the scores of a record among its rows; surplus scores stay with the last.
func (r *Record) score(scores []float64) {
	for k := range r.Rows {
		each := len(r.Rows)
		if each == 1 || k == each-1 {
			each = len(scores)
		}
		each = min(each, len(scores))
		r.Rows[k].Scores, scores = scores[:each:each], scores[each:]
	}
}

// checkScores rejects scores that cannot be a teacher's list.
func (r Record) checkScores() error {
	given := 0
	for _, row := range r.Rows {
		given += len(row.Scores)
		for _, score := range row.Scores {
			if math.IsInf(float64(float32(score)), 0) {
				return fmt.Errorf("a teacher's score of %v, want a number of float32", score)
			}
		}
	}
	want := len(r.Rows) * len(r.Rows)
	if len(r.Rows) == 1 {
		want = 1 + len(r.Rows[0].Negatives)
	}
	of := fmt.Sprintf("of the passage and its %d negatives", want-1)
	if n := len(r.Rows); n > 1 {
		of = fmt.Sprintf("of each of %d rows with the passages of all", n)
	}
	if given != 0 && given != want {
		return fmt.Errorf("%d scores, want %d, %s", given, want, of)
	}
	return nil
}

// checkRows rejects a record with other poisoned sides than its corpus, and blank texts.
func (r *Records) checkRows(record Record) error {
	if want := r.Shape().Rows(); len(record.Rows) != want {
		return fmt.Errorf("the record makes %d rows with its poisoned fields, the corpus's first makes %d", len(record.Rows), want)
	}
	for _, row := range record.Rows {
		if strings.TrimSpace(row.Query) == "" {
			return fmt.Errorf("the query is blank, want text")
		}
		if strings.TrimSpace(row.Passage) == "" {
			return fmt.Errorf("the passage is blank, want text")
		}
		for k, negative := range row.Negatives {
			if r.own && strings.TrimSpace(negative) == "" {
				return fmt.Errorf("negative %d is blank, want text", k+1)
			}
		}
	}
	return record.checkScores()
}
