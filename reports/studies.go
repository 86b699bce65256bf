package reports

import (
	"fmt"
	"slices"
	"strings"
)

// StudyFormat names the shape of a Study in JSON.
const StudyFormat = "infbench-study/1"

// Study holds numbers about data rather than about systems: how far raters agree,
// or how varied texts are. No trial has them; views of the paper's figures do.
type Study struct {
	Format string       `json:"format"`
	Kind   string       `json:"kind"` // the view that shows it: agreement, diversity
	Name   string       `json:"name"`
	File   string       `json:"file"`   // that was measured, its base name
	SHA256 string       `json:"sha256"` // of it
	Facts  []string     `json:"facts"`  // what the numbers depend on, a few words each
	Level  float64      `json:"level"`  // of the intervals
	Values []StudyValue `json:"values"`
}

// StudyValue is one number of a study; nil is undefined.
type StudyValue struct {
	Measure   string   `json:"measure"`
	Of        string   `json:"of"` // raters, or what it is counted over
	Direction string   `json:"direction,omitempty"`
	N         int      `json:"n"`
	Observed  *float64 `json:"observed,omitempty"`
	Expected  *float64 `json:"expected,omitempty"`
	Value     *float64 `json:"value"`
	Low       *float64 `json:"low,omitempty"`
	High      *float64 `json:"high,omitempty"`
}

// StudyViews lists the views that show studies and need no trial.
func StudyViews() []string { return []string{"agreement", "diversity"} }

// studiesOf lists the studies of a kind, by name.
func studiesOf(all []*Study, kind string) []*Study {
	found := slices.DeleteFunc(slices.Clone(all), func(s *Study) bool { return s.Kind != kind })
	slices.SortStableFunc(found, func(a, b *Study) int { return strings.Compare(a.Name, b.Name) })
	return found
}

// studyTable lays out the studies of a view, a row for each number. Two studies
// of different n are no comparison, so n stands beside every value.
func studyTable(ready readyView, studies []*Study) *Table {
	t := &Table{ID: "view-" + ready.name, Title: fmt.Sprintf("%s, as the paper's %s", ready.name, ready.shows),
		Caption: "As measured by infbench " + ready.name + ", in native range. Compare only what was measured alike: with the same n, labels and settings.",
		Columns: []Column{{Name: "study"}, {Name: "measure"}, {Name: "of"}, {Name: "n", Number: true}}}
	chance := slices.ContainsFunc(studies, func(s *Study) bool {
		return slices.ContainsFunc(s.Values, func(v StudyValue) bool { return v.Observed != nil })
	})
	if chance {
		t.Columns = append(t.Columns, Column{Name: "observed", Number: true}, Column{Name: "by chance", Number: true})
	}
	t.Columns = append(t.Columns, Column{Name: "value", Number: true}, Column{Name: "interval", Number: true})
	for _, s := range studies {
		for _, v := range s.Values {
			of := v.Of
			if v.Direction != "" {
				of += "; " + v.Direction
			}
			row := []Entry{{Text: clean(s.Name)}, {Text: clean(v.Measure)}, {Text: clean(of)}, number(group(v.N), float64(v.N))}
			if chance {
				row = append(row, plain(v.Observed), plain(v.Expected))
			}
			between := Entry{}
			if v.Low != nil && v.High != nil {
				between = number(fmt.Sprintf("[%s, %s]", fixed(*v.Low, 4), fixed(*v.High, 4)), *v.Low)
			}
			t.Rows = append(t.Rows, Row{Entries: append(row, plain(v.Value), between)})
		}
		t.Notes = append(t.Notes, clean(fmt.Sprintf("%s: %s (SHA-256 %s), intervals of %g%%; %s.", s.Name, s.File, shorten(s.SHA256), 100*s.Level, strings.Join(s.Facts, "; "))))
	}
	return t
}

// plain is a number in its native range.
func plain(v *float64) Entry {
	if v == nil {
		return Entry{Text: undefinedMark, Tone: Absent}
	}
	return number(fixed(*v, 4), *v)
}
