package curate

import (
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// asked returns the three questions of a record. Each letter of a judge's answers is r for right, w
// for wrong, - for no choice and . for not asked.
func asked(record string, answers map[string]string) (all []Question) {
	judges := []string{}
	for judge := range answers {
		judges = append(judges, judge)
	}
	slices.Sort(judges)
	for i, s := range []Scenario{Original, PoisonedInstruction, PoisonedQuery} {
		q := Question{ID: record + string(s), Record: record, Scenario: s, Candidates: []Candidate{{Role: HardNegative2}, {Role: Positive}, {Role: HardNegative1}, {Role: Distractor}}}
		for _, judge := range judges {
			p := Pick{Judge: judge, Human: strings.HasPrefix(judge, "human")}
			switch answers[judge][i] {
			case 'r':
				p.Candidate = q.Answer()
			case 'w':
				p.Candidate = 3
			case '-':
				p.Candidate = None
			default:
				continue
			}
			q.Picks = append(q.Picks, p)
		}
		all = append(all, q)
	}
	return all
}

func streamed(all []Question) iter.Seq2[Question, error] {
	return func(yield func(Question, error) bool) {
		for _, q := range all {
			if !yield(q, nil) {
				return
			}
		}
	}
}

// TestKept: the kept records of each judge, worked out by hand.
func TestKept(t *testing.T) {
	all := slices.Concat(
		asked("all", map[string]string{"a": "rrr", "b": "rrr", "c": "rrr", "human": "www"}),
		asked("two", map[string]string{"a": "rrr", "b": "rrr", "c": "rrw"}),
		asked("each-once-wrong", map[string]string{"a": "wrr", "b": "rwr", "c": "rrw"}),
		asked("refused", map[string]string{"a": "rrr", "b": "rr-", "c": "r.r"}),
		asked("one", map[string]string{"a": "rrr", "b": "...", "c": "...", "human": "rrr"}),
		asked("nobody", map[string]string{"a": "...", "b": "..."}),
		asked("half", map[string]string{"a": "rrr"})[:2],
	)
	for by, want := range map[string]string{
		"a": "all one refused two", "b": "all two", "c": "all", "human": "one",
		Majority:  "all each-once-wrong one refused two", // refused: two of three right in the last question
		Unanimous: "all one",
		Last:      "all one refused", // c decides for refused if it was asked, else b
		Nobody:    "all each-once-wrong half nobody one refused two",
	} {
		kept, err := Kept(streamed(all), by)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for id := range kept {
			got = append(got, id)
		}
		slices.Sort(got)
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%s keeps %q, want %q", by, text, want)
		}
	}
	if _, err := Kept(streamed(all), "humn"); err == nil || err.Error() != `unknown judge "humn"; did you mean "human"? (known: a, b, c, human, majority, unanimous, last, none)` {
		t.Error(err)
	}
}

// TestReadJudged: a file of questions reads back, and an invalid line is an error with its number.
func TestReadJudged(t *testing.T) {
	all := asked("r", map[string]string{"a": "rrr"})
	path := filepath.Join(t.TempDir(), JudgedFile)
	write := func(end string) {
		var text strings.Builder
		for _, q := range all {
			line, err := json.Marshal(q)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&text, "%s\n", line)
		}
		if err := os.WriteFile(path, []byte(text.String()+end), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("")
	if kept, err := Kept(ReadJudged(path), "a"); err != nil || !kept["r"] {
		t.Error(kept, err)
	}
	write("{")
	if _, err := Kept(ReadJudged(path), "a"); err == nil || !strings.Contains(err.Error(), path+":4: ") {
		t.Error(err)
	}
	if _, err := Kept(ReadJudged(path+"x"), "a"); err == nil || !strings.Contains(err.Error(), "read verdicts") {
		t.Error(err)
	}
}
