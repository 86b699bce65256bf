package chart

import (
	"fmt"
	"strings"
	"testing"
)

// TestLogTicks checks that a logarithmic axis has 1, 2 and 5 times powers of ten, or only
// powers if those are many.
func TestLogTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{90, 1300, "100 200 500 1000"},
		{100, 1e6, "100 1000 10000 100000 1000000"},
		{.04, .3, "0.05 0.1 0.2"},
	} {
		var got []string
		for _, tick := range (logTicks{}).Ticks(c.low, c.high) {
			got = append(got, tick.Label)
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("from %v to %v: %s, want %s", c.low, c.high, text, c.want)
		}
	}
}

// TestLogAxis checks that values without a logarithm are errors, that a single size is
// drawn, and that a line without a name has no name at its end.
func TestLogAxis(t *testing.T) {
	figure := func(sizes ...float64) *Figure {
		m := Mark{Shape: Line}
		for i, x := range sizes {
			m.Data = append(m.Data, Datum{X: x, Y: float64(i)})
		}
		return &Figure{ID: "f", Height: 200, X: Axis{Title: "records", Log: true}, Y: Axis{Title: "y"}, Marks: []Mark{m}}
	}
	for _, sizes := range [][]float64{{100}, {100, 1000, 20000}} {
		f, err := figure(sizes...).Drawn()
		if err != nil || f.Drawing == nil {
			t.Errorf("%v: %v", sizes, err)
			continue
		}
		if kind := fmt.Sprintf("%+v", f.Option["xAxis"]); !strings.Contains(kind, "Type:log") {
			t.Errorf("the axis is %s", kind)
		}
	}
	if _, err := figure(0, 10).Drawn(); err == nil || !strings.Contains(err.Error(), "is outside its axes") {
		t.Errorf("a size of 0: %v", err)
	}
}
