package metrics

import "testing"

// A query ID is taken apart into what Query puts together.
func TestCutSide(t *testing.T) {
	for query, want := range map[string]struct {
		pair string
		side Side
	}{
		"301-og": {"301", Original}, "301-changed": {"301", Changed}, "301-reversed": {"301", Reversed},
		"301": {"301", None}, "301-og-changed": {"301-og", Changed}, "-og": {"", Original}, "": {"", None},
	} {
		pair, side := CutSide(query)
		if pair != want.pair || side != want.side || side.Query(pair) != query {
			t.Errorf("%q: %q on side %q", query, pair, side)
		}
	}
}
