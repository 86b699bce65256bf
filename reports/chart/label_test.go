package chart

import (
	"strings"
	"testing"
)

// TestWrapped checks that names are broken at their joints and lose no letter.
func TestWrapped(t *testing.T) {
	style := textStyle(Muted, 0, 0)
	for _, c := range []struct{ name, want string }{
		{"uni(P)", "uni(P)"},
		{"", ""},
		{"multi(P,I,IQ) train.lr=0.0004 pooling=mean", "multi(P,I,IQ) train.\nlr=0.0004 \npooling=mean"},
	} {
		got := wrapped(c.name, style, labelWidth)
		if strings.ReplaceAll(strings.ReplaceAll(got, "\n", ""), " ", "") != strings.ReplaceAll(c.name, " ", "") {
			t.Errorf("%q became %q", c.name, got)
		}
		for line := range strings.SplitSeq(got, "\n") {
			if style.Width(line) > labelWidth {
				t.Errorf("%q: line %q is %v wide", c.name, line, style.Width(line))
			}
			if i := strings.Index(got, "\n"+line); i > 0 && !strings.ContainsRune(" ,/=_-)", rune(got[i-1])) && c.name[strings.Index(c.name, line)-1] != ' ' {
				t.Errorf("%q is broken within a word: %q", c.name, got)
			}
		}
	}
}
