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

// TestShortened checks that names are shortened in the middle of long words to two lines, and that
// different names stay unlike each other.
func TestShortened(t *testing.T) {
	style := textStyle(Muted, 0, 0)
	long := strings.Repeat("a-long-name/", 12)
	names := []string{"uni(P)", "multi(P,I) train.lr=0.0004 pooling=mean", long + "one", long + "two", long + "one x=1", "start" + long, "start" + strings.ToUpper(long), strings.Repeat("word ", 40), strings.Repeat("i", 100) + "1" + strings.Repeat("i", 100), strings.Repeat("i", 100) + "2" + strings.Repeat("i", 100), long + "one"}
	got := shortened(names, style, nameWidth)
	of := map[string]string{}
	for i, name := range names {
		if style.Width(name) <= nameWidth && got[i] != name {
			t.Errorf("%q became %q", name, got[i])
		}
		if other, taken := of[got[i]]; taken && other != name {
			t.Errorf("%q and %q became %q", name, other, got[i])
		}
		of[got[i]] = name
	}
	for i := range 8 {
		if style.Width(got[i]) > nameWidth {
			t.Errorf("%q is %v wide", got[i], style.Width(got[i]))
		}
	}
	const name, want = "multi(P,I) backbone=another-organisation/a-model-with_v3 train.lr=0.001", "multi(P,I) backbone=anoth…l-with_v3 train.lr=0.001"
	if got := fitted(name, style, style.Width(want)); got != want {
		t.Errorf("%q became %q", name, got)
	}
}
