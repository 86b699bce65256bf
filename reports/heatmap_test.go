package reports

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/internal/words"
	"infbench/reports/chart"
	"infbench/runners/results"
)

// TestAblationAxes draws ablations over axes other than a loss's form and terms: two axes,
// one (points with intervals), three, and none.
func TestAblationAxes(t *testing.T) {
	for _, c := range []struct {
		name   string
		axes   map[string][]string
		titles []string // titles of the heatmaps of p-MRR
		head   string   // heading of the first table
		rows   string
	}{
		{"two", map[string][]string{"train.lr": {"1e-3", "1e-2"}, "train.temperature": {"0.05", "0.1"}},
			[]string{"p-MRR on B/x"}, "train.lr|0.05|0.1", "1e-3|+10.0|+20.0\n1e-2|+30.0|+40.0"},
		{"one", map[string][]string{"train.lr": {"1e-3", "1e-2", "1e-1"}},
			[]string{"p-MRR on B/x"}, "system|n|p-MRR|95% interval", "uni(P) train.lr=1e-3|3|+10.0|–\nuni(P) train.lr=1e-2|3|+20.0|–\nuni(P) train.lr=1e-1|3|+30.0|–"},
		{"three", map[string][]string{"pooling": {"cls", "mean"}, "train.lr": {"1", "2"}, "train.temperature": {"3", "4"}},
			[]string{"p-MRR on B/x train.temperature=3", "p-MRR on B/x train.temperature=4"}, "pooling|1|2", "cls|+10.0|+30.0\nmean|+50.0|+70.0"},
		{"none", nil, nil, "", ""},
	} {
		r := build(t, Options{}, crossed(c.axes))
		figures := r.Section(r.Boards[0].ID + "-ablation").Figures
		var titles []string
		for _, f := range figures {
			titles = append(titles, f.Title)
		}
		if strings.Join(titles, "; ") != strings.Join(c.titles, "; ") {
			t.Errorf("%s: heatmaps %q, want %q", c.name, titles, c.titles)
		}
		if len(figures) == 0 {
			continue
		}
		var head, rows []string
		for _, col := range figures[0].Table.Columns {
			head = append(head, col.Name)
		}
		for _, row := range figures[0].Table.Rows {
			var texts []string
			for _, e := range row.Entries {
				texts = append(texts, e.Text)
			}
			rows = append(rows, strings.Join(texts, "|"))
		}
		if got := strings.Join(head, "|"); got != c.head {
			t.Errorf("%s: heads %q, want %q", c.name, got, c.head)
		}
		if got := strings.Join(rows, "\n"); got != c.rows {
			t.Errorf("%s: rows\n%s\nwant\n%s", c.name, got, c.rows)
		}
	}
}

// crossed trains uni(P) in every setting of some axes; the i-th scores i tenths.
func crossed(axes map[string][]string) *results.Experiment {
	configs := []map[string]string{{"model": "trained", "loss": "uni(P)"}}
	for _, key := range words.SortedKeys(axes) {
		var next []map[string]string
		for _, c := range configs {
			for _, level := range axes[key] {
				one := maps.Clone(c)
				one[key] = level
				next = append(next, one)
			}
		}
		configs = next
	}
	e := &results.Experiment{Name: "axes"}
	for i, c := range configs {
		c[results.Model], c[results.Loss] = "trained", "uni(P)"
		var values []reportstest.Value
		for q := range 3 {
			values = append(values, reportstest.At("B", "x", "", "p-MRR", fmt.Sprint(q), float64(i+1)/10))
		}
		e.Trials = append(e.Trials, reportstest.TrialOf(fmt.Sprintf("t%d", i), c, values...))
	}
	return e
}

