package command

import (
	"strings"
	"testing"
	"time"

	"infbench/reports/gate"
)

// acceptedDrop is an acceptance of a number.
func acceptedDrop(system, number string, to float64) *gate.Accepted {
	from := 0.503
	return &gate.Accepted{System: system, Number: number, From: &from, To: &to, Who: "Ann", Why: "half: the \"training\" time", Until: time.Date(2027, 1, 31, 0, 0, 0, 0, time.UTC)}
}

const commentedFile = `# Ask Ann before you touch this.
accepted:
  # The old tokenizer.
  - system: uni(P)
    number: nDCG@10 on a/b # in the paper
    to: gone
    until: 2026-12-31
    who: Bob
    why: slow
  # Last.
  - {system: uni(I), to: gone, until: 2026-12-31, who: Bob, why: "never used"}
`

// TestAdd adds to several kinds of files, and adds the same entry only once.
func TestAdd(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		add   *gate.Accepted
		want  int
		keeps []string
	}{
		"nothing":    {"", acceptedDrop("a", "n on b/c", 0.4), 1, []string{"# Changes that may be worse"}},
		"empty list": {"# mine\naccepted: []\n", acceptedDrop("a", "n on b/c", 0.4), 1, []string{"# mine"}},
		"another":    {commentedFile, acceptedDrop("uni(P)", "nDCG@10 on a/c", 0.4), 3, []string{"# Ask Ann", "# The old tokenizer.", "# in the paper", "# Last.", "never used", "who: Bob"}},
		"the same":   {commentedFile, acceptedDrop("uni(P)", "nDCG@10 on a/b", 0.4), 2, []string{"# Ask Ann", "# The old tokenizer.", "# Last.", "never used"}},
		"hostile":    {commentedFile, acceptedDrop("a: b # c\n- d", "\"n\"", 0.4), 3, nil},
	} {
		data, err := addAccepted("accepted.yaml", []byte(c.text), c.add)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		again, err := addAccepted("accepted.yaml", data, c.add)
		if err != nil || string(again) != string(data) {
			t.Errorf("%s, twice: %v\n%s\n%s", name, err, data, again)
		}
		all, err := gate.ParseAccepted("accepted.yaml", data)
		if err != nil || len(all) != c.want {
			t.Errorf("%s: %d entries, want %d (%v)\n%s", name, len(all), c.want, err, data)
		}
		for _, want := range append(c.keeps, "2027-01-31") {
			if !strings.Contains(string(data), want) {
				t.Errorf("%s: no %q in\n%s", name, want, data)
			}
		}
	}
	for text, want := range map[string]string{
		"accepted: [{system: a}]":           "accepted.yaml:1:12: an accepted change needs",
		"acepted: []":                       `unknown key "acepted"; did you mean "accepted"?`,
		"accepted: []\n---\naccepted: []\n": "a second document",
	} {
		if _, err := addAccepted("accepted.yaml", []byte(text), acceptedDrop("a", "n", 0.4)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
