package reports

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/reports/table"
	"infbench/runners/results"
)

// directed returns a board of two trained systems and their reference, under a measure: b
// is the lowest, untrained is in the middle, c is the highest.
func directed(t *testing.T, measure string, o Options) *Report {
	t.Helper()
	trials := reportstest.MeasuredBy(measure, reportstest.Ranked(40, .1, 0, .2, .1, 0, .2)...)
	for i := range trials {
		trials[i].Config = map[string]string{"model": "trained", "backbone": "x", "seed": strconv.Itoa(1 + i/3), "interaction": "concat"}
		if loss := []string{"", "uni(P)", "multi(P)"}[i%3]; loss != "" {
			trials[i].Config["loss"] = loss
		} else {
			trials[i].Config["model"] = "untrained"
		}
	}
	return build(t, o, &results.Experiment{Name: "e", Trials: trials})
}

// TestDirections checks that bold, ranks, colours, marks and sentences follow the
// direction of the measure, and that a count has no best, no rank and no colour.
func TestDirections(t *testing.T) {
	for _, c := range []struct {
		measure, best, first, better, worse, says string
		lacks                                     []string
	}{
		{"AP", "multi(P)", "multi(P)", "multi(P)", "uni(P)", "1 of 2 trained systems is above the untrained encoder, 1 (uni(P)) below it", nil},
		{"Unjudged@10", "uni(P)", "uni(P)", "uni(P)", "multi(P)", "1 of 2 trained systems is below the untrained encoder (lower is better), 1 (multi(P)) above it", []string{"highest"}},
		{"NumRet", "", "", "", "", "1 of 2 trained systems is above the untrained encoder, 1 (uni(P)) below it", []string{"highest", "Bold", "lowest"}},
	} {
		r := directed(t, c.measure, Options{})
		b := r.Boards[0]
		toned := func(rows []table.Row, column int, tone table.Tone) string {
			var names []string
			for _, row := range rows {
				if row.Entries[column].Tone == tone {
					names = append(names, row.Entries[0].Text)
				}
			}
			return strings.Join(names, " ")
		}
		var bold, marked []string
		for _, row := range b.Leaderboard.Rows {
			if row.Entries[1].Best {
				bold = append(bold, row.Entries[0].Text)
			}
			if strings.Contains(row.Entries[1].Text, "†") {
				marked = append(marked, row.Entries[0].Text)
			}
		}
		if got := strings.Join(bold, " "); got != c.best || !slices.Equal(marked, bold) {
			t.Errorf("%s: %q is bold, %q is marked as selected, want %q", c.measure, bold, marked, c.best)
		}
		first := ""
		if b.ranks != nil {
			for _, row := range b.ranks.Rows {
				if strings.HasPrefix(row.Entries[1].Text, "1 a") {
					first = row.Entries[0].Text
				}
			}
		}
		if first != c.first {
			t.Errorf("%s: %q has rank 1, want %q", c.measure, first, c.first)
		}
		tests := r.Section(b.ID + "-differences").Figures[0].Table
		verdict := len(tests.Columns) - 1
		if better, worse := toned(tests.Rows, verdict, table.Better), toned(tests.Rows, verdict, table.Worse); better != c.better || worse != c.worse {
			t.Errorf("%s: %q better and %q worse than the reference, want %q and %q", c.measure, better, worse, c.better, c.worse)
		}
		factors := r.Section(b.ID + "-effects").Tables[0]
		effects := toned(factors.Rows, 2, table.Better) + toned(factors.Rows, 2, table.Worse)
		if (effects != "") != (c.best != "") || (c.measure == "Unjudged@10") != (factors.Rows[0].Entries[2].Tone == table.Worse) {
			t.Errorf("%s: main effects are coloured %q", c.measure, factors.Rows[0].Entries[2].Tone)
		}
		lead := strings.Join(r.Lead, "\n")
		if !strings.Contains(lead, c.says) {
			t.Errorf("%s: the lead lacks %q:\n%s", c.measure, c.says, lead)
		}
		said := lead + b.Legend() + strings.Join(b.Leaderboard.Notes, " ")
		for _, not := range c.lacks {
			if strings.Contains(said, not) {
				t.Errorf("%s: %q is said of it: %s", c.measure, not, said)
			}
		}
	}
}

// TestDirectedAblation checks that gains are coloured by the direction of the measure.
func TestDirectedAblation(t *testing.T) {
	o := Options{}
	o.Ablation = true
	for _, measure := range []string{"AP", "Unjudged@10", "NumRet"} {
		gain := directed(t, measure, o).Tables()[0]
		tone := map[string]table.Tone{"AP": table.Worse, "Unjudged@10": table.Better, "NumRet": table.Plain}[measure]
		for _, row := range gain.Rows {
			if row.Entries[0].Text == "uni(P)" && row.Entries[1].Tone != tone {
				t.Errorf("%s: the gain of uni(P) is coloured %q, want %q", measure, row.Entries[1].Tone, tone)
			}
		}
	}
}
