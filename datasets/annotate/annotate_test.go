package annotate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infbench/datasets/curate"
)

// item returns a question of a record. Its candidates are in the order of their roles, and their
// texts begin with the question's ID.
func item(record string, scenario curate.Scenario, picks ...curate.Pick) Item {
	it := Item{Question: curate.Question{ID: record + "/" + string(scenario), Record: record, Scenario: scenario,
		Instruction: "instruction of " + record, Query: "query " + string(scenario), Picks: picks}, Type: "kind-" + record[len(record)-1:]}
	for i, role := range []curate.Role{curate.Positive, curate.HardNegative1, curate.HardNegative2, curate.Distractor, curate.Distractor} {
		it.Candidates = append(it.Candidates, curate.Candidate{Role: role, Text: fmt.Sprintf("%s text %d", it.ID, i)})
	}
	return it
}

// judgedFile writes items as a judged.jsonl.
func judgedFile(t *testing.T, items ...Item) string {
	t.Helper()
	var b bytes.Buffer
	for i := range items {
		if err := json.NewEncoder(&b).Encode(&items[i]); err != nil {
			t.Fatal(err)
		}
	}
	return write(t, curate.JudgedFile, b.String())
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// records returns the questions of n records in all scenarios; one judge picks the right candidate,
// the other the distractor at position 3.
func records(n int) []Item {
	var out []Item
	for i := range n {
		for _, s := range scenarios {
			it := item(fmt.Sprintf("record-%d", i), s)
			it.Picks = []curate.Pick{{Judge: "exact-judge", Candidate: it.Answer()}, {Judge: "off-judge", Candidate: 3}}
			out = append(out, it)
		}
	}
	return out
}

// drawn returns the key of a sample of 12 of 30 records for two annotators.
func drawn(t *testing.T, scenarios string, seed uint64) *Key {
	t.Helper()
	k, err := Draw(judgedFile(t, records(30)...), Plan{Sample: 12, Scenarios: scenarios, Seed: seed, Annotators: []string{"ann", "bob"}})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func encoded(t *testing.T, k *Key) string {
	t.Helper()
	data, err := k.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestDraw: a sample consists of records and cycles through the scenarios. The same seed gives the
// same sample, another seed another one.
func TestDraw(t *testing.T) {
	one := drawn(t, One, 1)
	if encoded(t, one) != encoded(t, drawn(t, One, 1)) {
		t.Error("the same seed, another key")
	}
	asked, sampled := map[curate.Scenario]int{}, map[string]bool{}
	for _, it := range one.Items {
		asked[it.Scenario]++
		sampled[it.Record] = true
	}
	if len(sampled) != 12 || asked[curate.Original] != 4 || asked[curate.PoisonedInstruction] != 4 || asked[curate.PoisonedQuery] != 4 {
		t.Errorf("%d records, scenarios %v", len(sampled), asked)
	}
	if other := drawn(t, One, 2); slices.EqualFunc(one.Items, other.Items, func(a, b Item) bool { return a.Record == b.Record }) {
		t.Error("another seed, the same records")
	}
	if all := drawn(t, All, 1); len(all.Items) != 36 {
		t.Errorf("%d questions of 12 records", len(all.Items))
	}
}

// TestPicksFollowTexts: the key has its own order of candidates, and the judges' picks follow the
// texts.
func TestPicksFollowTexts(t *testing.T) {
	k := drawn(t, All, 3)
	places := map[int]int{}
	for i := range k.Items {
		it := &k.Items[i]
		places[it.Answer()]++
		if it.Picks[0].Candidate != it.Answer() || it.Candidates[it.Picks[1].Candidate].Text != it.ID+" text 3" {
			t.Errorf("%s: %+v", it.ID, it.Picks)
		}
	}
	if len(places) != 5 {
		t.Errorf("the right candidate stands at places %v", places)
	}
}

// TestSheetsAreBlind: a sheet does not reveal the sources of its texts, and every annotator has
// another order.
func TestSheetsAreBlind(t *testing.T) {
	k := drawn(t, One, 1)
	encoded(t, k)
	var orders []string
	for _, o := range k.Sheets {
		s := k.Sheet(o)
		for i := range s.Questions { // the texts of this test reveal their source; those of corpora do not
			for j, text := range s.Questions[i].Passages {
				s.Questions[i].Passages[j] = text[strings.LastIndex(text, " "):]
			}
			s.Questions[i].Instruction = ""
			s.Questions[i].Query = ""
		}
		var b bytes.Buffer
		if err := s.WriteCSV(&b); err != nil {
			t.Fatal(err)
		}
		for _, told := range []string{"record-", "P+", "P1-", "P2-", "distractor", "judge", "I+Q+", "kind-"} {
			if strings.Contains(b.String(), told) {
				t.Errorf("the sheet of %s tells %q", s.Annotator, told)
			}
		}
		orders = append(orders, fmt.Sprint(o.Places))
	}
	if orders[0] == orders[1] || k.Code("ann") == k.Code("bob") {
		t.Error("two annotators have the same sheet")
	}
}

// TestSeal: a key that was changed after its sheets were made is rejected; an unchanged one is
// read.
func TestSeal(t *testing.T) {
	text := encoded(t, drawn(t, One, 1))
	if k, err := ReadKey(write(t, "key.json", text)); err != nil || encoded(t, k) != text {
		t.Fatalf("%v", err)
	}
	for what, changed := range map[string]string{
		"an answer": strings.Replace(text, `"role": "P+"`, `"role": "P1-"`, 1),
		"the seal":  strings.Replace(text, `"seal": "`, `"seal": "0`, 1),
	} {
		if _, err := ReadKey(write(t, "key.json", changed)); err == nil || !strings.Contains(err.Error(), "changed") {
			t.Errorf("%s was changed: %v", what, err)
		}
	}
	if _, err := ReadKey(write(t, "key.json", `{"format":"infbench-annotation-key/2"}`)); err == nil || !strings.Contains(err.Error(), "key.json: found format infbench-annotation-key/2, and this build of infbench reads") {
		t.Error(err)
	}
}

// TestQuestionErrors: lines that are not questions are rejected with their position.
func TestQuestionErrors(t *testing.T) {
	good := item("record-1", curate.Original)
	change := func(edit func(*Item)) Item {
		it := item("record-2", curate.Original)
		edit(&it)
		return it
	}
	for want, bad := range map[string]Item{
		"judged.jsonl:2: question record-1/I+Q+ again, which line 1 has too": good,
		`unknown scenario "I-Q-"`:               change(func(it *Item) { it.Scenario = "I-Q-" }),
		"no candidate is P+":                    change(func(it *Item) { it.Candidates[0].Role = curate.Distractor }),
		"judge x picks candidate 5 of 5":        change(func(it *Item) { it.Picks = []curate.Pick{{Judge: "x", Candidate: 5}} }),
		`judge "x" has no name or picks twice`:  change(func(it *Item) { it.Picks = []curate.Pick{{Judge: "x"}, {Judge: "x"}} }),
		"1 candidates, want 2 or more":          change(func(it *Item) { it.Candidates = it.Candidates[:1] }),
		"judged.jsonl:2: a question without an": change(func(it *Item) { it.ID = "" }),
	} {
		if _, _, err := index(judgedFile(t, good, bad)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestPlanErrors(t *testing.T) {
	file := judgedFile(t, records(2)...)
	for want, p := range map[string]Plan{
		"a sample of 3 records: ":        {Sample: 3, Scenarios: One, Annotators: []string{"a"}},
		"a sample of 0 records":          {Scenarios: One, Annotators: []string{"a"}},
		`unknown choice of scenarios`:    {Sample: 1, Scenarios: "on", Annotators: []string{"a"}},
		`annotator "../x": want letters`: {Sample: 1, Scenarios: One, Annotators: []string{"../x"}},
		"annotator a is named twice":     {Sample: 1, Scenarios: One, Annotators: []string{"a", "a"}},
		"no annotator":                   {Sample: 1, Scenarios: One},
	} {
		if _, err := Draw(file, p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestTypes: the type of a record's poison is a field of the question or of its record.
func TestTypes(t *testing.T) {
	items := records(2)
	for i := range items {
		items[i].Type = ""
	}
	file := judgedFile(t, items...)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	said := strings.Replace(string(text), `{"id":"record-0/I+Q+"`, `{"poison":"scope","id":"record-0/I+Q+"`, 1)
	for name, text := range map[string]string{
		curate.JudgedFile:  said,
		"unfiltered.jsonl": `{"id":"record-0","poison":"time"}` + "\nno record\n" + `{"id":"record-2","poison":"time"}` + "\n",
		"poisoned.jsonl":   `{"id":"record-1","type":"bound"}` + "\n" + `{"id":"record-0","poison":"format"}` + "\n",
	} {
		if err := os.WriteFile(filepath.Join(filepath.Dir(file), name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	k, err := Draw(file, Plan{Sample: 2, Scenarios: All, Annotators: []string{"a"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range k.Items {
		want := map[string]string{"record-0": "time", "record-1": "bound"}[it.Record]
		if it.ID == "record-0/I+Q+" {
			want = "scope"
		}
		if it.Type != want {
			t.Errorf("%s: %q, want %q", it.ID, it.Type, want)
		}
	}
}
