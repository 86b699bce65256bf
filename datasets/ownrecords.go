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

// The poisoned fields that a corpus may lack, as InF-IR's columns are called.
const (
	instructionNegative = "instruction_negative"
	queryNegative       = "query_negative"
)

// ownFields are the columns of people's own training files: those of InF-IR, or of
// plain pairs of a query and a passage.
func ownFields() TripletFields {
	f := infIRFields
	f.InstructionPositive += "|instruction"
	f.QueryPositive += "|query|anchor"
	f.Positive += "|positive|passage"
	return f
}

// OwnColumns are the names of columns that OpenOwn reads, numbered ones by the first.
func OwnColumns() (names []string) {
	for _, c := range append(ownFields().columns(), negativesColumn, scoresColumn) {
		names = append(names, strings.Split(c.Name, "|")...)
	}
	return append(names, "negative", "negative_1")
}

// UnreadColumns lists the columns of files that OpenOwn does not read, in their order and
// each with the name that was likely meant.
func UnreadColumns(files []string) (said []string, err error) {
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
			said = append(said, name)
		}
	}
	return said, nil
}

// negativesColumn holds passages that are no answers, as a list.
var negativesColumn = format.Column{Name: "negatives", List: true}

// negativeColumn fits the columns of sentence-transformers that hold one such passage each:
// anchor, positive, negative, or anchor, positive, negative_1, negative_2, ... as its
// mine_hard_negatives writes them.
var negativeColumn = regexp.MustCompile(`^negative(?:_(\d{1,6}))?$`)

// jsonNegatives is how many numbered columns are looked for in each object of JSON Lines,
// whatever the first objects have.
const jsonNegatives = 64

// negativeColumns are the columns of one negative each, by number, and those of files that
// hold lists under such a name.
func negativeColumns(files []string) (columns []format.Column, err error) {
	numbers := map[int]string{}
	add := func(name string) {
		if m := negativeColumn.FindStringSubmatch(name); m != nil {
			n := -1 // before those with a number
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

// scoresColumn holds a teacher's scores as a list: of the passage and then of the
// negatives where a record is one row; of several rows, those of the first with the
// passages of all, then those of the second.
var scoresColumn = format.Column{Name: "teacher_scores", Kind: format.Number, List: true}

// OpenOwn opens training records that nobody described, in files that share their
// columns. A query and a passage must be there. An instruction may be; a poisoned
// instruction stands with its passage or not at all, as does a poisoned query. What
// is not there is what Lacks lists; where the first line of a JSON file has none, no
// other may.
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
	if !r.Shape().Instruction { // plain pairs, of which some may have an instruction
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

// checkAny refuses files without a record.
func (r *Records) checkAny() error {
	for _, err := range format.Rows(r.files, r.cols) {
		return err // nil of a row: whether it is right is said where it is read
	}
	return fmt.Errorf("open training records: %s: no record in it", r.files[0])
}

// checkTypes refuses columns of another type, whichever of them are there.
func checkTypes(files []string, cols []format.Column) error {
	cols = slices.Clone(cols)
	for i := range cols {
		cols[i].Optional = true
	}
	return format.Check(files, cols)
}

// haveColumn says whether all files have one of the columns, of a type that was checked.
func haveColumn(files []string, columns ...string) bool {
	return slices.ContainsFunc(columns, func(name string) bool { return format.Check(files, []format.Column{{Name: name}}) == nil })
}

// lack notes that a field, of which these columns would be, is not there.
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

// addNegatives reads the columns of negatives, where there are some, into the first row of
// each record: those of the list first.
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

// addScores reads the column of a teacher's scores, where there is one.
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

// score deals the scores of a record out to its rows; too many stay with the last.
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

// checkScores refuses scores of which no teacher's list is made.
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

// checkRows refuses a record that has other sides than its corpus, and texts that
// say nothing.
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
