package reports

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"infbench/reports/chart"
	"infbench/reports/scores"
	"infbench/reports/section"
	"infbench/reports/table"
	"infbench/runners/results"
)

// trained returns a run on that many records; 0: not recorded.
func trained(records int, value float64, seed int, config map[string]string) results.Trial {
	c := results.Config{"model": "net", "backbone": "net", "loss": "uni(P)", "data": "corpus", "seed": fmt.Sprint(seed)}
	for key, v := range config {
		c[key] = v
	}
	t := results.Trial{ID: fmt.Sprint(records, seed, config), State: results.Done, Config: c}
	if records > 0 {
		t.Provenance.Trained = &results.Trained{Records: records, Of: 1000, Rows: 3 * records, Steps: records / 4}
	}
	for _, q := range []string{"1", "2"} {
		t.Results = append(t.Results, results.Result{Benchmark: "bench", Task: "headline", Query: q, Measure: "nDCG@10", Value: &value})
	}
	return t
}

func share(s string) map[string]string { return map[string]string{"share": s} }

func view(t *testing.T, trials ...results.Trial) section.Section {
	t.Helper()
	set, err := scores.New([]*results.Experiment{{Name: "own", Trials: trials}})
	if err != nil {
		t.Fatal(err)
	}
	out, err := scalingSections(set)
	if err != nil || len(out) != 1 {
		t.Fatal(len(out), err)
	}
	return out[0]
}

func rows(t *table.Table) (out []string) {
	for _, r := range t.Rows {
		var texts []string
		for _, e := range r.Entries {
			texts = append(texts, e.Text)
		}
		out = append(out, strings.Join(texts, "|"))
	}
	return out
}

// TestCurves checks that a line is a training method, independent of the order of its
// runs, and a point is a size: the mean of its runs with their interval, by hand t(.975,
// 2) 4.303 · .1 / √3.
func TestCurves(t *testing.T) {
	s := view(t,
		trained(1000, .6, 1, nil), trained(100, .2, 1, share("0.1")), trained(300, .3, 1, share("0.3")),
		trained(300, .4, 2, share("0.3")), trained(300, .5, 3, share("0.3")),
		trained(1000, .5, 1, map[string]string{"drop": "I-"}), trained(50, .1, 1, map[string]string{"drop": "I-", "share": "50"}),
		trained(0, .7, 1, map[string]string{"loss": "uni(I)"}))
	want := []string{"uni(P)|100|25|20.0", "uni(P)|300|75|40.0 ±24.8 (3)", "uni(P)|1,000|250|60.0", "drop=I-, uni(P)|50|12|10.0", "drop=I-, uni(P)|1,000|250|50.0"}
	if got := rows(s.Tables[0]); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	notes := strings.Join(s.Notes, "\n")
	for _, said := range []string{"drop=I-, uni(P) has 2 sizes: fewer than 3 do not show a trend.", "uni(I) is left out: its number of training records is not recorded"} {
		if !strings.Contains(notes, said) {
			t.Errorf("notes lack %q: %s", said, notes)
		}
	}
	if strings.Contains(notes, "uni(P) has 3") {
		t.Errorf("three sizes are enough: %s", notes)
	}
	f := s.Figures[0]
	if len(s.Figures) != 1 || !f.X.Log || f.Drawing == nil || len(f.Table.Rows) != 5 {
		t.Fatalf("%d figures, %+v", len(s.Figures), f)
	}
	var shapes []string
	for _, m := range f.Marks {
		shapes = append(shapes, fmt.Sprintf("%s %q %d", m.Shape, m.Name, len(m.Data)))
	}
	if got := strings.Join(shapes, ", "); got != `line "uni(P)" 3, line "" 2, circle "uni(P), single runs" 5, line "drop=I-, uni(P)" 2, circle "drop=I-, uni(P), single runs" 2` {
		t.Errorf("marks %s", got)
	}
	if stroke := f.Marks[1].Data; stroke[0].X != 300 || stroke[0].Y != 15.16 || stroke[1].Y != 64.84 {
		t.Errorf("the interval is drawn from %+v to %+v", stroke[0], stroke[1])
	}
	if f.Marks[0].Colour != f.Marks[2].Colour || f.Marks[0].Colour == f.Marks[3].Colour || f.Marks[0].Shape != chart.Line {
		t.Error("a line and its runs have one colour, others another")
	}
}

// TestWholeDataIsOnBothLines checks that the run on all data ends two lines if shares are
// trained for the same number of steps.
func TestWholeDataIsOnBothLines(t *testing.T) {
	asLong := func(s string) map[string]string {
		return map[string]string{"share": s, "train.steps_of": "corpus"}
	}
	s := view(t, trained(1000, .6, 1, nil), trained(100, .2, 1, share("0.1")), trained(100, .3, 1, asLong("0.1")), trained(300, .4, 1, asLong("0.3")))
	want := []string{"uni(P)|100|25|20.0", "uni(P)|1,000|250|60.0", "train.steps_of=corpus, uni(P)|100|25|30.0", "train.steps_of=corpus, uni(P)|300|75|40.0", "train.steps_of=corpus, uni(P)|1,000|250|60.0"}
	if got := rows(s.Tables[0]); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestUnfinishedSizes checks that a planned number of records is on its line before it has
// a value.
func TestUnfinishedSizes(t *testing.T) {
	waiting := trained(0, 0, 1, share("500"))
	waiting.State, waiting.Results = results.Waiting, nil
	s := view(t, trained(1000, .6, 1, nil), waiting)
	if got := rows(s.Tables[0]); len(got) != 2 || got[0] != "uni(P)|500||missing" {
		t.Errorf("%q", got)
	}
}

// TestMissing checks that without two sizes the view names the command that makes them.
func TestMissing(t *testing.T) {
	for _, trials := range [][]results.Trial{{trained(1000, .6, 1, nil)}, {trained(0, .6, 1, nil)}} {
		s := view(t, trials...)
		if got := rows(s.Tables[0]); len(got) != 1 || !strings.Contains(got[0], "mini-ablation.yaml") {
			t.Errorf("%q", got)
		}
	}
}
