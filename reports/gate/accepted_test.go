package gate

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

const acceptedFile = `accepted:
  - system: multi(P,I)
    number: nDCG@10 on mini-mair (mean of 6 tasks)
    from: 50.3
    to: 38.1
    until: 2027-01-31
    who: Ann <ann@example.org>
    why: "half the training time: agreed"
    commit: 4f2a91c
  - {system: uni(P), to: gone, until: 2026-12-01, who: Bob, why: dropped}
`

func TestParseAccepted(t *testing.T) {
	got, err := ParseAccepted("accepted.yaml", []byte(acceptedFile))
	if err != nil || len(got) != 2 {
		t.Fatalf("%v, %v", got, err)
	}
	if a := got[0]; *a.From != .503 || *a.To != .381 || a.By() != "accepted by Ann <ann@example.org> until 2027-01-31: half the training time: agreed" || a.Position() != "accepted.yaml:2" {
		t.Errorf("%+v", a)
	}
	if a := got[1]; a.To != nil || a.Number != "" || a.Position() != "accepted.yaml:10" {
		t.Errorf("%+v", a)
	}
	last := time.Date(2026, 12, 1, 23, 59, 0, 0, time.UTC)
	if got[1].Over(last) || !got[1].Over(last.Add(time.Minute)) {
		t.Error("an acceptance holds to the end of its last day")
	}
	text, err := FormatAccepted(got)
	if err != nil {
		t.Fatal(err)
	}
	again, err := ParseAccepted("accepted.yaml", text)
	if err != nil || len(again) != 2 {
		t.Fatalf("%v, %v:\n%s", again, err, text)
	}
	for i := range again {
		again[i].Line = got[i].Line
		if !reflect.DeepEqual(again[i], got[i]) {
			t.Errorf("written and read: %+v, was %+v", again[i], got[i])
		}
	}
}

func TestParseAcceptedRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "accepted.yaml: empty file",
		"acepted: []":                    `did you mean "accepted"?`,
		"accepted: {}":                   "accepted: want a list",
		"accepted: [{system: a, to: 3}]": "accepted.yaml:1:12: an accepted change needs until, who, why",
		"accepted: [{system: a, to: 3, until: 2026-12-01, who: b, why: c}]":            "needs the number",
		"accepted: [{system: a, to: 3, until: tomorrow, who: b, why: c, number: n}]":   `want a day such as 2027-01-31, found "tomorrow"`,
		"accepted: [{system: a, to: x, until: 2026-12-01, who: b, why: c}]":            `want a number times 100, or gone, found "x"`,
		"accepted: [{system: a, to: .nan, until: 2026-12-01, who: b, why: c}]":         `want a number times 100`,
		"accepted: [{system: a, too: 3, until: 2026-12-01, who: b, why: c}]":           `did you mean "to"?`,
		"accepted: [{system: \"\", to: gone, until: 2026-12-01, who: b, why: c}]":      "want a name",
		"accepted: [{system: a, to: gone, until: 2026-12-01, who: b, why: c, who: d}]": "given twice",
	} {
		if _, err := ParseAccepted("accepted.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q:\n%v\nwant %q", text, err, want)
		}
	}
}
