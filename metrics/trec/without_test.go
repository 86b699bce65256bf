package trec

import (
	"slices"
	"testing"
)

// A ranking that loses all documents stays as an empty one; the run itself is not changed.
func TestWithout(t *testing.T) {
	run := Run{"1": {{"1", 3}, {"a", 2}}, "2": {{"2", 1}}, "3": {{"a", 1}}}
	selves := run.Selves()
	if len(selves) != 2 || selves["1"] == nil || selves["2"] == nil {
		t.Errorf("selves %v", selves)
	}
	got := run.Without(selves)
	if empty, there := got["2"]; len(got) != 3 || !slices.Equal(got["1"], Ranking{{"a", 2}}) || !there || len(empty) != 0 || len(got["3"]) != 1 {
		t.Errorf("%v", got)
	}
	if len(run["1"]) != 2 || len(run["2"]) != 1 {
		t.Errorf("the run was changed: %v", run)
	}
	if same := run.Without(map[string][]string{"1": {"b"}, "9": {"9"}}); len(same["1"]) != 2 || same["9"] != nil {
		t.Errorf("%v", same)
	}
}
