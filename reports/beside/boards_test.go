package beside

import (
	"slices"
	"strings"
	"testing"

	"infbench/reports/published"
)

// TestLeagues checks that rows with the same data have a board with ranks of their own, which
// equal numbers share, without columns that are empty there, and that models with public weights
// have links.
func TestLeagues(t *testing.T) {
	tasks := []string{"X", "Y"}
	b := NewBoard(1, &published.Collection{Source: "MTEB", Cells: slices.Concat(
		scored("intfloat/e5-large-v2", "r1", "AP", tasks, .5, .5), scored("voyageai/voyage-3.5", "r1", "AP", tasks, .6, .4), scored("nobody/nothing", "r1", "AP", tasks, .6, .4), scored("part", "r1", "AP", tasks[1:], .7),
		scored("BAAI/bge-m3", "r2", "AP", tasks, .9, .9), scored("BAAI/bge-small-en", "r2", "AP", tasks, .8, .9), scored("BAAI/bge-m3", "r2", "AP", []string{"Z"}, .3))})
	s, err := b.Section()
	if err != nil {
		t.Fatal(err)
	}
	tables := append(slices.Clone(s.Tables), s.Parts[0].Tables...)
	if len(s.Tables) != 1 || s.Parts[0].Title != "Data B" || s.Parts[0].Tables[0].ID != "published-1-leaderboard-2" {
		t.Fatalf("%d tables, then %q", len(s.Tables), s.Parts[0].Title)
	}
	for i, want := range []string{"model rank size type X AP Y AP made by", "model rank size type X AP Y AP Z AP made by"} {
		var heads []string
		for _, c := range tables[i].Columns {
			heads = append(heads, c.Flat())
		}
		if got := strings.Join(heads, " "); got != want {
			t.Errorf("columns %q, want %q", got, want)
		}
	}
	for i, want := range [][]string{{"voyageai/voyage-3.5 3", "nobody/nothing 3", "intfloat/e5-large-v2 2 https://huggingface.co/intfloat/e5-large-v2", "part 1"},
		{"BAAI/bge-m3 1 https://huggingface.co/BAAI/bge-m3", "BAAI/bge-small-en 2 https://huggingface.co/BAAI/bge-small-en"}} {
		var got []string
		for _, r := range tables[i].Rows {
			got = append(got, strings.TrimSpace(r.Entries[0].Text+" "+r.Entries[rankAt].Text+" "+r.Entries[0].Page))
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("rows %q, want %q", got, want)
		}
	}
	if said := strings.Join(b.Answer, " "); !strings.Contains(said, "of 4 models on data A") || !strings.Contains(said, "on data B, of 2, BAAI/bge-m3 (90.0)") {
		t.Errorf("answer %q", b.Answer)
	}
	if !strings.HasPrefix(tables[0].Caption, "Data A: 4 rows, measured on revision r1. ") || !strings.Contains(b.Intro, "neither their commit nor their licence") {
		t.Errorf("caption %q, intro %q", tables[0].Caption, b.Intro)
	}
}

// TestAnswer checks the sentences on p-MRR: the leader, and the number of models above 0.
func TestAnswer(t *testing.T) {
	tasks := []string{"Core17InstructionRetrieval", "News21InstructionRetrieval", "Robust04InstructionRetrieval"}
	for _, c := range []struct {
		cells [][]published.Cell
		want  string
	}{
		{[][]published.Cell{scored("a", "", "p-MRR", tasks, .1, .1, .1), scored("b", "", "p-MRR", tasks, .1, .1, -.1), scored("c", "", "p-MRR", tasks, 0, 0, 0)},
			"a (+10.0) has the highest FollowIR p-MRR of 3 models; the next is b (+3.3). 2 of the 3 are above 0"},
		{[][]published.Cell{scored("a", "", "p-MRR", tasks, .1, .1, .1), scored("b", "", "p-MRR", tasks, .1, .1, .1)}, "a (+10.0) and b (+10.0) have the highest FollowIR p-MRR of 2 models."},
		{[][]published.Cell{scored("a", "", "p-MRR", tasks, .1, .1, .1)}, ""},
	} {
		b := NewBoard(1, &published.Collection{Source: "MTEB", Cells: slices.Concat(c.cells...)})
		if got := strings.Join(b.Answer, " "); !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
