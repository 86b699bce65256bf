package accept

import (
	"strings"
	"testing"
)

// A system is named as reports call it or as commands have it; a number as the gate does.
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
		got, err := meant(c.kind, c.name, c.known)
		if got != c.want || (err != nil) != (c.err != "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s %q: %q, %v, want %q %q", c.kind, c.name, got, err, c.want, c.err)
		}
	}
}
