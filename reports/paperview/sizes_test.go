package paperview

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"infbench/internal/words"
	"infbench/reports/section"
	"infbench/reports/table"
	"infbench/runners/results"
)

// TestSizeGroups checks that the sizes are the headings of Table 5, except the one of
// sparse retrieval.
func TestSizeGroups(t *testing.T) {
	var got, want []string
	for _, p := range paper(t)[0].Table("5").Cells {
		want = words.AddNew(want, p.Group)
	}
	for _, g := range sizeGroups {
		got = append(got, g.heading)
	}
	if want = want[1:]; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestPrintedSizes checks the ranks of the printed numbers, computed by hand from Table 5:
// ties share a rank, a dash has none, and BM25, which has no size, is left out and named.
func TestPrintedSizes(t *testing.T) {
	all := sections(t, "sizes", nil, Options{Published: paper(t)})
	panel := titled(t, all, "Printed in InF-IR, table 5")[0]
	if got := heads(panel); got != "model|FollowIR score|FollowIR score, rank|FollowIR p-MRR|FollowIR p-MRR, rank|MAIR-5 nDCG@10 mean|MAIR-5 nDCG@10 mean, rank" {
		t.Errorf("columns %s", got)
	}
	rows := texts(panel)
	for _, want := range []string{
		"InF-Embed (e5-large-v2)|20.0|2 of 13|6.2|1 of 13|", "InF-Embed (e5-base-v2)|16.5|8= of 13|5.1|2 of 13|", "tart-contriever (109M) (2022)|16.5|8= of 13|-5.0|13 of 13|",
		"InF-Embed (Llama-3.2-1B)|17.2|4 of 5|3.5|1 of 5|", "instructor-xl (1.5B) (2023)|20.9|1 of 5|-2.8|5 of 5|",
		"promptriever-llama2-7b (2025)|26.1|1 of 10|11.2|1 of 10|", "google-gecko (2024)|25.3|2= of 10|", "NV-Embed-v1 (7B) (2024)|—|" + words.MissingMark + "|—|" + words.MissingMark + "|",
	} {
		if !slices.ContainsFunc(rows, func(row string) bool { return strings.HasPrefix(row, want) }) {
			t.Errorf("no row %q in\n%s", want, strings.Join(rows, "\n"))
		}
	}
	if len(rows) < 2 || !strings.HasPrefix(rows[1], "InF-Embed (e5-large-v2)|") {
		t.Errorf("first of its size: %q", rows[:2])
	}
	if notes := strings.Join(panel.Notes, "\n"); !strings.Contains(notes, "no size is known: BM25 (2009).") {
		t.Errorf("notes %s", notes)
	}
	i := slices.IndexFunc(all, func(s section.Section) bool { return len(s.Figures) > 0 })
	if i < 0 || len(all[i].Figures) != len(sizeGroups) || len(all[i].Figures[1].Y.Names) != 5 {
		t.Errorf("figures %+v", all)
	}
}

// TestSizesOfRuns checks that runs are ranked by their size in Table 5, the weights or
// MTEB's descriptions, and trained ones as their plan picked them. A model of unknown size
// and systems that do not look at the query are not ranked, and the note names them.
func TestSizesOfRuns(t *testing.T) {
	sized := func(trial results.Trial, parameters int64) results.Trial {
		trial.Parameters = parameters
		return trial
	}
	base := func(model string) map[string]string { return map[string]string{"model": model} }
	set := setOf(t,
		followIR(swapped, base("bm25-okapi-candidates"), .12, -.03, results.Selection{}),
		followIR(swapped, base("constant"), .01, 0, results.Selection{}),
		followIR(swapped, base("hkunlp/instructor-xl"), .21, -.02, results.Selection{}),
		followIR(swapped, base("castorini/monot5-3b-msmarco-10k"), .2, .01, results.Selection{}),
		followIR(swapped, trainedConfig(qwen, "uni(P)"), .2, .02, onValidation),
		followIR(swapped, trainedConfig(qwen, "uni(I)"), .3, .03, results.Selection{}),
		followIR(swapped, base("sentence-transformers/all-MiniLM-L6-v2"), .1, .001, results.Selection{}),
		sized(followIR(swapped, trainedConfig("tiny", "uni(P)"), .1, .02, results.Selection{}), 4e6),
		sized(followIR(swapped, trainedConfig("tiny", "uni(I)"), .1, .01, results.Selection{}), 4e6),
		followIR(swapped, base("folder/own"), .5, .5, results.Selection{}))
	all := sections(t, "sizes", set, Options{Published: paper(t)})
	panel := titled(t, all, "sizes: measured, as the paper's figure 5")[0]
	group, got := "", []string{}
	for _, r := range panel.Rows {
		if r.Class == "heading" {
			group = strings.Fields(r.Entries[0].Text)[0]
			continue
		}
		got = append(got, fmt.Sprintf("%s|%s|%s|%s", group, r.Entries[0].Text, r.Entries[2].Text, r.Entries[4].Text))
	}
	tiny := func(loss string) string { return fmt.Sprintf("Base|%s", labelOf(t, panel, loss)) }
	want := []string{tiny("uni(P)") + "|1= of 3|1 of 3", tiny("uni(I)") + "|1= of 3|2 of 3", "Base|sentence-transformers/all-MiniLM-L6-v2|1= of 3|3 of 3",
		"Large|InF-Embed (Qwen2.5-1.5B)|2= of 3|1 of 3", "Large|monot5-3B (2020)|2= of 3|2 of 3", "Large|instructor-xl (1.5B) (2023)|1 of 3|3 of 3"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	notes := strings.Join(panel.Notes, "\n")
	for _, want := range []string{"no size is known: ", "BM25 (2009)", "constant", "own", "Left out: 1 trained system"} {
		if !strings.Contains(notes, want) {
			t.Errorf("no %q in the notes %s", want, notes)
		}
	}
	if beside := texts(titled(t, all, "Comparison with InF-IR, table 5")[0]); !slices.ContainsFunc(beside, func(row string) bool {
		return strings.HasPrefix(row, "InF-Embed (Qwen2.5-1.5B)|here|20.0|2= of 3|+2.0|1 of 3|")
	}) {
		t.Errorf("side by side: %q", beside)
	}
	if len(all[0].Figures) != 2 {
		t.Errorf("%d figures, want one for each size that has models", len(all[0].Figures))
	}
}

// labelOf returns the first label of a table that contains a text.
func labelOf(t *testing.T, panel *table.Table, text string) string {
	t.Helper()
	for _, r := range panel.Rows {
		if strings.Contains(r.Entries[0].Text, text) {
			return r.Entries[0].Text
		}
	}
	t.Fatalf("no row of %s", text)
	return ""
}