// TestAblationPicks checks that few losses are drawn as points with intervals together
// with their reference, the best first, and many as a heatmap whose settings share a
// scale.
func TestAblationPicks(t *testing.T) {
	losses := []string{"uni(P)", "multi(P,I)", "uni(P,I)", "uni(I)", "multi(I,IQ)"}
	for _, n := range []int{2, 3, 5} {
		e := &results.Experiment{Name: "losses"}
		add := func(config map[string]string, mean float64) {
			var values []reportstest.Value
			for q := range 8 {
				values = append(values, reportstest.At("B", "x", "", "p-MRR", fmt.Sprint(q), mean+float64(q)/100))
			}
			e.Trials = append(e.Trials, reportstest.TrialOf(fmt.Sprintf("t%d", len(e.Trials)), config, values...))
		}
		add(map[string]string{results.Model: "untrained"}, .05)
		for i, loss := range losses[:n] {
			add(map[string]string{results.Model: "trained", results.Loss: loss}, .1+float64(i)/10)
		}
		r := build(t, Options{}, e)
		f := r.Section(r.Boards[0].ID + "-ablation").Figures[0]
		if n == 5 {
			if f.Marks[0].Shape != chart.Cell || len(f.Marks[0].Data) != n || !strings.Contains(f.Marks[0].Data[0].Tip, "95% [") {
				t.Errorf("%d losses: %+v", n, f.Marks)
			}
			continue
		}
		var names []string
		for _, row := range f.Table.Rows {
			names = append(names, row.Entries[0].Text)
		}
		want := "multi(P,I) uni(P) untrained"
		if n == 3 {
			want = "uni(P,I) multi(P,I) uni(P) untrained"
		}
		if got := strings.Join(f.Y.Names, " "); got != want || strings.Join(names, " ") != want {
			t.Errorf("%d losses: chart of %q, table of %q, want %q", n, got, names, want)
		}
		for _, m := range f.Marks {
			for _, d := range m.Data {
				if m.Shape != chart.Interval || !(d.Low < d.X && d.X < d.High) {
					t.Errorf("%d losses: %s %+v", n, m.Shape, d)
				}
			}
		}
	}
}

// TestChanceHasNoColour checks that only fields whose difference from the middle field a test
// shows have a colour.
func TestChanceHasNoColour(t *testing.T) {
	losses := []string{"uni(P)", "uni(I)", "uni(P,I)", "multi(P,I)", "multi(I,IQ)", "multi(P,IQ)", "multi(P,I,IQ)"}
	ahead := []float64{0, -.3, 0, .06, 0, 0, 0}
	random := rand.New(rand.NewPCG(3, 4))
	e := &results.Experiment{Name: "losses"}
	for i, loss := range losses {
		var values []reportstest.Value
		for _, at := range []string{"x", "y"} {
			for q := range 60 {
				chance := .02 * random.NormFloat64()
				values = append(values, reportstest.At("B", at, "", "nDCG@10", fmt.Sprint(q), .5+ahead[i]+chance+.002*float64(q)))
			}
		}
		e.Trials = append(e.Trials, reportstest.TrialOf(fmt.Sprintf("t%d", i), map[string]string{results.Model: "trained", results.Loss: loss}, values...))
	}
	r := build(t, Options{}, e)
	section := r.Section(r.Boards[0].ID + "-ablation")
	heatmaps := 0
	for _, f := range section.Figures {
		if !isHeatmap(f) {
			continue
		}
		heatmaps++
		for _, d := range f.Marks[0].Data {
			want := 0.0
			switch {
			case strings.HasPrefix(d.Tip, "uni(I):"):
				want = -3
			case strings.HasPrefix(d.Tip, "multi(P,I):"):
				want = 1
			}
			if d.Value != want || want == 0 && !strings.Contains(d.Tip, "no difference shown") && !strings.Contains(d.Tip, "the middle field") {
				t.Errorf("%s: colour %v, want %v; %q", f.Title, d.Value, want, d.Tip)
			}
		}
		if !strings.HasPrefix(f.Caption, "Against ") || !strings.Contains(f.Caption, "in steps of 10 points") {
			t.Errorf("%s: %s", f.Title, f.Caption)
		}
	}
	if heatmaps == 0 || !strings.Contains(section.Intro, "grey if no test shows a difference") {
		t.Errorf("%d heatmaps: %s", heatmaps, section.Intro)
	}
}

// TestTasksShareAxis checks that the tasks of one measure share an axis.
func TestTasksShareAxis(t *testing.T) {
	e := &results.Experiment{Name: "tasks"}
	for i, model := range []string{"untrained", "bm25"} {
		var values []reportstest.Value
		for k, task := range []string{"low", "high"} {
			for q := range 8 {
				values = append(values, reportstest.At("B", task, "", "nDCG@10", fmt.Sprint(q), .1+.6*float64(k)+float64(i*q)/100))
			}
		}
		e.Trials = append(e.Trials, reportstest.TrialOf(fmt.Sprint(i), map[string]string{results.Model: model}, values...))
	}
	r := build(t, Options{}, e)
	figures := r.Section(r.Boards[0].ID + "-tasks").Figures
	if len(figures) != 2 || figures[0].X.Holds != figures[1].X.Holds || figures[0].X.Holds.Low != 0 || figures[0].X.Holds.High < 70 {
		t.Errorf("%d figures over %+v", len(figures), figures)
	}
	for _, f := range figures {
		x, err := json.Marshal(f.Option["xAxis"])
		if want := fmt.Sprintf(`"min":%v,"max":%v`, f.X.Holds.Low, f.X.Holds.High); err != nil || !strings.Contains(string(x), want) {
			t.Errorf("%s: axis %s, want %s, %v", f.ID, x, want, err)
		}
	}
}
