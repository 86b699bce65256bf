package command

import (
	"strings"
	"testing"
	"time"
)

// Invalid flags are refused, including a day in the past; today is allowed.
func TestCheck(t *testing.T) {
	day := func(days int) string { return time.Now().UTC().AddDate(0, 0, days).Format(time.DateOnly) }
	for until, want := range map[string]string{"": "--until is required", "soon": "want a day such as", day(-2): "is over: nothing would pass", day(0): "", day(1): ""} {
		_, err := acceptOptions{who: "Ann", why: "tried", until: until, baseline: []string{"b"}}.check()
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("--until %q: %v, want %q", until, err, want)
		}
	}
}

// A system can be named as in reports or as in commands, a number as in the gate.
func TestMeant(t *testing.T) {
	systems := []string{"uni(P) train.lr=0.1", "uni(P) train.lr=0.2", "multi(P,I)", "untrained"}
	for _, c := range []struct {
		kind, name string
		known      []string
		want, err  string
	}{
		{"system", "multi(P,I)", systems, "multi(P,I)", ""},
		{"system", "multi:P+I", systems, "multi(P,I)", ""},
		{"system", "uni:P train.lr=0.2", systems, "uni(P) train.lr=0.2", ""},
		{"system", "uni:P", systems, "", `system "uni:P" is ambiguous: uni:P train.lr=0.1, uni:P train.lr=0.2`},
		{"system", "multi:P+IQ", systems, "", `unknown system "multi:P+IQ"; did you mean "multi:P+I"? (known: uni:P train.lr=0.1,`},
		{"number", "nDCG@10 on a/b", []string{"nDCG@10 on a/b"}, "nDCG@10 on a/b", ""},
		{"number", "nDCG@10", []string{"nDCG@10 on a/b"}, "", `unknown number "nDCG@10"`},
	} {
		got, err := nameMeant(c.kind, c.name, c.known, nil)
		if got != c.want || (err != nil) != (c.err != "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s %q: %q, %v, want %q %q", c.kind, c.name, got, err, c.want, c.err)
		}
	}
}
