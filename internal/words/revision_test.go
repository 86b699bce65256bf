package words

import (
	"slices"
	"testing"
)

// Revisions with a common prefix stay distinct: two generated worlds once shared a name, and so a
// board.
func TestShortenApart(t *testing.T) {
	for _, c := range []struct{ in, want []string }{
		{[]string{"0123456789abcdef", "fedcba9876543210"}, []string{"0123456789ab", "fedcba987654"}},
		{[]string{"mini-1 world=1 sha256:ab", "mini-1 world=12 sha256:cd"}, []string{"mini-1 world=1 ", "mini-1 world=12"}},
		{[]string{"v1", "v2"}, []string{"v1", "v2"}},
		{nil, []string{}},
	} {
		if got := ShortenApart(c.in); !slices.Equal(got, c.want) {
			t.Errorf("shortenApart(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}
