package analysis

import (
	"path/filepath"
	"strconv"

	"infbench/bench/output"
	"infbench/internal/words"
	"infbench/runners/results"
)

// mapReport is the JSON output of data map.
type mapReport struct {
	Method string               `json:"method"`
	Model  string               `json:"model"`
	Facts  []string             `json:"facts"`
	Values []results.StudyValue `json:"values"`
	Groups []mapReportGroup     `json:"groups"`
}

type mapReportGroup struct {
	Source string           `json:"source"`
	Field  string           `json:"field"`
	Texts  int              `json:"texts"`
	Of     int              `json:"texts_in_source"`
	Points []mapReportPoint `json:"points,omitempty"`
}

// mapReportPoint is one text, with its number in the field of its source, from 1.
type mapReportPoint struct {
	Number int     `json:"number"`
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Text   string  `json:"text"`
}

// jsonOf returns the JSON output, with or without the points.
func (m *textMap) jsonOf(s *results.Study, points bool) mapReport {
	r := mapReport{Method: m.method, Model: m.model, Facts: s.Facts, Values: s.Values}
	at := 0
	for _, g := range m.groups {
		group := mapReportGroup{Source: g.set.Source, Field: g.set.Field, Texts: len(g.chosen), Of: len(g.set.Texts)}
		for _, i := range g.chosen {
			if points {
				group.Points = append(group.Points, mapReportPoint{i + 1, m.points[at].X, m.points[at].Y, g.set.Texts[i]})
			}
			at++
		}
		r.Groups = append(r.Groups, group)
	}
	return r
}

// csv lists the coordinates with the complete texts.
func (m *textMap) csv() output.Sheet {
	s := output.Sheet{Head: []string{"source", "field", "number", "x", "y", "text"}}
	at := 0
	for _, g := range m.groups {
		for _, i := range g.chosen {
			p := m.points[at]
			s.Rows = append(s.Rows, []string{g.set.Source, g.set.Field, strconv.Itoa(i + 1), output.Exact(&p.X), output.Exact(&p.Y), g.set.Texts[i]})
			at++
		}
	}
	return s
}

// qualityCSV lists the quality measures of the map.
func qualityCSV(study *results.Study) output.Sheet {
	s := output.Sheet{Head: []string{"measure", "of", "direction", "n", "value"}}
	for _, v := range study.Values {
		s.Rows = append(s.Rows, []string{v.Measure, v.Of, v.Direction, strconv.Itoa(v.N), output.Exact(v.Value)})
	}
	return s
}

// sheet formats the map for a terminal.
func (m *textMap) sheet(study *results.Study) output.Sheet {
	s := output.Sheet{Title: "Map of " + words.Plural(len(m.points), "text", "texts") + " by " + m.model, Left: 3, Head: []string{"measure", "of", "direction", "value"}}
	for _, v := range study.Values {
		s.Rows = append(s.Rows, []string{v.Measure, v.Of, v.Direction, words.Fixed(*v.Value, 4)})
	}
	s.Notes = append(s.Notes, m.method)
	for _, g := range m.groups {
		s.Notes = append(s.Notes, filepath.Base(g.set.Source)+", field "+g.set.Field+": "+words.Group(len(g.chosen))+" of "+words.Group(len(g.set.Texts))+" texts")
	}
	if m.left > 0 {
		s.Notes = append(s.Notes, m.leftOut())
	}
	if m.of.out != "" {
		s.Notes = append(s.Notes, "written: "+filepath.Join(m.of.out, "map.html")+", map.svg, map.csv, map.json")
	}
	return s
}
