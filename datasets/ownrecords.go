package datasets

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"infbench/datasets/format"
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

// OwnColumns are the names of columns that OpenOwn reads.
func OwnColumns() (names []string) {
	for _, c := range append(ownFields().columns(), negativesColumn, scoresColumn) {
		names = append(names, strings.Split(c.Name, "|")...)
	}
	return names
}

// negativesColumn holds passages that are no answers, as a list.
var negativesColumn = format.Column{Name: "negatives", List: true}

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
	if err := checkTypes(files, r.cols); err != nil {
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
	r.addNegatives()
	r.addScores()
	return r, r.check()
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

// addNegatives reads the column of negatives, where there is one, into the first row of
// each record.
func (r *Records) addNegatives() {
	at, fill := len(r.cols), r.fill
	column := negativesColumn
	column.Optional = true
	r.cols = append(r.cols, column)
	r.lists = slices.ContainsFunc(r.files, func(file string) bool {
		return format.Check([]string{file}, []format.Column{negativesColumn}) == nil
	})
	r.fill = func(row *format.Row) (Record, bool) {
		record, ok := fill(row)
		record.Rows[0].Negatives = slices.Clone(row.Texts(at))
		return record, ok
	}
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
