package results_test

import (
	"testing"

	"infbench/runners/results"
)

// Names of losses are converted anywhere in a text.
func TestNamesOfLosses(t *testing.T) {
	for _, c := range []struct{ label, typed string }{
		{"uni(P)", "uni:P"},
		{"multi(P,I,IQ) train.lr=0.005 seed=2", "multi:P+I+IQ train.lr=0.005 seed=2"},
		{"sig(P,ST)", "sig:P+ST"},
		{"uni(P), multi(P,I)", "uni:P, multi:P+I"},
		{"bm25 (k1=0.9)", "bm25 (k1=0.9)"},
		{"university(P)", "university(P)"},
		{"uni()", "uni()"},
		{"", ""},
	} {
		if got := results.AsTyped(c.label); got != c.typed {
			t.Errorf("%q is typed %q, want %q", c.label, got, c.typed)
		}
		if got := results.AsLabel(c.typed); got != c.label {
			t.Errorf("%q is the label %q, want %q", c.typed, got, c.label)
		}
	}
}
