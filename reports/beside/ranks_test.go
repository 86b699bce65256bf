package beside

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"infbench/reports/published"
	"infbench/reports/section"
	"infbench/reports/table"
)

// scored returns a model's main number on each of some tasks.
func scored(model, data, measure string, tasks []string, values ...float64) []published.Cell {
	var out []published.Cell
	for i, v := range values {
		c := published.Cell{Source: "MTEB", Model: model, Task: tasks[i], Split: "test", Measure: measure, Value: v, Main: true, Data: data}
		if measure == "p-MRR" {
			c.Conventions.Ties = published.TiesByID
		}
		out = append(out, c)
	}
	return out
}

// ranksOf returns the tables of ranks of a board.
func ranksOf(t *testing.T, cells ...[]published.Cell) []*table.Table {
	t.Helper()
	s, err := NewBoard(1, &published.Collection{Source: "MTEB", Cells: slices.Concat(cells...)}).Section()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(s.Parts, func(p section.Section) bool { return p.ID == "published-1-ranks" })
	var out []*table.Table
	for _, p := range s.Parts[i].Parts {
		out = append(out, p.Tables...)
	}
	return out
}

// texts returns the rows of a table.
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

// TestRanksOfRounding checks that numbers that differ only by rounding tie: .1+.2 and .3
// share a rank, and the next system has the rank after both. Rows with equal numbers are
// flagged.
func TestRanksOfRounding(t *testing.T) {
	tasks := []string{"X", "Y"}
	tables := ranksOf(t,
		scored("a", "r1", "nDCG@10", tasks, .1+.2, .3),
		scored("b", "r1", "nDCG@10", tasks, .3, .1+.2),
		scored("c", "r1", "nDCG@10", tasks, .2, .2))
	got := strings.Join(texts(tables[0]), "\n")
	for _, want := range []string{"1=, 1=|1 of 3|2 of 2 (100%)", "3, 3|3 of 3|0 of 2 (0%)", "equal to a on every task"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Count(got, "1=, 1=") != 2 {
		t.Errorf("not two rows that share the first rank:\n%s", got)
	}
}

// TestRanks checks ranks, their range, the tasks won, ties and doubts against values
// computed by hand.
func TestRanks(t *testing.T) {
	tasks := []string{"X", "Y", "Z"}
	tables := ranksOf(t,
		scored("a", "r1", "nDCG@10", tasks, .5, .2, .3),
		scored("b", "r1", "nDCG@10", tasks, .4, .4, .3),
		scored("twin", "r1", "nDCG@10", tasks, .4, .4, .3),
		scored("flat", "r1", "nDCG@10", tasks, .1, .1, .1),
		scored("other", "r2", "nDCG@10", tasks, .9, .9, .9),
		scored("another", "r2", "nDCG@10", tasks, .8, .9, .7),
		scored("part", "r1", "nDCG@10", tasks, .9, .9))
	if len(tables) != 1 {
		t.Fatalf("%d tables", len(tables))
	}
	want := []string{
		"b||1|1.3|2=, 1=, 1=|1–2 of 4|2 of 3 (67%)|36.7|no interval: 3 tasks|",
		"twin||1|1.3|2=, 1=, 1=|1–2 of 4|2 of 3 (67%)|36.7|no interval: 3 tasks|equal to b on every task",
		"a||1|1.7|1, 3, 1=|1–3 of 4|2 of 3 (67%)|33.3|no interval: 3 tasks|",
		"flat||1|4.0|4, 4, 4|4 of 4|0 of 3 (0%)|10.0|no interval: 3 tasks|one value on every task, like a constant scorer",
		"other||2|1.0|1, 1=, 1|1 of 2|3 of 3 (100%)|90.0|no interval: 3 tasks|one value on every task, like a constant scorer",
		"another||2|1.7|2, 1=, 2|1–2 of 2|1 of 3 (33%)|80.0|no interval: 3 tasks|",
	}
	if got := texts(tables[0]); !slices.Equal(got, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	notes := strings.Join(tables[0].Notes, "\n")
	for _, says := range []string{"1 row without all of them has no rank", "Group 2, 2 rows: data r2.", "are not comparable", "5 rows share a number"} {
		if !strings.Contains(notes, says) {
			t.Errorf("no %q in %s", says, notes)
		}
	}
}

// TestRanksOfManyTasks checks that there is an interval with ten or more tasks, whose
// heading states its assumption. BRIGHT's twelve domains are such a mean.
func TestRanksOfManyTasks(t *testing.T) {
	domains := []string{"biology", "earth_science", "economics", "psychology", "robotics", "stackoverflow", "sustainable_living", "leetcode", "pony", "aops", "theoremqa_questions", "theoremqa_theorems"}
	var cells []published.Cell
	for m, model := range []string{"a", "b"} {
		for i, d := range domains {
			cells = append(cells, published.Cell{Source: "MTEB", Model: model, Task: "BrightRetrieval", Split: "standard", Subset: d, Measure: "nDCG@10", Value: float64(i+1+m) / 100, Main: true})
		}
	}
	tables := ranksOf(t, cells)
	if len(tables) != 1 || !strings.Contains(tables[0].Title, "BRIGHT") || !strings.Contains(tables[0].Title, "12 domains") {
		t.Fatalf("%d tables: %+v", len(tables), tables)
	}
	if e := tables[0].Rows[0].Entries; e[0].Text != "b" || e[6].Text != "12 of 12 (100%)" || e[7].Text != "7.5" || !strings.HasPrefix(e[8].Text, "[5.") || tables[0].Columns[8].Name != "95% of the mean if these tasks were a sample" {
		t.Errorf("%q under %q", texts(tables[0])[0], tables[0].Columns[8].Name)
	}
	var nine []float64
	var tasks []string
	for i := range 9 {
		nine, tasks = append(nine, float64(i)/10), append(tasks, fmt.Sprint("t", i))
	}
	few := ranksOf(t, scored("a", "", "AP", tasks, nine...), scored("b", "", "AP", tasks, nine...))
	if e := few[0].Rows[0].Entries[8].Text; e != "no interval: 9 tasks" {
		t.Errorf("nine tasks: %q", e)
	}
}

// TestRanksOfAConstantScorer checks that a p-MRR of 0 on every task is flagged: a ranker
// that scores all documents alike has it.
func TestRanksOfAConstantScorer(t *testing.T) {
	tasks := []string{"X", "Y"}
	tables := ranksOf(t, scored("a", "", "p-MRR", tasks, .1, -.1), scored("flat", "", "p-MRR", tasks, 0, 0))
	if got := texts(tables[0]); !strings.HasSuffix(got[1], "|0 on every task: no ranking changed with the instruction, as if all documents had the same score") {
		t.Errorf("%q", got)
	}
}

// TestBoardOfOtherData checks that rows with other data have a letter, and that none of
// their numbers is marked as the best of a column.
func TestBoardOfOtherData(t *testing.T) {
	tasks := []string{"X", "Y"}
	b := NewBoard(1, &published.Collection{Source: "MTEB", Cells: slices.Concat(
		scored("a", "r1", "AP", tasks, .5, .5), scored("b", "r1", "AP", tasks, .4, .6), scored("c", "r2", "AP", tasks, .9, .9))})
	var got []string
	for _, r := range b.Leaderboard.Rows {
		got = append(got, fmt.Sprint(r.Entries[0].Text, r.Entries[3].Text, r.Entries[1].Best, r.Entries[2].Best))
	}
	slices.Sort(got)
	if want := []string{"aAtrue false", "bAfalse true", "cBfalse false"}; !slices.Equal(got, want) || !strings.Contains(strings.Join(b.Leaderboard.Notes, "\n"), "Data B, 1 row: r2.") {
		t.Errorf("%q, want %q; notes %q", got, want, b.Leaderboard.Notes)
	}
	same := NewBoard(1, &published.Collection{Source: "MTEB", Cells: scored("a", "r1", "AP", tasks, .5, .5)})
	if name := same.Leaderboard.Columns[3].Name; name == "data" || strings.Contains(strings.Join(same.Leaderboard.Notes, ""), "not comparable") {
		t.Errorf("one revision: column %q, notes %q", name, same.Leaderboard.Notes)
	}
}

// TestBoardOfThePaper checks that the board of the paper shows every number as printed. It
// has a row for each model and training of a table, but no row for the mean over models.
func TestBoardOfThePaper(t *testing.T) {
	paper, err := published.Paper()
	if err != nil {
		t.Fatal(err)
	}
	b := NewBoard(1, paper)
	all := strings.Join(texts(b.Leaderboard), "\n")
	for _, raw := range []string{"|-1.|", "|17.49|", "|6.80|", "|-14.11"} {
		if !strings.Contains(all, raw) {
			t.Errorf("the board lacks %s", raw)
		}
	}
	if strings.Contains(all, "Average") {
		t.Error("the mean over models is a row")
	}
}
