package paperview

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"infbench/internal/testkit"
	"infbench/internal/testkit/reportstest"
	"infbench/reports/published"
	"infbench/reports/scores"
	"infbench/reports/section"
	"infbench/reports/table"
)

// printedTable reads a table of the paper from the reference data.
func printedTable(t *testing.T, number string) []map[string]string {
	t.Helper()
	return reportstest.ReadTable(t, testkit.SharedPath(t, "published", "paper", "table"+number+".csv"))
}

// sections returns the sections of a view of some experiments and the paper.
func sections(t *testing.T, name string, set *scores.Set, o Options) []section.Section {
	t.Helper()
	if set == nil {
		set = &scores.Set{}
	}
	out, err := Sections(name, set, o)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func paper(t *testing.T) []*published.Collection {
	t.Helper()
	c, err := published.Paper()
	if err != nil {
		t.Fatal(err)
	}
	return []*published.Collection{c}
}

// titled finds the tables under a heading.
func titled(t *testing.T, all []section.Section, title string) []*table.Table {
	t.Helper()
	i := slices.IndexFunc(all, func(s section.Section) bool { return s.Title == title })
	if i < 0 {
		t.Fatalf("no section %q", title)
	}
	return all[i].Tables
}

// texts returns the rows of a table, with their entries joined.
func texts(t *table.Table) []string {
	var out []string
	for _, r := range t.Rows {
		var cells []string
		for _, e := range r.Entries {
			cells = append(cells, e.Text)
		}
		out = append(out, strings.Join(cells, "|"))
	}
	return out
}

// heads returns the headings of a table.
func heads(t *table.Table) string {
	var out []string
	for _, c := range t.Columns {
		out = append(out, c.Flat())
	}
	return strings.Join(out, "|")
}

// TestPrintedLayout checks that every view of the published tables alone has their rows,
// columns, labels and groups in order, and every entry as printed.
func TestPrintedLayout(t *testing.T) {
	key := func(r map[string]string, names ...string) string {
		var out []string
		for _, n := range names {
			out = append(out, r[n])
		}
		return strings.Join(out, "|")
	}
	labels := map[string]func(r map[string]string) string{
		"1": func(r map[string]string) string { return key(r, "model") },
		"2": func(r map[string]string) string { return key(r, "model", "config") },
		"3": func(r map[string]string) string {
			return LossOf(r["config"]) + "|" + strings.TrimPrefix(r["note"], "printed label: ")
		},
		"4": func(r map[string]string) string {
			text := strings.NewReplacer("share_encoder=", "", "pooling=", "", "epochs=", "", ";", "|").Replace(r["config"])
			return text + "|" + r["model"]
		},
		"5": func(r map[string]string) string { return key(r, "model") },
	}
	labels["6"] = labels["3"]
	for view, numbers := range map[string][]string{"main": {"2"}, "losses": {"3", "6"}, "ablation": {"3", "6"}, "designs": {"4"}, "baselines": {"5"}, "data": {"1"}} {
		all := sections(t, view, nil, Options{Published: paper(t)})
		if len(all) != len(numbers) {
			t.Errorf("%s has %d sections, want %d", view, len(all), len(numbers))
		}
		for _, number := range numbers {
			var got []string
			for _, panel := range titled(t, all, "Printed in InF-IR, table "+number) {
				got = append(got, entriesOf(panel, strings.Count(labels[number](printedTable(t, number)[0]), "|")+1)...)
			}
			var want []string
			for _, r := range printedTable(t, number) {
				head := key(r, "dataset") + " " + key(r, "metric")
				switch number {
				case "1":
					head = r["metric"]
				case "3", "6":
					head = r["model"] + " " + head
				}
				group := ""
				if number == "5" {
					group = strings.TrimPrefix(r["note"], "group: ")
				}
				want = append(want, fmt.Sprintf("%s/%s/%s: %s", group, labels[number](r), head, r["raw"]))
			}
			if number == "6" { // the file is sorted by panel, then row
				slices.Sort(got)
				slices.Sort(want)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s, table %s: %d entries, want %d; the first that differs: %s", view, number, len(got), len(want), firstDifference(got, want))
			}
		}
	}
}

// entriesOf lists "group/labels/column: text" of a table, row by row.
func entriesOf(t *table.Table, labels int) []string {
	var out []string
	group := ""
	for _, r := range t.Rows {
		if r.Class == "heading" {
			group = r.Entries[0].Text
			continue
		}
		var named []string
		for _, e := range r.Entries[:labels] {
			named = append(named, e.Text)
		}
		for j := labels; j < len(r.Entries); j++ {
			out = append(out, fmt.Sprintf("%s/%s/%s: %s", group, strings.Join(named, "|"), t.Columns[j].Flat(), r.Entries[j].Text))
		}
	}
	return out
}

func firstDifference(got, want []string) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return fmt.Sprintf("%q, want %q", got[i], want[i])
		}
	}
	return "their number"
}

// TestPanels checks that the panels of table 6 are the paper's: two models each, the mean
// over models last. Each model heads columns once.
func TestPanels(t *testing.T) {
	var got []string
	for _, panel := range titled(t, sections(t, "losses", nil, Options{Published: paper(t)}), "Printed in InF-IR, table 6") {
		var models []string
		for _, h := range panel.Heads()[0] {
			if h.Group {
				models = append(models, h.Text)
			}
		}
		got = append(got, strings.Join(models, "+"))
	}
	want := []string{"ModernBERT-base+Qwen2.5-1.5B", "Qwen2.5-1.5B-Inst+Llama-3.2-1B", "Llama-3.2-1B-Inst+Qwen2.5-3B", "Qwen2.5-3B-Inst+Average"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestPrintedBest checks that the best of table 2 is chosen for each model, and that of
// table 5 in each group.
func TestPrintedBest(t *testing.T) {
	best := func(view, title, heading string) (out []string) {
		panel := titled(t, sections(t, view, nil, Options{Published: paper(t)}), title)[0]
		j := slices.IndexFunc(panel.Columns, func(c table.Column) bool { return c.Flat() == heading })
		for _, r := range panel.Rows {
			if r.Entries[j].Best {
				out = append(out, r.Entries[0].Text+" "+r.Entries[j].Text)
			}
		}
		return out
	}
	if got := best("main", "Printed in InF-IR, table 2", "Core17 MAP")[:2]; !slices.Equal(got, []string{"e5-base-v2 14.0", "e5-large-v2 17.0"}) {
		t.Errorf("best of table 2: %q", got)
	}
	want := []string{"InF-Embed (e5-large-v2) 6.2", "InF-Embed (Llama-3.2-1B) 3.5", "promptriever-llama2-7b (2025) 11.2"}
	if got := best("baselines", "Printed in InF-IR, table 5", "FollowIR p-MRR"); !slices.Equal(got, want) {
		t.Errorf("best of table 5: %q, want %q", got, want)
	}
}

func TestUnknownView(t *testing.T) {
	if _, err := Sections("abaltion", &scores.Set{}, Options{}); err == nil || !strings.Contains(err.Error(), `did you mean "ablation"`) {
		t.Error(err)
	}
}
