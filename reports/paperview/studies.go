package paperview

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/reports/table"
	"infbench/runners/results"
)

// studiesOf lists the studies of a kind, by name.
func studiesOf(all []*results.Study, kind string) []*results.Study {
	found := slices.DeleteFunc(slices.Clone(all), func(s *results.Study) bool { return s.Kind != kind })
	slices.SortStableFunc(found, func(a, b *results.Study) int { return strings.Compare(a.Name, b.Name) })
	return found
}

// studyTable lists every number of some studies, one per row. Two studies with different n
// are not comparable, so each row shows n.
func (b *builder) studyTable(studies []*results.Study) *table.Table {
	t := &table.Table{ID: "view-" + b.name + "-all", Title: b.name + ": every number",
		Caption: "As measured by infbench " + cmp.Or(b.verb, b.name) + ", in native range. Compare only values with the same n, labels and settings.",
		Columns: []table.Column{{Name: "study"}, {Name: "measure"}, {Name: "of"}, {Name: "n", Number: true}}}
	chance := slices.ContainsFunc(studies, func(s *results.Study) bool {
		return slices.ContainsFunc(s.Values, func(v results.StudyValue) bool { return v.Observed != nil })
	})
	if chance {
		t.Columns = append(t.Columns, table.Column{Name: "observed", Number: true}, table.Column{Name: "by chance", Number: true})
	}
	t.Columns = append(t.Columns, table.Column{Name: "value", Number: true}, table.Column{Name: "interval", Number: true})
	for _, s := range studies {
		for _, v := range s.Values {
			of := v.Of
			if v.Direction != "" {
				of += "; " + v.Direction
			}
			row := []table.Entry{{Text: words.Clean(s.Name)}, {Text: words.Clean(v.Measure)}, {Text: words.Clean(of)}, table.Number(words.Group(v.N), float64(v.N))}
			if chance {
				row = append(row, plain(v.Observed), plain(v.Expected))
			}
			t.Rows = append(t.Rows, table.Row{Entries: append(row, number(s, v), between(v))})
		}
		facts := s.Facts
		if s.Level > 0 {
			facts = append([]string{fmt.Sprintf("intervals of %g%%", 100*s.Level)}, facts...)
		}
		t.Notes = append(t.Notes, words.Clean(fmt.Sprintf("%s: %s (SHA-256 %s), %s.", s.Name, s.File, words.Shorten(s.SHA256), strings.Join(facts, "; "))))
	}
	return t
}

// number formats a value of a study: a count of data as an integer, any other with four
// decimals.
func number(s *results.Study, v results.StudyValue) table.Entry {
	if s.Kind == "data" && !isMean(v) {
		return counted(v)
	}
	return plain(v.Value)
}

// first returns the first number of a study for a measure.
func first(s *results.Study, measure string) (v results.StudyValue, ok bool) {
	i := slices.IndexFunc(s.Values, func(v results.StudyValue) bool { return v.Measure == measure })
	if i < 0 {
		return v, false
	}
	return s.Values[i], true
}

// lacking returns an entry for a missing number.
func lacking() table.Entry { return table.Entry{Text: words.MissingMark, Tone: table.Absent} }

// plain returns a number in its native range.
func plain(v *float64) table.Entry {
	if v == nil {
		return table.Entry{Text: words.UndefinedMark, Tone: table.Absent}
	}
	return table.Number(words.Fixed(*v, 4), *v)
}
