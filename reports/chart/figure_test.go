package chart

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"infbench/internal/words"
	"infbench/reports/table"
)

// hostileNames may occur wherever a name does.
var hostileNames = []string{"plain", `</script><script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `fn:tip`, `var(--ink)`, `{b}`,
	"two\nlines", "\x1b[31mred\x07", "\u202egnirts\u202c", "\xff\xfe", "a&b<c>'d'", strings.Repeat("long ", 60), "多言語", ""}

// figures returns a figure of every shape on every pair of axes, each with n data, hostile
// names and unique tooltips.
func figures(n int) map[string]*Figure {
	out, random := map[string]*Figure{}, rand.New(rand.NewPCG(1, uint64(n)))
	var places []string
	for i := range n + 1 {
		places = append(places, hostileNames[i%len(hostileNames)])
	}
	for _, shape := range []Shape{Circle, Diamond, Triangle, Line, Interval, Cross, Bar, Cell, Label} {
		for i, axes := range [][2]Axis{{{}, {}}, {{Names: places}, {}}, {{Zero: true}, {Names: places}}, {{Names: places}, {Names: places}}} {
			f := &Figure{ID: fmt.Sprintf("%s-%d", shape, i), Alt: hostileNames[1], Height: 420, X: axes[0], Y: axes[1]}
			m := Mark{Shape: shape, Name: hostileNames[n%len(hostileNames)], Colour: Series[i]}
			for j := range n {
				x := 100 * random.Float64()
				d := Datum{Name: hostileNames[j%len(hostileNames)], X: x, Y: random.NormFloat64(), Low: x - 1, High: x + 2, Below: -3, Above: 3, Value: float64(j%(2*Steps+1) - Steps), Hollow: j%2 == 1, Tip: fmt.Sprintf("tip %d of %s", j, f.ID)}
				if f.X.named() {
					d.X, d.Low, d.High = float64(j), float64(j), float64(j)
				}
				if f.Y.named() {
					d.Y = float64(j)
				}
				m.Data = append(m.Data, d)
			}
			f.Marks = []Mark{m}
			out[f.ID] = f
		}
	}
	var all Figure
	for _, shape := range []Shape{Line, Interval, Circle, Label} {
		all.Marks = append(all.Marks, out[string(shape)+"-0"].Marks...)
	}
	all.ID, all.Height = "mixed", 420
	out["mixed"] = &all
	return out
}

// TestDriversShowEveryDatum checks that both forms show all data, whatever the names.
func TestDriversShowEveryDatum(t *testing.T) {
	for _, n := range []int{1, 2, 14, 40} {
		for id, f := range figures(n) {
			if _, err := f.Drawn(); err != nil {
				t.Fatalf("%s of %d: %v", id, n, err)
			}
			checkOption(t, f)
			if id != "mixed" {
				checkDrawing(t, f)
			}
		}
	}
}

// checkOption looks for each datum in its series, place first and tooltip last.
func checkOption(t *testing.T, f *Figure) {
	t.Helper()
	data, err := json.Marshal(f.Option)
	if err != nil {
		t.Fatalf("%s: %v", f.ID, err)
	}
	var option struct {
		Series []struct {
			Name string
			Data []struct {
				Name  string
				Value []any
			}
		}
	}
	if err := json.Unmarshal(data, &option); err != nil {
		t.Fatalf("%s: %v", f.ID, err)
	}
	if len(option.Series) != len(f.Marks) {
		t.Fatalf("%s: %d series of %d marks", f.ID, len(option.Series), len(f.Marks))
	}
	for i, m := range f.Marks {
		s := option.Series[i]
		if len(s.Data) != len(m.Data) || s.Name != m.Name {
			t.Fatalf("%s: series %q of %d data, want %q of %d", f.ID, s.Name, len(s.Data), m.Name, len(m.Data))
		}
		for j, d := range m.Data {
			got, y := s.Data[j], words.Round4(d.Y)
			if m.Shape == Dot {
				y = d.Y
			}
			if got.Name != d.Name || d.Name != words.Clean(d.Name) || got.Value[0] != d.X || got.Value[1] != y || got.Value[len(got.Value)-1] != d.Tip {
				t.Errorf("%s: datum %+v is %+v", f.ID, d, got)
			}
		}
	}
}

// checkDrawing counts the elements in the colour of the only mark, and looks for the
// names, in XML that loads nothing.
func checkDrawing(t *testing.T, f *Figure) {
	t.Helper()
	m := f.Marks[0]
	colour := fmt.Sprintf("#%06X", m.Colour.light)
	drawn, vertices, fields, unnamed := 0, 0, 0, strings.Count(f.Caption, "are left out")
	texts := map[string]bool{}
	for start, text := range elements(t, f.Drawing.SVG) {
		style, path := start["style"], start["d"]
		switch {
		case start[""] == "text":
			texts[text] = true
		case start[""] == "path" && strings.Contains(style, colour):
			drawn++
			vertices += strings.Count(path, "L") + 1
		case start[""] == "path" && strings.HasPrefix(style, "fill:#"):
			fields++
		}
	}
	n, hollow := len(m.Data), len(m.Data)/2
	want := map[Shape]int{Line: 1, Interval: 2*n + hollow, Cross: 2 * n, Bar: n, Cell: 0, Label: 0, Circle: n, Diamond: n, Triangle: n}[m.Shape]
	if drawn != want || m.Shape == Line && vertices != n || m.Shape == Cell && fields != n+len(stepColours) {
		t.Errorf("%s of %d: %d drawn, want %d; %d vertices, %d fields", f.ID, n, drawn, want, vertices, fields)
	}
	var names []string
	switch {
	case m.Shape == Line:
		names = []string{m.Name}
	case m.Shape != Interval && m.Shape != Cross && m.Shape != Bar && unnamed == 0:
		for _, d := range m.Data {
			names = append(names, d.Name)
		}
	}
	for _, name := range names {
		if name != "" && !texts[name] {
			t.Errorf("%s of %d: no %q", f.ID, n, name)
		}
	}
	for i, axis := range []Axis{f.X, f.Y} {
		names, _, _ := wrappedAll(axis.Names, []vg.Length{columnWidth - 8, labelWidth}[i])
		for k, name := range names {
			if strings.HasSuffix(name, "…") {
				t.Errorf("%s of %d: %q is cut: %q", f.ID, n, axis.Names[k], name)
			}
			for line := range strings.SplitSeq(name, "\n") {
				if line != "" && !texts[line] {
					t.Errorf("%s of %d: no %q of %q on an axis", f.ID, n, line, name)
				}
			}
		}
	}
}

// elements iterates over the elements of a drawing with their attributes and text; "" maps
// to the element's own name.
func elements(t *testing.T, svg []byte) func(func(map[string]string, string) bool) {
	t.Helper()
	return func(yield func(map[string]string, string) bool) {
		decoder := xml.NewDecoder(bytes.NewReader(svg))
		var start map[string]string
		text := ""
		for {
			token, err := decoder.Token()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				t.Fatalf("%v in %s", err, svg)
			}
			switch token := token.(type) {
			case xml.StartElement:
				start, text = map[string]string{"": token.Name.Local}, ""
				for _, a := range token.Attr {
					start[a.Name.Local] = a.Value
					if strings.HasPrefix(a.Name.Local, "on") || a.Name.Local == "href" {
						t.Errorf("attribute %s=%q", a.Name.Local, a.Value)
					}
				}
			case xml.CharData:
				text += string(token)
			case xml.EndElement:
				if start != nil && !yield(start, text) {
					return
				}
				start = nil
			}
		}
	}
}

// TestDrawnTwice checks that the same data give the same bytes.
func TestDrawnTwice(t *testing.T) {
	once, again := figures(40), figures(40)
	for id := range once {
		a, errA := once[id].Drawn()
		b, errB := again[id].Drawn()
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		x, _ := json.Marshal(a.Option)
		y, _ := json.Marshal(b.Option)
		if !bytes.Equal(a.Drawing.SVG, b.Drawing.SVG) || !bytes.Equal(x, y) || a.Caption != b.Caption {
			t.Errorf("%s differs", id)
		}
	}
}

func TestDrawnEmpty(t *testing.T) {
	for _, marks := range [][]Mark{nil, {{Shape: Line, Name: "none"}}, {{Shape: Cell}, {Shape: Label}}} {
		f, err := (&Figure{ID: "empty", Y: Axis{Names: []string{"a"}}, Marks: marks}).Drawn()
		if err != nil || f.Option != nil || f.Drawing != nil {
			t.Errorf("%v: %v, option %v, drawing %v", marks, err, f.Option, f.Drawing)
		}
	}
	f := &Figure{ID: "half", Height: 400, Marks: []Mark{{Shape: Line}, {Shape: Circle, Data: []Datum{{Name: "a"}}}}}
	if _, err := f.Drawn(); err != nil || len(f.Option["series"].([]any)) != 1 {
		t.Errorf("a mark without data beside one with: %v, %v", err, f.Option)
	}
}

// TestDrawnRefuses checks that numbers must be finite and places must have a name.
func TestDrawnRefuses(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for i, d := range []Datum{{X: bad}, {Y: bad}, {Low: bad}, {High: bad}, {Value: bad}} {
			f := &Figure{ID: "bad", Height: 400, Marks: []Mark{{Shape: Interval, Data: []Datum{{Name: "good"}, d}}}}
			if _, err := f.Drawn(); err == nil || !strings.HasPrefix(err.Error(), "chart bad: interval") {
				t.Errorf("%v, %d: %v", bad, i, err)
			}
		}
	}
	for _, place := range []float64{-1, .5, 2} {
		f := &Figure{ID: "bad", X: Axis{Names: []string{"a", "b"}}, Y: Axis{Names: []string{"a"}}, Marks: []Mark{{Shape: Cell, Data: []Datum{{X: place}}}}}
		if _, err := f.Drawn(); err == nil {
			t.Errorf("drawn at %v of two", place)
		}
	}
}

// TestDrawnRanges draws values that differ only by rounding, not at all, and by much. A
// range too short for its size once made an endless loop of ticks.
func TestDrawnRanges(t *testing.T) {
	for _, ys := range [][]float64{{.3, .1 + .2}, {5, 5}, {0, 0}, {-7}, {1e17, 1e17}, {1e15, 1e15 + 1}, {-1e-300, 1e-300}, {1e-9, 1e9}, {2, 1e300}} {
		m := Mark{Shape: Line, Name: "l"}
		for i, y := range ys {
			m.Data = append(m.Data, Datum{X: float64(i), Y: y})
		}
		f, err := (&Figure{ID: "range", Height: 420, X: Axis{Zero: true}, Marks: []Mark{m}}).Drawn()
		if err != nil || bytes.Contains(f.Drawing.SVG, []byte("NaN")) {
			t.Errorf("%v: %v\n%s", ys, err, f.Drawing.SVG)
		}
	}
}

// TestNamesApart checks that no label covers another, and that every point of a crowd has a label if
// it has a row: names where they have room, rows elsewhere.
func TestNamesApart(t *testing.T) {
	for _, firstRow := range []int{0, 1001} {
		m := Mark{Shape: Circle}
		for i := range 60 {
			d := Datum{Name: fmt.Sprintf("system %d", i), X: float64(i % 6), Y: float64(i / 6)}
			if firstRow > 0 {
				d.Row = firstRow + i
			}
			m.Data = append(m.Data, d)
		}
		m.Data[59].X, m.Data[59].Y = 15, 18 // the others are close together
		f, err := (&Figure{ID: "apart", Height: 440, Marks: []Mark{m}}).Drawn()
		if err != nil || strings.Contains(f.Caption, "left out") != (firstRow == 0) {
			t.Fatalf("%v, caption %q", err, f.Caption)
		}
		style, places, names := textStyle(ink, 0, 0), [][4]float64{}, 0
		for start, text := range elements(t, f.Drawing.SVG) {
			name := strings.HasPrefix(text, "system")
			if row, err := strconv.Atoi(text); !name && (err != nil || row < 1000) {
				continue
			}
			if name {
				names++
			}
			var x, y float64
			if _, err := fmt.Sscan(start["x"]+" "+start["y"], &x, &y); err != nil {
				t.Fatal(err)
			}
			place := [4]float64{x, y, x + style.Width(text).Points(), y + style.Height(text).Points()}
			for _, o := range places {
				if place[0] < o[2]-.1 && o[0] < place[2]-.1 && place[1] < o[3]-.1 && o[1] < place[3]-.1 {
					t.Errorf("%q at %v covers %v", text, place, o)
				}
			}
			places = append(places, place)
		}
		if names < 10 || names >= 60 || (len(places) == 60) != (firstRow > 0) {
			t.Errorf("rows from %d: %d labels, %d of them names", firstRow, len(places), names)
		}
	}
}

// TestScatterNames checks that a scatter of some crowded points names all of them and draws their
// intervals.
func TestScatterNames(t *testing.T) {
	s := &Scatter{Title: "crowd", X: "x", Y: "y", Intervals: "Lines are intervals."}
	for i := range 16 {
		x, y := .9+float64(i%4)/500, .4+float64(i/4)/300
		if i == 0 {
			x, y = .2, 0
		}
		s.Add(fmt.Sprintf("multi(P,I) %d", i), table.Trained, x, y, table.Entry{}, table.Entry{}, "")
		s.Spread(Range{x - .02, x + .02}, Range{y - .03, y + .03})
	}
	f, err := s.Figure("crowd")
	if err != nil {
		t.Fatal(err)
	}
	svg := string(f.Drawing.SVG)
	for i := range 16 {
		if name := fmt.Sprintf(">multi(P,I) %d<", i); !strings.Contains(svg, name) {
			t.Errorf("no %s", name)
		}
	}
	if f.Marks[0].Shape != Cross || len(f.Marks[0].Data) != 16 || strings.Contains(f.Caption, "left out") || !strings.Contains(f.Caption, s.Intervals) {
		t.Errorf("%s: %d, %s", f.Marks[0].Shape, len(f.Marks[0].Data), f.Caption)
	}
}

// TestScatterOfMany checks that each of 150 points has its name or its number in the table.
func TestScatterOfMany(t *testing.T) {
	s, random := &Scatter{Title: "many", X: "x", Y: "y"}, rand.New(rand.NewPCG(1, 1))
	for i := range 150 {
		s.Add(fmt.Sprintf("system with a name %d", i), table.Trained, random.NormFloat64(), random.NormFloat64(), table.Entry{}, table.Entry{}, "")
	}
	s.HighestFirst()
	f, err := s.Figure("many")
	if err != nil || strings.Contains(f.Caption, "left out") {
		t.Fatalf("%v: %s", err, f.Caption)
	}
	names, numbers := 0, 0
	for _, row := range f.Table.Rows {
		switch svg := string(f.Drawing.SVG); {
		case strings.Contains(svg, ">"+row.Entries[0].Text+"<"):
			names++
		case strings.Contains(svg, ">"+row.Entries[1].Text+"<"):
			numbers++
		default:
			t.Errorf("neither %q nor %q", row.Entries[0].Text, row.Entries[1].Text)
		}
	}
	if names < 30 || numbers < 30 {
		t.Errorf("%d names, %d numbers", names, numbers)
	}
}
