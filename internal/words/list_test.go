package words

import "testing"

func TestAnyOf(t *testing.T) {
	for want, list := range map[string][]string{
		"a": {"a"}, "a or b": {"a", "b"}, "a, b, c or d": {"a", "b", "c", "d"},
	} {
		if got := AnyOf(list); got != want {
			t.Errorf("AnyOf(%q) = %q", list, got)
		}
	}
}
