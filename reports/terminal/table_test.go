package terminal

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"infbench/reports/table"
)

// sequence matches the only kind of control sequence that is printed.
var sequence = regexp.MustCompile("\x1b\\[[0-9;]*m")

// hostile lists unusual names that data may contain.
var hostile = []string{
	"uni(P)", "multi(P,I)", "", " ", "Qwen/Qwen3-Embedding-0.6B-with-a-very-long-name-that-nobody-would-type", strings.Repeat("x", 300),
	"インストラクション検索モデル・指示追従", "模型" + strings.Repeat("很长", 60), "🙂🙃 emoji 👩‍👩‍👧 family", "e\u0301a\u0300 combining", "\x1b[31mred\x07", "a\nb\tc", "\u202egnp.exe", "\xff\xfe",
	strings.Repeat("word ", 60), "nDCG@10", "−3.2", "+17.0 [+9.9, +24.1]", "🇩🇪🇫🇷 flags", "ｆｕｌｌ　ｗｉｄｔｈ",
}

// madeUp returns a random table of hostile texts.
func madeUp(r *rand.Rand) *table.Table {
	pick := func() string { return hostile[r.IntN(len(hostile))] }
	t := &table.Table{ID: "t"}
	text := r.IntN(4)
	for j := range 1 + r.IntN(12) {
		c := table.Column{Name: pick(), Number: j > text}
		if r.IntN(2) == 0 {
			c.Group = pick()
		}
		t.Columns = append(t.Columns, c)
	}
	tones := []table.Tone{table.Plain, table.Better, table.Worse, table.Absent}
	for range r.IntN(6) {
		row := table.Row{}
		for range t.Columns {
			row.Entries = append(row.Entries, table.Entry{Text: pick(), Tone: tones[r.IntN(len(tones))], Best: r.IntN(3) == 0})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// TestNothingIsWider checks that no line is wider than the screen, with and without
// colours, and that colours change nothing else.
func TestNothingIsWider(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 3000 {
		made, width := madeUp(r), LeastWidth+r.IntN(200)
		plain := Screen{Width: width}.Table(made)
		for _, line := range plain {
			if got := Width(line); got > width || strings.HasSuffix(line, " ") || strings.ContainsAny(line, "\x1b\x07\n\t\u202e") {
				t.Fatalf("table %d at %d: a line of %d: %q", n, width, got, line)
			}
		}
		coloured := Screen{Width: width, Colour: true}.Table(made)
		for i, line := range coloured {
			coloured[i] = sequence.ReplaceAllString(line, "")
		}
		if !slices.Equal(coloured, plain) {
			t.Fatalf("table %d at %d: colours move text", n, width)
		}
		for _, text := range hostile {
			for i, line := range (Screen{Width: width}).Lines("  note: ", text) {
				if Width(line) > width || i > 0 && !strings.HasPrefix(line, "        ") {
					t.Fatalf("note at %d: %q", width, line)
				}
			}
		}
	}
}

// TestNothingIsLost checks that every cell is printed at every width, in the line of its
// row's name.
func TestNothingIsLost(t *testing.T) {
	made := &table.Table{Columns: []table.Column{{Name: "system"}, {Name: "seed"}}}
	for j := range 20 {
		made.Columns = append(made.Columns, table.Column{Group: fmt.Sprintf("benchmark-%d", j/3), Name: fmt.Sprintf("measure@%d", j), Number: true})
	}
	for i := range 3 {
		row := table.Row{Entries: []table.Entry{{Text: "model"}, {Text: fmt.Sprint("s", i)}}}
		for j := range 20 {
			row.Entries = append(row.Entries, table.Entry{Text: fmt.Sprintf("%d.%02d", i, j)})
		}
		made.Rows = append(made.Rows, row)
	}
	for width := 30; width < 300; width++ { // the names alone take 17
		found := map[string]int{}
		for _, line := range (Screen{Width: width}).Table(made) {
			cells := strings.Fields(line)
			if len(cells) < 3 || cells[0] != "model" {
				continue
			}
			for _, cell := range cells[2:] {
				if !strings.HasPrefix(cell, cells[1][1:]+".") {
					t.Fatalf("at %d %s stands in the row of %s", width, cell, cells[1])
				}
				found[cell]++
			}
		}
		if len(found) != 60 {
			t.Fatalf("at %d there are %d of 60 cells", width, len(found))
		}
	}
}

func TestTable(t *testing.T) {
	made := &table.Table{Columns: []table.Column{{Name: "system"}, {Group: "mini-followir/headline", Name: "p-MRR", Number: true}, {Group: "mini-followir/headline", Name: "AP@1000 original", Number: true},
		{Group: "mini-mair (mean of 8 tasks)", Name: "nDCG@10", Number: true}},
		Rows: []table.Row{
			{Entries: []table.Entry{{Text: "uni(P)"}, {Text: "+39.2", Best: true}, {Text: "90.4", Tone: table.Better, Best: true}, {Text: "78.2", Tone: table.Better}}},
			{Entries: []table.Entry{{Text: "検索"}, {Text: "-0.2", Tone: table.Worse}, {Text: "missing", Tone: table.Absent}, {Text: "6.6"}}},
		}}
	for _, c := range []struct {
		screen Screen
		want   string
	}{
		{Screen{}, `
          mini-followir/headline  mini-mair (mean of 8 tasks)
 system  p-MRR  AP@1000 original                      nDCG@10
─────────────────────────────────────────────────────────────
 uni(P)  +39.2              90.4                         78.2
 検索     -0.2           missing                          6.6
`},
		{Screen{Width: 50}, `
                                         mini-mair
                                        (mean of 8
         ──── mini-followir/headline        tasks)
 system      p-MRR  AP@1000 original       nDCG@10
──────────────────────────────────────────────────
 uni(P)      +39.2              90.4          78.2
 検索         -0.2           missing           6.6
`},
		{Screen{Width: 40}, `
         ──── mini-followir/headline
 system      p-MRR  AP@1000 original
────────────────────────────────────
 uni(P)      +39.2              90.4
 検索         -0.2           missing

         mini-mair (mean of 8 tasks)
 system                      nDCG@10
────────────────────────────────────
 uni(P)                         78.2
 検索                            6.6
`},
		{Screen{Colour: true}, "\n          mini-followir/headline  mini-mair (mean of 8 tasks)\n system  p-MRR  AP@1000 original                      nDCG@10\n" + strings.Repeat("─", 61) +
			"\n uni(P)  \x1b[1m+39.2\x1b[0m              \x1b[1;38;5;33m90.4\x1b[0m                         \x1b[38;5;33m78.2\x1b[0m" +
			"\n 検索     \x1b[38;5;208m-0.2\x1b[0m           \x1b[2mmissing\x1b[0m                          6.6\n"},
	} {
		if got := "\n" + strings.Join(c.screen.Table(made), "\n") + "\n"; got != c.want {
			t.Errorf("%+v:%s\nwant%s", c.screen, got, c.want)
		}
	}
}
