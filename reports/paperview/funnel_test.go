package paperview

import (
	"strings"
	"testing"

	"infbench/reports/scores"
	"infbench/runners/results"
)

// TestFunnelLayout checks the layout of a funnel: a row for each stage, followed by one
// for each reason, in the order of the study, and a bar for the records left after each
// stage.
func TestFunnelLayout(t *testing.T) {
	of := func(measure, why string, n, in int) results.StudyValue {
		v := valued(measure, why, float64(n))
		v.N = in
		return v
	}
	s := study("funnel", "mini", of(results.FunnelLeft+"seeds", "", 90, 120), of(results.FunnelFell+"seeds", "duplicate (text)", 30, 120),
		of(results.FunnelLeft+"judged", "", 30, 90), of("kept of those judged", "time", 30, 90))
	found := sections(t, "funnel", &scores.Set{}, Options{Studies: []*results.Study{s}})
	want := "mini|seeds||90|75.0%;mini||duplicate (text)|30|25.0%;mini|judged||30|33.3%"
	if got := strings.Join(texts(found[0].Tables[0]), ";"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if f := found[0].Figures; len(f) != 1 || len(f[0].Marks[0].Data) != 2 || f[0].Marks[0].Data[1].X != 30 {
		t.Errorf("%+v", f)
	}
	if all := found[1].Tables[0]; len(all.Rows) != 4 || !strings.Contains(all.Caption, "infbench curate") {
		t.Errorf("%d rows, %s", len(all.Rows), all.Caption)
	}
}
