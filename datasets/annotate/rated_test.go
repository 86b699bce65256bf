package annotate

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"infbench/datasets/curate"
)

// page returns the file that an annotator's page saves.
func page(k *Key, annotator string, picks ...string) string {
	return fmt.Sprintf(`{"format":%q,"sheet":%q,"annotator":%q,"picks":[`+"\n%s\n]}\n", PicksFormat, k.Code(annotator), annotator, strings.Join(picks, ",\n"))
}

// TestReadPicks: the numbers of a sheet are resolved from both file formats.
func TestReadPicks(t *testing.T) {
	k := drawn(t, One, 1)
	encoded(t, k)
	place := k.Sheets[1].Places[2]
	code := k.Code("bob")
	for name, text := range map[string]string{
		"picks.json":      page(k, "bob", `{"item":3,"pick":4}`, `{"item":5,"pick":"none"}`),
		"picks.csv":       "\ufeffsheet,annotator,item,pick,query\r\n" + code + ",bob,3, 4 ,\"a,\nb\"\r\n" + code + ",bob,4,,x\r\n" + code + ",bob,5,None,x\r\n",
		"semicolons.csv":  "sheet;item;pick\n" + code + ";3;4\n" + code + ";5;none\n",
		"other-order.csv": "pick,item,sheet\nnone,5," + code + "\n4,3," + code + "\n",
	} {
		p, err := k.ReadPicks(write(t, name, text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if p.Annotator != "bob" || len(p.Chosen) != 2 || p.Chosen[place.Item] != place.Candidates[3] || p.Chosen[k.Sheets[1].Places[4].Item] != curate.None {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

// TestReadPicksErrors: entries that do not match are reported with their lines.
func TestReadPicksErrors(t *testing.T) {
	k := drawn(t, One, 1)
	encoded(t, k)
	ann, bob := k.Code("ann"), k.Code("bob")
	head := "sheet,annotator,item,pick\n" + ann + ",ann,1,2\n"
	for _, c := range []struct{ name, text, want string }{
		{"p.csv", head + ann + ",ann,13,2\n", `p.csv:3: item "13": the sheet has 1 to 12`},
		{"p.csv", head + ann + ",ann,x,2\n", `p.csv:3: item "x": the sheet has 1 to 12`},
		{"p.csv", head + ann + ",ann,2,6\n", `p.csv:3: item 2: pick "6": want 1 to 5, none, or nothing`},
		{"p.csv", head + ann + ",ann,2,0\n", `p.csv:3: item 2: pick "0"`},
		{"p.csv", head + ann + ",ann,1,2\n", "p.csv:3: item 1 again, which line 2 has too"},
		{"p.csv", head + bob + ",bob,2,1\n", "p.csv:3: sheet \"" + bob + "\""},
		{"p.csv", head + ann + ",bob,2,1\n", `p.csv:3: annotator "bob": sheet ` + ann + " is that of ann"},
		{"p.csv", "sheet,item,pick\n0123456789abcdef,1,1\n", `p.csv:2: sheet "0123456789abcdef" is not in this key`},
		{"p.csv", "sheet,item,picks\n", `p.csv:1: column pick is missing: unknown column "pick"; did you mean "picks"?`},
		{"p.csv", "sheet,item,pick\n", "p.csv: no item"},
		{"p.csv", "sheet,item,pick\n" + ann + ",1,\n", "p.csv: ann picked nothing"},
		{"p.csv", "sheet,item,pick\n\"" + ann, "p.csv: "},
		{"p.csv", "", "p.csv:1: not the header"},
		{"p.json", page(k, "ann", `{"item":1,"pick":1}`, `{"item":99,"pick":1}`), `p.json:3: item "99"`},
		{"p.json", page(k, "ann", `{"item":1,"pick":1}`, `{"item":2,"pick":1.5}`), `p.json:3: item 2: pick "1.5"`},
		{"p.json", `{"format":"infbench-picks/9"}`, "p.json: found format infbench-picks/9, and this build of infbench reads format infbench-picks/1:"},
		{"p.json", `{"format":"infbench-picks/1","picks":{}}`, "p.json: picks are not a list"},
		{"p.json", `{"format":`, "p.json: not a file of picks"},
	} {
		if _, err := k.ReadPicks(write(t, c.name, c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
	many := head
	for i := range 40 {
		many += fmt.Sprintf("%s,ann,%d,2\n", ann, 100+i)
	}
	_, err := k.ReadPicks(write(t, "p.csv", many))
	if lines := strings.Count(err.Error(), "\n") + 1; lines != faultsAtMost+1 || !strings.HasSuffix(err.Error(), "and more") {
		t.Errorf("%d lines: %v", lines, err)
	}
}

// keyFile writes a key.
func keyFile(t *testing.T, k *Key) string {
	t.Helper()
	return write(t, "key.json", encoded(t, k))
}

// TestRead: people come before judges, a key alone is a study of the judges, and no two raters
// share a name.
func TestRead(t *testing.T) {
	k := drawn(t, One, 1)
	key := keyFile(t, k)
	ann := write(t, "ann.json", page(k, "ann", `{"item":1,"pick":1}`))
	r, err := Read(key, []string{ann})
	if err != nil {
		t.Fatal(err)
	}
	at := k.Sheets[0].Places[0]
	if r.Raters[0].Name != "ann" || !r.Raters[0].Human || len(r.Raters) != 3 || r.Raters[0].Picks[at.Item] != at.Candidates[0] {
		t.Errorf("%+v", r.Raters)
	}
	if r, err := Read(key, nil); err != nil || len(r.Raters) != 2 || len(r.Disagreed()) != 12 || r.Settled() > .7 {
		t.Errorf("judges alone: %+v, %v", r, err)
	}
	for want, files := range map[string][]string{
		"ann.json: picks of ann, whose picks ": {ann, ann},
		"no such file":                         {"absent.csv"},
	} {
		if _, err := Read(key, files); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	one := item("record-1", curate.Original, curate.Pick{Judge: "ann", Candidate: 0})
	k, err = Draw(judgedFile(t, one), Plan{Sample: 1, Scenarios: One, Annotators: []string{"ann"}})
	if err != nil {
		t.Fatal(err)
	}
	key = keyFile(t, k)
	if _, err := Read(key, []string{write(t, "ann.json", page(k, "ann", `{"item":1,"pick":1}`))}); err == nil || !strings.Contains(err.Error(), "annotator ann has the name of a judge") {
		t.Error(err)
	}
	if _, err := Read(key, nil); err == nil || !strings.Contains(err.Error(), "agreement needs 2 raters, found 1") {
		t.Error(err)
	}
}

// TestFurtherJudges: picks of later judges are read from a judged.jsonl and matched by the
// candidates' texts.
func TestFurtherJudges(t *testing.T) {
	items := records(30)
	file := judgedFile(t, items...)
	k, err := Draw(file, Plan{Sample: 30, Scenarios: All, Annotators: []string{"ann"}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range items {
		slices.Reverse(items[i].Candidates)
		items[i].Picks = []curate.Pick{{Judge: "exact-judge", Candidate: 4 - items[i].Picks[0].Candidate}, {Judge: "late", Candidate: items[i].Answer()}}
	}
	r, err := Read(keyFile(t, k), []string{judgedFile(t, items...)})
	if err != nil {
		t.Fatal(err)
	}
	late := r.Raters[r.find("late")]
	for i, pick := range late.Picks {
		if pick != r.Items[i].Answer() {
			t.Fatalf("item %d: late picks %d, right is %d", i, pick, r.Items[i].Answer())
		}
	}
	items[5].Candidates[0].Text = "another"
	if _, err := Read(keyFile(t, k), []string{judgedFile(t, items...)}); err == nil || !strings.Contains(err.Error(), "judged.jsonl:6: question record-1/I+Q- has other texts") {
		t.Error(err)
	}
	if _, err := Read(keyFile(t, k), []string{judgedFile(t, item("other-1", curate.Original))}); err == nil || !strings.Contains(err.Error(), "none of the 90 questions") {
		t.Error(err)
	}
}

// TestLabels: candidates with one text count as one, a failed answer is not a rating, and "none of
// them" is a rating.
func TestLabels(t *testing.T) {
	it := item("record-1", curate.PoisonedInstruction,
		curate.Pick{Judge: "copy", Candidate: 4}, curate.Pick{Judge: "right", Candidate: 1},
		curate.Pick{Judge: "refused", Candidate: curate.None, Why: "refused"}, curate.Pick{Judge: "none", Candidate: curate.None},
		curate.Pick{Judge: "distractor", Candidate: 3})
	it.Candidates[4].Text = it.Candidates[1].Text
	r, err := Read(judgedFile(t, it), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][2]string{{"2", "P1-"}, {"2", "P1-"}, {"", ""}, {"none", "none"}, {"4", "distractor"}} {
		if got := [2]string{r.Position(0, i), r.Role(0, i)}; got != want {
			t.Errorf("%s: %q, want %q", r.Raters[i].Name, got, want)
		}
	}
	if r.Raters[2].Lost["refused"] != 1 {
		t.Errorf("%+v", r.Raters[2])
	}
	if r.Settled() != 1 {
		t.Errorf("settled %v", r.Settled())
	}
}

// TestNoise: a record is wrong if most people find one of its questions wrong.
func TestNoise(t *testing.T) {
	r := &Rated{}
	rate := func(record string, s curate.Scenario, humans ...int) {
		r.Items = append(r.Items, item(record, s))
		for i, pick := range append(humans, map[string]int{"record-2": 3}[record]) {
			if len(r.Raters) <= i {
				r.Raters = append(r.Raters, Rater{Human: i < 3})
			}
			r.Raters[i].Picks = append(r.Raters[i].Picks, pick)
		}
	}
	rate("record-1", curate.Original, 0, 0, 3)
	rate("record-2", curate.Original, 2, curate.None, 0)
	rate("record-4", curate.Original, 0, 2, Missing)
	rate("other-1", curate.Original, 1, 1, 1)
	want := []Noise{{AllTypes, false, 1, 2, 1}, {"kind-1", false, 1, 1, 0}, {"kind-2", false, 0, 1, 0}, {"kind-4", false, 0, 0, 1},
		{AllTypes, true, 1, 1, 1}, {"kind-1", true, 1, 1, 0}, {"kind-2", true, 0, 0, 0}, {"kind-4", true, 0, 0, 1}}
	if got := r.Noise(); !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	r.Raters = r.Raters[3:]
	if got := r.Noise(); got != nil {
		t.Errorf("without people: %+v", got)
	}
}

// TestReadable: a text keeps its lines, nothing in it hides or reorders other text, and no cell is
// a formula.
func TestReadable(t *testing.T) {
	if got := Readable(" a\r\n\tb\x1b\u202e\xff\u2028\n"); got != "a\n\tb\ufffd\ufffd\ufffd\ufffd" {
		t.Errorf("%q", got)
	}
	var b strings.Builder
	s := &Sheet{Code: "c", Annotator: "a", Questions: []Asked{{Instruction: "=cmd()", Query: "q", Passages: []string{"-1", "b"}}, {Passages: []string{"a"}}}}
	if err := s.WriteCSV(&b); err != nil || b.String() != "sheet,annotator,item,pick,instruction,query,passage 1,passage 2\nc,a,1,,'=cmd(),q,'-1,b\nc,a,2,,,,a,\n" {
		t.Errorf("%q, %v", b.String(), err)
	}
}
