package results

import "testing"

// The typed text identifies one trial, with no more of its label than needed.
func TestTyped(t *testing.T) {
	all := []Named{{"a1", []string{"uni(P) seed=1"}}, {"a2", []string{"multi(P,I) seed=1"}}, {"a3", []string{"multi(P,I) seed=2"}},
		{"a4", []string{"bm25"}}, {"a5", []string{"twice"}}, {"a6", []string{"twice"}}, {"a7", nil}}
	for i, want := range []string{"uni:P", "multi:P+I seed=1", "multi:P+I seed=2", "bm25", "a5", "a6", "a7"} {
		got := Typed(all, i)
		if found := Find(all, got); got != want || len(found) != 1 || found[0] != i {
			t.Errorf("%v is typed %q, which means %v; want %q", all[i], got, found, want)
		}
	}
}
