package paperview

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"infbench/reports/chart"
	"infbench/runners/results"
)

// mapStudy returns a map with one text in each field of each source.
func mapStudy(t *testing.T, sources, fields []string) *results.Study {
	t.Helper()
	value := 0.75
	s := &results.Study{Format: results.StudyFormat, Kind: "map", Name: "m", Map: &results.StudyMap{Method: "Principal components", X: "one", Y: "two"},
		Values: []results.StudyValue{{Measure: "trustworthiness", Of: "2 of 2 points", N: 2, Value: &value}}}
	for _, source := range sources {
		for i, field := range fields {
			packed, err := results.PackPoints([]results.MapPoint{{X: float64(i), Y: -0.5, Text: "<b>" + source + "</b> " + field}})
			if err != nil {
				t.Fatal(err)
			}
			s.Map.Groups = append(s.Map.Groups, results.MapGroup{Source: source, Field: field, N: 1, Of: 9, Points: packed})
		}
	}
	return s
}

// TestMapView checks that a map is a chart with the position of every text, with colours
// for sources and shapes for fields, or colours for the fields of one source.
func TestMapView(t *testing.T) {
	fields := []string{"instruction", "query", "passage"}
	for sources, want := range map[string]string{
		"a b": "s1 circle, s1 triangle, s1 diamond, s2 circle, s2 triangle, s2 diamond",
		"a":   "s1 circle, s2 circle, s3 circle",
	} {
		study := mapStudy(t, strings.Fields(sources), fields)
		found, err := Sections("map", setOf(t), Options{Studies: []*results.Study{study}})
		if err != nil {
			t.Fatal(err)
		}
		f := found[0].Figures[0]
		var got []string
		for i, m := range f.Marks {
			css := m.Colour
			at := slices.Index(chart.Series, css)
			got = append(got, fmt.Sprintf("s%d %s", at+1, m.Glyph))
			g := study.Map.Groups[i]
			if d := m.Data[0]; m.Name != g.Source+", "+g.Field || d.X != float64(i%3) || d.Y != -0.5 || d.Tip != m.Name+"\n<b>"+g.Source+"</b> "+g.Field {
				t.Errorf("group %d is %+v", i, m)
			}
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("marks of %s are %v, want %s", sources, got, want)
		}
		if row := found[0].Tables[0].Rows[0]; row.Entries[0].Text != "m" || row.Entries[2].Text != "0.7500" {
			t.Errorf("row %+v", row)
		}
	}
}

// TestMapViewOfBrokenPoints checks that changed points are an error that names the map.
func TestMapViewOfBrokenPoints(t *testing.T) {
	good, err := results.PackPoints(nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, points := range map[string][]byte{"none": nil, "text": []byte("[[1,2,\"x\"]]"), "cut": good[:len(good)/2]} {
		s := mapStudy(t, []string{"a"}, []string{"query"})
		s.Map.Groups[0].Points = points
		if _, err := Sections("map", setOf(t), Options{Studies: []*results.Study{s}}); err == nil || !strings.Contains(err.Error(), "map m: points of a, query") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestWrap checks that lines of a tooltip end between words.
func TestWrap(t *testing.T) {
	long := strings.Repeat("eight888 ", 20)
	for _, line := range strings.Split(wrap(long), "\n") {
		if len(line) > lineWidth || strings.HasPrefix(line, " ") {
			t.Errorf("line %q", line)
		}
	}
	if got := strings.ReplaceAll(wrap(long), "\n", " "); got != strings.TrimSpace(long) {
		t.Errorf("%q", got)
	}
}
