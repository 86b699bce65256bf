package reports

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"infbench/bench/results"
	"infbench/reports/reportstest"
	"infbench/reports/words"
)

// TestAblationAxes draws ablations over axes that are not a loss's form and
// terms: two, one, three, and none.
func TestAblationAxes(t *testing.T) {
	for _, c := range []struct {
		name   string
		axes   map[string][]string
		titles []string // of the heatmaps of p-MRR
		head   string   // of the first table
		rows   string
	}{
		{"two", map[string][]string{"train.lr": {"1e-3", "1e-2"}, "train.temperature": {"0.05", "0.1"}},
			[]string{"p-MRR on B/x"}, "train.lr|0.05|0.1", "1e-3|+10.0|+20.0\n1e-2|+30.0|+40.0"},
		{"one", map[string][]string{"train.lr": {"1e-3", "1e-2", "1e-1"}},
			[]string{"p-MRR on B/x"}, "all|1e-3|1e-2|1e-1", "all|+10.0|+20.0|+30.0"},
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

// crossed trains uni(P) in every setting of some axes; the i-th one scores i tenths.
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
