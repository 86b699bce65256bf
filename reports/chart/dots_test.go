package chart

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// cloud returns a figure of n dots in each of three marks, with hostile names and tips.
func cloud(n int) *Figure {
	r := rand.New(rand.NewPCG(3, 3))
	f := &Figure{ID: "cloud", Alt: hostileNames[1], Height: 600, X: Axis{Title: "x"}, Y: Axis{Title: "y"}}
	for i, glyph := range []Shape{Circle, Diamond, Triangle} {
		m := Mark{Shape: Dot, Name: fmt.Sprint(i, hostileNames[1+i]), Colour: Series[i], Glyph: glyph}
		for j := range n {
			m.Data = append(m.Data, Datum{X: r.NormFloat64(), Y: r.NormFloat64(), Tip: fmt.Sprint(j, hostileNames[j%9])})
		}
		f.Marks = append(f.Marks, m)
	}
	return f
}

// TestDots checks that both forms hold all dots and a legend with the names of their
// marks. The option has one series per mark and can be zoomed; the drawing has one path
// per mark, with a few bytes per dot.
func TestDots(t *testing.T) {
	const n = 5000
	f, err := cloud(n).Drawn()
	if err != nil {
		t.Fatal(err)
	}
	checkOption(t, f)
	option, err := json.Marshal(f.Option)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"legend":{"data":["0`, `"dataZoom":[{`, `"zoomOnMouseWheel":"ctrl"`, `"large":true`} {
		if !bytes.Contains(option, []byte(want)) {
			t.Errorf("the option has no %s: %.600s", want, option)
		}
	}
	places, names := map[string]int{}, map[string]bool{}
	for start, text := range elements(t, f.Drawing.SVG) {
		if start[""] == "text" {
			names[text] = true
		}
		for i := range f.Marks {
			if start[""] == "path" && strings.Contains(start["style"], fmt.Sprintf("#%06X", Series[i].light)) {
				places[Series[i].name] += strings.Count(start["d"], "M")
			}
		}
	}
	for i, m := range f.Marks {
		if got := places[Series[i].name]; got != n+1 { // one more in the legend
			t.Errorf("%d dots drawn of mark %d, want %d", got, i, n+1)
		}
		if !names[m.Name] && len(m.Name) < 25 {
			t.Errorf("no %q in %v", m.Name, names)
		}
	}
	if room := len(f.Drawing.SVG) / (3 * n); room > 60 {
		t.Errorf("%d bytes a dot", room)
	}
	again, _ := cloud(n).Drawn()
	if !bytes.Equal(again.Drawing.SVG, f.Drawing.SVG) {
		t.Error("drawn twice, the bytes differ")
	}
}
