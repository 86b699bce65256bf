package table

import (
	"testing"
)

func TestLinkRoundTrip(t *testing.T) {
	for _, want := range []string{"mean 0 0", "runs 0-2,5 3-4", "difference 0-2 3 15"} {
		l, err := ParseLink(want)
		if err != nil || l.String() != want {
			t.Errorf("%q becomes %q, %v", want, l, err)
		}
	}
	for _, bad := range []string{"", "mean 0", "maen 0 0", "mean x 0", "mean 2-1 0", "mean 0 0 0 0", "mean 0-99999999 0"} {
		if l, err := ParseLink(bad); err == nil {
			t.Errorf("%q is %v", bad, l)
		}
	}
}
