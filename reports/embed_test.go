package reports

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestDataRebuilds checks that what a page carries gives its tables again, from
// an experiment with seeds, a failed trial and hostile texts.
func TestDataRebuilds(t *testing.T) {
	e := hostileExperiment()
	for i := range e.Trials {
		e.Trials[i].Marker = "0123"
	}
	r := build(t, quick, e)
	d, err := ReadData(strings.NewReader(written(t, r, "html")))
	if err != nil {
		t.Fatal(err)
	}
	again := build(t, d.BuildOptions(), d.Experiments()...)
	want, got := r.Tables(), again.Tables()
	if len(got) != len(want) {
		t.Fatalf("%d tables, want %d", len(got), len(want))
	}
	for i := range want {
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Errorf("table %s differs:\n%+v\n%+v", want[i].ID, got[i], want[i])
		}
	}
	if d.Trials[0].Marker != "0123" || len(d.Left) != 0 {
		t.Errorf("marker %q, left %v", d.Trials[0].Marker, d.Left)
	}
}

// TestDataLinks checks that a link leads to the values of its number: the mean
// of each leaderboard cell, worked out from the page alone.
func TestDataLinks(t *testing.T) {
	r := build(t, quick, fixture(2))
	d, err := ReadData(strings.NewReader(written(t, r, "html")))
	if err != nil {
		t.Fatal(err)
	}
	board := r.Boards[0].Leaderboard
	for _, row := range board.Rows {
		for j, e := range row.Entries[1:] {
			l, err := ParseLink(e.From.String())
			if err != nil || l.Stat != StatMean {
				t.Fatalf("link %q: %v", e.From, err)
			}
			if got := percent(d.Slots[l.Slots[0]].Measure, meanOf(d, l)); got != unmarked(e.Text) {
				t.Errorf("%s, %s: %s from the page's data, shown %s", row.Entries[0].Text, board.Columns[j+1].flat(), got, e.Text)
			}
		}
	}
}

// meanOf is the plainest mean over queries, slots and trials.
func meanOf(d *Data, l Link) float64 {
	trials := 0.0
	for _, t := range l.Trials {
		slots := 0.0
		for _, v := range d.Trials[t].Values {
			if slices.Contains(l.Slots, v.Slot) {
				sum := 0.0
				for _, x := range v.Values {
					sum += x
				}
				slots += sum / float64(len(v.Values))
			}
		}
		trials += slots / float64(len(l.Slots))
	}
	return trials / float64(len(l.Trials))
}

func TestReadDataRefuses(t *testing.T) {
	page := func(json string) string { return "<html>" + dataStart + json + "</script>" }
	for name, c := range map[string]struct{ page, want string }{
		"no data":      {"<html></html>", "carries no data"},
		"not closed":   {dataStart + "{}", "carries no data"},
		"no JSON":      {page("{"), "unexpected end"},
		"other format": {page(`{"format":"infbench-report-data/9"}`), "infbench-report-data/1"},
		"no such slot": {page(`{"format":"infbench-report-data/1","trials":[{"id":"a","values":[{"s":3,"q":0,"v":""}]}]}`), "slot 3 of 0"},
		"short values": {page(`{"format":"infbench-report-data/1","queries":[["1","2"]],"slots":[{}],"trials":[{"id":"a","values":[{"s":0,"q":0,"v":"AAAAAAAA8D8="}]}]}`), "1 values for 2 queries"},
		"half a value": {page(`{"format":"infbench-report-data/1","trials":[{"id":"a","values":[{"s":0,"q":0,"v":"AAAA"}]}]}`), "no list of 8-byte numbers"},
	} {
		if _, err := ReadData(strings.NewReader(c.page)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func TestLinkRoundTrip(t *testing.T) {
	for _, want := range []string{"mean 0 0", "runs 0-2,5 3-4", "difference 0-2 3 15"} {
		l, err := ParseLink(want)
		if err != nil || l.String() != want {
			t.Errorf("%q becomes %q, %v", want, l, err)
		}
	}
	for _, bad := range []string{"", "mean 0", "maen 0 0", "mean x 0", "mean 2-1 0", "mean 0 0 0 0", "mean 0-99999999 0"} {
		if l, err := ParseLink(bad); err == nil {
			t.Errorf("%q is %v", bad, l)
		}
	}
}

// TestFloats checks that values survive as they are, to the last bit.
func TestFloats(t *testing.T) {
	in := Floats{0, math.Copysign(0, -1), 1. / 3, math.MaxFloat64, math.SmallestNonzeroFloat64, math.NaN()}
	data, err := in.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	var out Floats
	if err := out.UnmarshalJSON(data); err != nil {
		t.Fatal(err)
	}
	for i := range in {
		if math.Float64bits(in[i]) != math.Float64bits(out[i]) {
			t.Errorf("%v became %v", in[i], out[i])
		}
	}
}

// TestScriptJSON checks that no character of a string can end the script, turn
// the text around or hide.
func TestScriptJSON(t *testing.T) {
	data, err := scriptJSON("</script>\u202e\U000e0001é")
	if err != nil || string(data) != `"\u003c/script\u003e\u202e\udb40\udc01é"` {
		t.Errorf("%s, %v", data, err)
	}
}
